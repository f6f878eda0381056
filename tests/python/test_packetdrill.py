"""Scripts of packetdrill: which are found, with which options, what they need, what is known of their failures."""

import json
import re
from xml.etree import ElementTree

import pytest
from airtcp.cli.main import app
from airtcp.errors import AirtcpError
from airtcp.execution.events import RunFailed
from airtcp.kernels.table import FREQUENCIES_HZ, SERIES
from airtcp.packetdrill import known, suite_run
from airtcp.packetdrill.binary import Binary, find_binary
from airtcp.packetdrill.guest_files import needed_files, plan_files
from airtcp.packetdrill.junit import junit_case
from airtcp.packetdrill.known import Conditions, Difference, known_differences
from airtcp.packetdrill.plan import Setting, case_plan
from airtcp.packetdrill.result import Ending, Result, Verdict, ending_of_failure
from airtcp.packetdrill.scripts import GOOGLE, KERNEL, MPTCP, OWN, find_scripts
from airtcp.packetdrill.suite_run import change, judged, write_output
from airtcp.packetdrill.variants import IP_VERSIONS, TOLERANCES, cases_of, checked_versions
from airtcp.suites.junit import write_junit
from typer.testing import CliRunner

# Words in the manner of a runner in Python and of one in bash; not those of packetdrill.
PYTHON_RUNNER = """
default = '--send_omit_free'
run(path, ('--ip_version=ipv4 '
           '--local_ip=10.9.0.1 '
           '-D COOKIE=a1'))
run(path, ('--ip_version=ipv6 --mtu=1520 ' '--local_ip=fd00::1 '))
run(path, ('--ip_version=ipv4-mapped-ipv6 --local_ip=10.9.0.2 '))
"""
SHELL_RUNNER = """
args=([ipv4]="--ip_version=ipv4
        --local_ip=10.8.0.1
        -D LEVEL=SOL_IP"
      [ipv6]="--ip_version=ipv6
        --remote_ip=fd00::2"
)
[ -n "$SLOW" ] && more+=('--tolerance_usecs=14000')
versions=$(grep -E '^--ip_version=' $script)
"""
CONDITIONS = Conditions("6.12", 250, "given")


def put(file, text="0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n", mode=0o644):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    file.chmod(mode)
    return file


@pytest.fixture
def google(tmp_path):
    """A tree as google/packetdrill has it."""
    net = tmp_path / "gtests" / "net"
    put(net / "packetdrill" / "run_all.py", PYTHON_RUNNER)
    put(net / "tcp" / "common" / "defaults.sh", "sysctl -q a=1\n$(dirname $0)/../more/extra.sh\n", 0o755)
    put(net / "tcp" / "common" / "set_sysctls.py", "pass\n", 0o755)
    put(net / "tcp" / "close" / "simple.pkt", "`../common/defaults.sh`\n")
    put(net / "tcp" / "close" / "other-v4.pkt")
    put(net / "tcp" / "close" / "data.txt", "beside")
    put(net / "tcp" / "fastopen" / "server" / "only-v6.pkt")
    put(net / "mptcp" / "dss" / "first.pkt")
    return net


@pytest.fixture
def selftests(tmp_path):
    """A folder as Linux has it."""
    folder = tmp_path / "selftests" / "packetdrill"
    put(folder / "ksft_runner.sh", SHELL_RUNNER, 0o755)
    put(folder / "defaults.sh", "", 0o755)
    put(folder / "tcp_a-v6.pkt", "`./defaults.sh`\n")
    put(folder / "tcp_b.pkt", "--ip_version=ipv6\n--tolerance_usecs=20000\n")
    return folder


def named(scripts):
    return [(script.suite, script.name) for script in scripts]


def labels(cases):
    return [case.label for case in cases]


def test_scripts_have_their_suite_and_their_name_in_it(google, selftests, tmp_path):
    put(tmp_path / "mine" / "deep" / "x.pkt")
    assert named(
        find_scripts([google / "tcp" / "close", google / "mptcp", selftests, tmp_path / "mine"])
    ) == [
        (GOOGLE, "tcp/close/other-v4.pkt"),
        (GOOGLE, "tcp/close/simple.pkt"),
        (KERNEL, "tcp_a-v6.pkt"),
        (KERNEL, "tcp_b.pkt"),
        (MPTCP, "mptcp/dss/first.pkt"),
        (OWN, "deep/x.pkt"),
    ]


def test_a_script_is_found_once_and_by_its_name(google, monkeypatch):
    close = google / "tcp" / "close"
    assert named(find_scripts([close, close / "simple.pkt"], ["simple"])) == [
        (GOOGLE, "tcp/close/simple.pkt")
    ]
    assert len(find_scripts([google], ["tcp/*v?.pkt"])) == 2
    monkeypatch.chdir(close)
    assert named(find_scripts([close.relative_to(close) / "simple.pkt"])) == [
        (GOOGLE, "tcp/close/simple.pkt")
    ]


def test_what_is_no_script_is_told(google, tmp_path):
    with pytest.raises(AirtcpError, match=r"nowhere: there is no such file or folder\. Check the path"):
        find_scripts([tmp_path / "nowhere"])
    with pytest.raises(
        AirtcpError, match=r"there is no script in this folder\. Name a folder of packetdrill's"
    ):
        find_scripts([google / "packetdrill"])
    with pytest.raises(AirtcpError, match=r'no script has such a name\. Did you mean "simple"\?'):
        find_scripts([google], ["simpel"])
    with pytest.raises(AirtcpError, match=r"Folders of scripts: tcp/close, tcp/fastopen/server, mptcp/dss\."):
        find_scripts([google], ["nothing of the kind"])


def test_options_are_those_of_the_runner_of_the_suite(google, selftests, tmp_path):
    (simple,) = find_scripts([google / "tcp" / "close" / "simple.pkt"])
    options = {case.ip: case.options for case in cases_of([simple], IP_VERSIONS, "given")}
    begin = "--send_omit_free"
    assert options == {
        "ipv4": (begin, "--ip_version=ipv4", "--local_ip=10.9.0.1", "-D", "COOKIE=a1"),
        "ipv6": (begin, "--ip_version=ipv6", "--mtu=1520", "--local_ip=fd00::1"),
        "ipv4-mapped-ipv6": (begin, "--ip_version=ipv4-mapped-ipv6", "--local_ip=10.9.0.2"),
    }
    cases = cases_of(find_scripts([selftests]), IP_VERSIONS, "given")
    assert {case.label: case.options for case in cases} == {
        "tcp_a-v6.pkt [ipv4]": ("--ip_version=ipv4", "--local_ip=10.8.0.1", "-D", "LEVEL=SOL_IP"),
        "tcp_a-v6.pkt [ipv6]": ("--ip_version=ipv6", "--remote_ip=fd00::2"),
        "tcp_b.pkt [ipv6]": ("--ip_version=ipv6", "--remote_ip=fd00::2"),
    }
    own = find_scripts([put(tmp_path / "x.pkt")])
    assert [case.options for case in cases_of(own, ["ipv6"], "given")] == [("--ip_version=ipv6",)]


def test_names_of_google_say_for_which_ip_version_they_are(google):
    cases = cases_of(find_scripts([google], ["v4", "v6"]), IP_VERSIONS, "given")
    assert labels(cases) == [
        "tcp/close/other-v4.pkt [ipv4]",
        "tcp/close/other-v4.pkt [ipv4-mapped-ipv6]",
        "tcp/fastopen/server/only-v6.pkt [ipv6]",
    ]


def test_a_tenth_of_the_tolerances_is_that_of_the_script_or_of_packetdrill(google, selftests):
    (simple,) = find_scripts([google], ["simple"])
    tight = ("--tolerance_usecs=400", "--tolerance_percent=1.25")
    assert cases_of([simple], ["ipv4"], "tenth")[0].options[-2:] == tight
    (other,) = find_scripts([selftests], ["tcp_b"])
    assert cases_of([other], ["ipv6"], "tenth")[0].options[-2] == "--tolerance_usecs=2000"


def test_mistakes_in_options_are_told(google):
    scripts = find_scripts([google], ["only-v6"])
    with pytest.raises(AirtcpError, match=r'--ip: "ipv5" is no IP version\. Did you mean "ipv'):
        checked_versions(["ipv5"])
    with pytest.raises(AirtcpError, match=r"--ip: no script is for ipv4\. Leave --ip out"):
        cases_of(scripts, ["ipv4"], "given")
    with pytest.raises(AirtcpError, match=r'--tolerance: "tent" is no tolerance\. Did you mean "tenth"'):
        cases_of(scripts, ["ipv6"], "tent")
    put(google / "packetdrill" / "run_all.py", "# empty\n")
    from airtcp.packetdrill.variants import runner_options

    runner_options.cache_clear()
    with pytest.raises(AirtcpError, match=r"run_all\.py: has no options of packetdrill"):
        cases_of(scripts, ["ipv6"], "given")


def test_a_script_brings_what_it_names_and_what_is_beside_that(google):
    put(google / "tcp" / "more" / "extra.sh", "", 0o755)
    root, files = needed_files(google / "tcp" / "close" / "simple.pkt")
    assert root == google / "tcp"
    assert [str(file.relative_to(root)) for file in files] == [
        "close/simple.pkt",
        "common/defaults.sh",
        "more/extra.sh",
        "close/data.txt",
        "common/set_sysctls.py",
    ]
    brought = plan_files(root, files, "suite")
    assert brought[1] == {
        "path": "suite/common/defaults.sh",
        "executable": True,
        "content": {"kind": "text", "text": (google / "tcp" / "common" / "defaults.sh").read_text()},
    }


def test_a_script_beside_too_much_is_told(google):
    put(google / "tcp" / "close" / "large", "x" * (4 << 20))
    root, files = needed_files(google / "tcp" / "close" / "simple.pkt")
    with pytest.raises(AirtcpError, match=r"simple\.pkt: the files beside this script are more than 4 MiB"):
        plan_files(root, files, "suite")


def test_packetdrill_is_the_given_one_else_the_built_else_the_installed(google, tmp_path, monkeypatch):
    scripts = find_scripts([google], ["simple"])
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    folder = google / "packetdrill"
    with pytest.raises(
        AirtcpError, match=rf"packetdrill is not built\. Build it \(cd {folder} && \./configure"
    ):
        find_binary(None, scripts)
    with pytest.raises(
        AirtcpError, match=r"Build it \(git clone https://github.com/google/packetdrill && cd"
    ):
        find_binary(None, find_scripts([put(tmp_path / "x.pkt")]))
    with pytest.raises(AirtcpError, match=r"--packetdrill /nowhere: there is no such program"):
        find_binary(tmp_path.__class__("/nowhere"), scripts)
    installed = put(tmp_path / "bin" / "packetdrill", "installed", 0o755)
    assert find_binary(None, scripts).file == installed.resolve()
    built = put(folder / "packetdrill", "built", 0o755)
    assert find_binary(None, scripts).file == built.resolve()
    assert find_binary(installed, scripts).file == installed.resolve()


def test_packetdrill_of_a_folder_that_the_guest_hides_comes_with_the_plan(google):
    binary = find_binary(put(google / "packetdrill" / "packetdrill", "built", 0o755), [])
    # Tests run below /tmp.
    assert binary.brought is not None
    (case,) = cases_of(find_scripts([google], ["simple"]), ["ipv4"], "given")
    plan = case_plan(case, Setting(binary))
    command = plan["programs"][0]["command"]
    assert command.startswith('cd "$SCENARIO_DIR"/suite/close && ')
    assert '"$SCENARIO_DIR"/packetdrill --send_omit_free --ip_version=ipv4' in command
    assert command.endswith(" simple.pkt")
    assert [file["path"] for file in plan["files"]][-1] == "packetdrill"
    (node,) = plan["nodes"]
    assert node["interfaces"] == node["sysctls"] == []


def test_the_plan_names_the_kernel_and_the_content_of_packetdrill(google):
    (case,) = cases_of(find_scripts([google], ["simple"]), ["ipv4"], "given")
    path = google.__class__("/opt/packetdrill")
    plan = case_plan(case, Setting(Binary(path, "abc", None), "7.2", 1000, verbose=True))
    assert plan["kernel"] == "7.2-hz1000"
    command = plan["programs"][0]["command"]
    assert "PACKETDRILL_SHA256=abc /opt/packetdrill" in command
    assert command.endswith("--verbose simple.pkt")
    lab = case_plan(case, Setting(Binary(path, "abc", None), "6.12-lab"))
    assert lab["kernel"] == "6.12-lab"
    with pytest.raises(AirtcpError, match=r"--kernel 6\.99: is no kernel"):
        case_plan(case, Setting(Binary(path, "abc", None), "6.99"))
    with pytest.raises(
        AirtcpError, match=r"--hz 77: is no timer frequency of kernels\. Write one of 100, 250"
    ):
        case_plan(case, Setting(Binary(path, "abc", None), "6.12", 77))
    with pytest.raises(AirtcpError, match=r"--hz 300: contradicts --kernel 6\.12-hz1000"):
        case_plan(case, Setting(Binary(path, "abc", None), "6.12-hz1000", 300))


FAILURE = b"""sysctl: cannot stat /proc/sys/net/ipv4/tcp_x: No such file or directory
simple.pkt:40: runtime error in write call: Expected result 16 but got 20
"""
PYTHON_FAILURE = b"""simple.pkt:29: error in Python code
Traceback (most recent call last):
  File "/tmp/code_vDVC5I", line 121, in <module>
    assert 49000 <= tcpi_busy_time <= 52000, tcpi_busy_time; \\
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
AssertionError: 48000
simple.pkt: error executing code: 'python3' returned non-zero status 1
"""


def case(google, ip="ipv4"):
    (found,) = cases_of(find_scripts([google], ["simple"]), [ip], "given")
    return found


def test_a_failure_has_its_line_and_packetdrills_words(google):
    result = Result(case(google), Ending(1, 5, FAILURE), Verdict.FAILED)
    assert (result.line, result.reason) == (40, "write call: Expected result 16 but got 20")
    checked = Result(case(google), Ending(1, 5, b"simple.pkt: error: no tun device\n"), Verdict.FAILED)
    assert (checked.line, checked.reason) == (None, "error: no tun device")
    code = Result(case(google), Ending(1, 5, PYTHON_FAILURE), Verdict.FAILED)
    assert (code.line, code.reason) == (29, "49000 <= tcpi_busy_time <= 52000: it is 48000")
    other = Result(case(google), Ending(134, 5, b"\nassertion failed at code.c line 148\n"), Verdict.FAILED)
    assert (other.line, other.reason) == (None, "assertion failed at code.c line 148")
    assert Result(case(google), Ending(7, 5, b""), Verdict.FAILED).reason == "exit status 7"
    hangs = ending_of_failure(RunFailed("hang", "virtual time stopped at 3 s", "", "", ["last words"]))
    assert Result(case(google), hangs, Verdict.FAILED).reason == "virtual time stopped at 3 s"


@pytest.fixture
def one_known(monkeypatch):
    def use(**keys):
        difference = Difference(suite=GOOGLE, scripts=["tcp/close/*"], reason="because", **keys)
        monkeypatch.setattr(known, "known_differences", lambda: [difference])

    return use


@pytest.mark.parametrize(
    ("keys", "is_known"),
    [
        ({}, True),
        ({"ip": ["ipv4"], "kernels": ["6.12"], "hz": [250]}, True),
        ({"ip": ["ipv6"]}, False),
        ({"kernels": ["7.2"]}, False),
        ({"hz": [1000]}, False),
        ({"tolerance": "tenth"}, False),
        ({"when": "Expected result 16"}, True),
        ({"when": "something else"}, False),
    ],
)
def test_a_known_difference_holds_under_its_conditions(google, one_known, keys, is_known):
    one_known(**keys)
    result = judged(case(google), Ending(1, 5, FAILURE), 0.0, CONDITIONS)
    assert result.verdict is (Verdict.KNOWN if is_known else Verdict.FAILED)
    assert result.known == ("because" if is_known else "")
    hangs = judged(case(google), Ending(None, 0, FAILURE, "virtual time stopped"), 0.0, CONDITIONS)
    assert hangs.verdict is Verdict.FAILED
    passed = judged(case(google), Ending(0, 5, b""), 0.0, CONDITIONS)
    always = is_known and "when" not in keys
    assert passed.verdict is (Verdict.PASSED_ALL_THE_SAME if always else Verdict.PASSED)


def test_the_known_differences_are_well_formed():
    for one in known_differences():
        assert one.suite in (GOOGLE, KERNEL, MPTCP), one
        assert one.scripts, one
        assert all(name.endswith((".pkt", "*")) for name in one.scripts), one
        assert re.match(r"[A-Z0-9`].*[^.]$", one.reason), one
        assert set(one.ip) <= set(IP_VERSIONS), one
        assert set(one.kernels) <= set(SERIES), one
        assert set(one.hz) <= set(FREQUENCIES_HZ), one
        assert one.tolerance in ("", *TOLERANCES), one


def test_what_differs_between_repetitions_is_told():
    first = Ending(0, 100, b"out")
    assert change(first, Ending(0, 100, b"out")) == ""
    assert change(first, Ending(1, 100, b"out")) == "exit status 0, then 1"
    assert change(first, Ending(0, 100, b"else")) == "output"
    assert change(first, Ending(0, 101, b"out")) == "end at 100 ns, then at 101 ns"
    assert change(first, Ending(None, 0, b"", "it hangs")) == "ended, then it hangs"


def test_junit_has_a_test_case_for_each_script_and_ip_version(google, tmp_path):
    results = [
        Result(case(google), Ending(0, 1_500_000_000, b""), Verdict.PASSED),
        Result(case(google, "ipv6"), Ending(1, 5, FAILURE + b"\x01\n"), Verdict.FAILED),
        Result(case(google, "ipv4-mapped-ipv6"), Ending(1, 5, FAILURE), Verdict.KNOWN, "because"),
    ]
    write_junit("packetdrill", [junit_case(one) for one in results], tmp_path / "new" / "junit.xml")
    (suite,) = ElementTree.parse(tmp_path / "new" / "junit.xml").getroot()
    assert suite.attrib == {"name": "tcp/close", "tests": "3", "failures": "1", "skipped": "1"}
    passed, failed, skipped = suite
    assert passed.attrib == {
        "name": "simple [ipv4]",
        "classname": "tcp.close",
        "file": "tcp/close/simple.pkt",
        "time": "1.500000000",
    }
    assert failed[0].get("message") == "line 40: write call: Expected result 16 but got 20"
    assert "Expected result 16" in (failed[0].text or "")
    assert skipped[0].attrib == {"message": "known: because"}


def test_outputs_have_the_names_of_their_cases(google, tmp_path):
    file = write_output(tmp_path, case(google), b"said", 3)
    assert file == tmp_path / "google" / "tcp" / "close" / "simple.pkt.ipv4.repetition-3.txt"
    assert file.read_bytes() == b"said"


@pytest.fixture
def command(google, tmp_path, monkeypatch, fake_tools):  # noqa: ARG001
    """The command with endings that are given, in place of guests."""
    put(google / "packetdrill" / "packetdrill", "built", 0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "150")
    # Of this test, not of the machine.
    monkeypatch.setattr(known, "known_differences", lambda: [])

    def run(endings, *words):
        rounds = iter(endings)

        def ended(self, fresh=False):  # noqa: ARG001
            yield from ((number, ending, 0.25) for number, ending in enumerate(next(rounds)))

        monkeypatch.setattr(suite_run.SuiteRun, "_run", ended)
        return CliRunner().invoke(app, ["packetdrill", str(google / "tcp"), "--only", "simple", *words])

    return run


PASSED, FAILED = Ending(0, 1_000_000_000, b""), Ending(1, 1_000_000_000, FAILURE)


def test_the_command_shows_failures_and_ends_with_3(command, tmp_path):
    done = command([[PASSED, FAILED, PASSED]], "--junit", "junit.xml")
    assert done.exit_code == 3, done.output
    assert re.search(r"simple\.pkt +ipv6 +40 +write call: Expected result 16 but got 20", done.output)
    assert re.search(r"tcp/close +3 +2 +0 +1", done.output)
    assert "3 cases: 2 passed, 1 failed; 3.0 s of virtual time" in done.output
    assert (tmp_path / "packetdrill-results/google/tcp/close/simple.pkt.ipv6.txt").read_bytes() == FAILURE
    assert (tmp_path / "junit.xml").is_file()
    # The runs are gone.
    assert [each.name for each in (tmp_path / "packetdrill-results").iterdir()] == ["google"]


def test_the_command_finds_what_differs_in_a_repetition(command):
    same = [PASSED, PASSED, PASSED]
    done = command([same, same, same], "--repeat", "3")
    assert done.exit_code == 0, done.output
    assert "3 repetitions of 3 cases: all the same, to the bit" in done.output
    done = command([same, [PASSED, Ending(0, 2, b""), PASSED]], "--repeat", "2")
    assert done.exit_code == 3
    assert re.search(r"simple\.pkt \[ipv6\] +2 +end at 1000000000 ns, then at 2 ns", done.output)


def test_json_has_every_case(command):
    done = command([[PASSED, FAILED]], "--ip", "ipv4,ipv6", "--json")
    assert done.exit_code == 3
    said = json.loads(done.stdout)
    assert said["totals"] == {"passed": 1, "failed": 1, "failed as known": 0, "passed, known to fail": 0}
    assert said["cases"][1] == {
        "suite": "google",
        "script": "tcp/close/simple.pkt",
        "ip": "ipv6",
        "verdict": "failed",
        "status": 1,
        "line": 40,
        "reason": "write call: Expected result 16 but got 20",
        "known": "",
        "end_s": 1.0,
    }
