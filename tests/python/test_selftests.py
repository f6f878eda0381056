"""Self-tests of the kernel: which are found, what they need, and what their exit statuses and KTAP say."""

from xml.etree import ElementTree

import pytest
from airtcp.errors import AirtcpError
from airtcp.selftests import result as results
from airtcp.selftests.installed import Selftest, build, find_tests, interpreter, is_installed
from airtcp.selftests.junit import junit_case
from airtcp.selftests.needed_options import missing_options
from airtcp.selftests.plan import selftest_plan
from airtcp.selftests.result import Point, judged, points
from airtcp.suites.ending import Ending
from airtcp.suites.junit import write_junit
from airtcp.suites.known import Conditions, Difference

CONDITIONS = Conditions("6.12", 250, "")
KTAP = """TAP version 13
1..5
ok 1 - first # time=12ms
not ok 2 second
# ok 3 third # SKIP no such feature
#  not ok 4 fourth # XFAIL known of the machine
ok 5 selftests: net: fifth
not ok 6 # error 30[key.c:515] no such file
not a line of it: ok 6
"""


@pytest.fixture
def root(tmp_path):
    """An installation with two folders."""
    for folder, name, text in (
        ("net/mptcp", "join.sh", "#!/bin/bash\n"),
        ("net/mptcp", "program", "\x7fELF"),
        ("net", "tcp.py", "#!/usr/bin/env python3\n"),
    ):
        file = tmp_path / folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (tmp_path / "net/mptcp/join.sh").chmod(0o755)
    (tmp_path / "net/mptcp/settings").write_text("# seconds\ntimeout=1800\n")
    (tmp_path / "net/mptcp/config").write_text(
        "CONFIG_MPTCP=y\nCONFIG_NET_SCH_NETEM=m\nCONFIG_VETH=y\nCONFIG_HZ=1000\n# CONFIG_X is not set\n"
    )
    (tmp_path / "kselftest-list.txt").write_text("net/mptcp:join.sh\nnet/mptcp:gone\nnet:tcp.py\n")
    return tmp_path


def ended(status, text, failure=""):
    test = Selftest.__new__(Selftest)
    object.__setattr__(test, "folder", "net/mptcp")
    object.__setattr__(test, "name", "join.sh")
    return judged(test, Ending(status, 1_500_000_000, text.encode(), failure), 0.5, CONDITIONS)


def test_tests_are_those_of_the_list_with_the_time_of_their_folder(root):
    assert is_installed(root)
    found = find_tests(root, ["net/mptcp", "net"], [])
    assert [(one.label, one.timeout_s) for one in found] == [
        ("net/mptcp:join.sh", 1800),
        ("net/mptcp:gone", 1800),
        ("net:tcp.py", 45),
    ]
    assert [one.is_built for one in found] == [True, False, True]
    assert [one.name for one in find_tests(root, ["net/mptcp", "net"], ["jo", "*.py"])] == [
        "join.sh",
        "tcp.py",
    ]


def test_what_is_not_there_is_refused(root):
    with pytest.raises(AirtcpError, match="net/mptcp"):
        find_tests(root, ["net/mptpc"], [])
    with pytest.raises(AirtcpError, match="Tests: gone, join"):
        find_tests(root, ["net/mptcp"], ["none"])
    with pytest.raises(AirtcpError, match="has no self-tests there"):
        build(root, ["net/mptcp"])


def test_a_test_runs_as_the_runner_of_kselftest_has_it(root):
    (join, _), (python,) = (find_tests(root, [folder], []) for folder in ("net/mptcp", "net"))
    assert interpreter(join) == ["./join.sh"]
    assert interpreter(python) == ["/usr/bin/env", "python3", "./tcp.py"]
    (root / "net/ksft_runner.sh").write_text("")
    (root / "net/ksft_runner.sh").chmod(0o755)
    assert interpreter(python) == ["./ksft_runner.sh", "./tcp.py"]


def test_options_that_the_kernel_lacks_are_named(root, tmp_path):
    kernel = tmp_path / "kernel"
    kernel.mkdir()
    (kernel / "config").write_text(
        "CONFIG_MPTCP=y\nCONFIG_NET_SCH_NETEM=y\n# CONFIG_VETH is not set\nCONFIG_HZ=250\n"
    )
    assert missing_options(kernel, root / "net/mptcp") == ["CONFIG_VETH=y", "CONFIG_HZ=1000"]
    assert missing_options(kernel, root / "net") == []


def test_lines_of_ktap_are_steps():
    assert points(KTAP) == [
        Point("first", "pass"),
        Point("second", "fail"),
        Point("third", "skip"),
        Point("fourth", "xfail"),
        Point("selftests: net: fifth", "pass"),
        Point("error 30[key.c:515] no such file", "fail"),
    ]


@pytest.mark.parametrize(
    ("status", "text", "verdict", "reason"),
    [
        (0, KTAP, "passed", ""),
        (1, KTAP, "failed", "second (and 1 more)"),
        (
            4,
            "SKIP: Could not run test without ip tool\n",
            "skipped",
            "SKIP: Could not run test without ip tool",
        ),
        (4, "", "skipped", "says nothing"),
        (
            1,
            "TEST: a     [ OK ]\nTEST: b     [FAIL]\nTEST: c     [FAIL]\nend\n",
            "failed",
            "TEST: b     [FAIL] (and 1 more)",
        ),
        (2, "\x1b[31mlast words\x1b[0m\n\n", "failed", "last words"),
        (2, "", "failed", "exit status 2"),
    ],
)
def test_the_exit_status_is_the_verdict(status, text, verdict, reason):
    found = ended(status, text)
    assert (found.verdict.value, found.reason) == (verdict, reason)


def test_a_test_that_takes_too_long_fails():
    found = ended(None, KTAP, "took longer than 45 s of virtual time")
    assert (found.verdict.value, found.reason) == ("failed", "took longer than 45 s of virtual time")


def test_a_known_difference_may_be_that_of_a_step(monkeypatch):
    one = Difference("net/mptcp", ["join*"], "Of the machine", when="not ok 2 second")
    monkeypatch.setattr(results, "differences_of", lambda *_: [one])
    assert ended(1, KTAP).known == "Of the machine"
    assert ended(1, "not ok 1 other\n").is_unexpected


def test_known_differences_are_well_formed():
    for one in results.differences_of.__globals__["known_differences"](results.KNOWN):
        assert one.suite
        assert one.reason
        assert not one.reason.endswith(".")


def test_results_as_junit(tmp_path):
    found = [ended(0, KTAP), ended(1, KTAP), ended(4, "no ip")]
    write_junit("kselftest", [junit_case(one) for one in found], tmp_path / "junit.xml")
    (suite,) = ElementTree.parse(tmp_path / "junit.xml").getroot()
    assert (suite.get("name"), suite.get("tests"), suite.get("failures"), suite.get("skipped")) == (
        "net/mptcp",
        "3",
        "1",
        "1",
    )


def test_the_plan_is_a_machine_in_which_nothing_is_set(root, monkeypatch):
    (test, _) = find_tests(root, ["net/mptcp"], [])
    with pytest.raises(AirtcpError, match="of its own"):
        selftest_plan(test, "6.12")
    monkeypatch.setattr("airtcp.selftests.plan.GUESTS_OWN_FOLDERS", ())
    plan = selftest_plan(test, "6.12")
    assert (plan["kernel"], plan["duration_ns"], plan["ends_with_programs"]) == (
        "6.12-lab",
        1800 * 10**9,
        [0],
    )
    (node,) = plan["nodes"]
    assert (node["sysctls"], plan["guest"]["initial_node"]) == ([], 0)
    assert "./join.sh" in plan["programs"][0]["command"]
