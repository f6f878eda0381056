"""`airtcp hostap-tests` without guests: what sources need, batches, endings, known failures, the command."""

import json
import re
import tomllib
from xml.etree import ElementTree

import pytest
from airtcp.cli.main import app
from airtcp.errors import AirtcpError
from airtcp.execution import locate
from airtcp.hostap import batches, known, suite, suite_run
from airtcp.hostap.batches import batches_of
from airtcp.hostap.guest import hwsim_radios
from airtcp.hostap.junit import junit_case
from airtcp.hostap.kept_needs import needs_by_test
from airtcp.hostap.known import Difference, causes, judged, known_differences
from airtcp.hostap.needs import FILE, checked_needs, known_needs, needs_of
from airtcp.hostap.plan import Setting, batch_plan
from airtcp.hostap.result import NO_VERDICT, NOT_BEGUN, Ending, endings_of
from airtcp.hostap.selection import Chosen, selection_of
from airtcp.hostap.sources import Place, SuiteTest, read_sources
from airtcp.hostap.suite import Suite, check_built, find_suite
from airtcp.suites.junit import write_junit
from airtcp.suites.verdict import Verdict
from typer.testing import CliRunner

MODULES = {
    "run-tests.py": "",
    "test_ap_open.py": '''
import hostapd
from hwsim import HWSimRadio
from wlantest import Wlantest
from tools import *

def test_ap_open(dev, apdev):
    """AP with open mode. run_tshark is only told of here."""
    hostapd.add_ap(apdev[0], {"ssid": "open"})

def test_ap_open_counted(dev, apdev):
    """By wlantest"""
    count(dev)

def test_ap_open_two_channels(dev, apdev):
    with HWSimRadio(n_channels=2) as (radio, iface):
        pass

def count(dev):
    Wlantest.setup(dev)
''',
    "test_ap_eap.py": """
import tools
from test_ap_open import count as number

def test_eap(dev, apdev, params):
    tools.connect_eap(dev)

def test_eap_counted(dev, apdev, params):
    number(dev)
""",
    "tools.py": """
def connect(dev, eap=False):
    dev.connect("WPA-EAP" if eap else "WPA-PSK")

def connect_eap(dev):
    connect(dev, eap=True)
""",
    "test_ap_psk.py": """
from tools import connect
from utils import alloc_fail, long_duration_test

def test_psk(dev, apdev):
    connect(dev)

def test_psk_oom(dev, apdev):
    with alloc_fail(dev, 1, "psk"):
        connect(dev)

@long_duration_test
def test_psk_long(dev, apdev):
    connect(dev)
""",
}
OUTPUT = """\
START ap_open 1/4
PASS ap_open 0.086512 2026-08-01 12:00:00.184444
START ap_open_counted 2/4
Exception during test execution: No connection
Traceback (most recent call last):
  File "run-tests.py", line 600, in main
    t(dev, apdev)
  File "test_ap_open.py", line 20, in test_ap_open_counted
    raise Exception("No connection")
Exception: No connection
FAIL ap_open_counted 10.5 2026-08-01 12:00:10.7
START ap_open_two_channels 3/4
SKIP ap_open_two_channels 0.001 2026-08-01 12:00:10.8
REASON airtcp: radios have no n_channels=2
START ap_open_hangs 4/4
airtcp: nothing for 600 s of virtual time
"""


def a_test(name, module="ap_open"):
    return SuiteTest(name, module, Place(f"test_{module}", f"test_{name}"))


@pytest.fixture
def hostap(tmp_path, monkeypatch):
    """A folder of hostap with a few tests, and its programs."""
    monkeypatch.setattr(suite, "GUESTS_OWN_FOLDERS", ())
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "hostap"
    for name, text in MODULES.items():
        file = folder / "tests" / "hwsim" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder


@pytest.fixture
def sources(hostap):
    return read_sources(hostap / "tests" / "hwsim")


def needs(sources):
    return {name: [need.name for need in own] for name, own in needs_of(sources).items()}


def test_tests_need_what_their_functions_name(sources):
    assert needs(sources) == {
        "ap_open": [],
        "ap_open_counted": ["wlantest"],
        "ap_open_two_channels": ["channels"],
        # A function for many tests has EAP for some: it counts in the test itself, and by its module.
        "eap": ["eap"],
        "eap_counted": ["wlantest", "eap"],
        "psk": [],
        "psk_oom": ["fault-injection"],
        "psk_long": ["long"],
    }


def test_needs_are_kept_until_a_source_changes(hostap, sources):
    folder = hostap / "tests" / "hwsim"
    first = needs_by_test(folder)
    assert first == needs_by_test(folder) == (sources.tests, needs_of(sources))
    (folder / "test_new.py").write_text("def test_new(dev):\n    pass\n")
    assert [one.name for one in needs_by_test(folder)[0]] == [*(one.name for one in sources.tests), "new"]


def test_each_need_of_the_list_says_what_it_is():
    entries = tomllib.loads(FILE.read_text())["need"]
    assert len({entry["name"] for entry in entries}) == len(entries)
    for need in known_needs():
        assert need.reason, need
        assert not need.reason.endswith("."), need
        assert need.modules or need.words, need
        for word in need.words:
            re.compile(word)


def test_a_module_that_is_no_python_is_an_error(hostap):
    (hostap / "tests" / "hwsim" / "test_broken.py").write_text("def test_(")
    with pytest.raises(AirtcpError, match="is not read as Python"):
        read_sources(hostap / "tests" / "hwsim")


@pytest.mark.parametrize(
    ("chosen", "names"),
    [
        (Chosen(), ["ap_open", "psk"]),
        (Chosen(["ap_open"]), ["ap_open"]),
        (Chosen(["ap_open.ap_open_counted"]), ["ap_open_counted"]),
        (Chosen(["psk_oom", "ap_open"]), ["ap_open", "psk_oom"]),
        (Chosen(["psk*"]), ["psk"]),
        (Chosen(with_needs=checked_needs(["long", "eap"])), ["eap", "ap_open", "psk", "psk_long"]),
        (Chosen(["ap_psk"], all_tests=True), ["psk", "psk_oom", "psk_long"]),
    ],
)
def test_what_is_run_of_a_suite(sources, chosen, names):
    selection = selection_of(sources.tests, needs_of(sources), chosen)
    assert [one.name for one in selection.tests] == names


def test_what_is_left_out_has_its_needs(sources):
    selection = selection_of(sources.tests, needs_of(sources), Chosen(["ap_psk"]))
    assert {one.name: [need.name for need in own] for one, own in selection.left_out.items()} == {
        "psk_oom": ["fault-injection"],
        "psk_long": ["long"],
    }


def test_a_word_that_means_nothing_is_an_error(sources):
    with pytest.raises(AirtcpError, match="is no test, no module") as error:
        selection_of(sources.tests, {}, Chosen(["ap_opem"]))
    assert 'Did you mean "ap_open"?' in str(error.value)
    with pytest.raises(AirtcpError, match="is no need of tests"):
        checked_needs(["wlan"])


def test_batches_are_of_one_module_and_do_not_depend_on_others(monkeypatch):
    monkeypatch.setattr(batches, "TESTS_MOST", 2)
    many = [a_test(f"a{number}", "a") for number in range(3)] + [a_test("b0", "b")]
    assert [(one.label, [t.name for t in one.tests]) for one in batches_of(many)] == [
        ("a-1", ["a0", "a1"]),
        ("a-2", ["a2"]),
        ("b-1", ["b0"]),
    ]


def test_endings_are_those_that_the_runner_writes():
    names = ("ap_open", "ap_open_counted", "ap_open_two_channels", "ap_open_hangs", "ap_open_never")
    endings = {
        one.name: ending for one, ending in endings_of([a_test(name) for name in names], OUTPUT).items()
    }
    assert endings == {
        "ap_open": Ending("PASS", "", 0.086512),
        "ap_open_counted": Ending("FAIL", "No connection", 10.5),
        "ap_open_two_channels": Ending("SKIP", "airtcp: radios have no n_channels=2", 0.001),
        "ap_open_hangs": Ending("FAIL", "airtcp: nothing for 600 s of virtual time"),
        "ap_open_never": Ending("FAIL", NOT_BEGUN),
    }


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (
            "wlan0: Country code not reset back to 00: is 99\n",
            "wlan0: Country code not reset back to 00: is 99",
        ),
        (
            "Traceback (most recent call last):\n  File\nKeyError: 'ssid'\n\n"
            "During handling of the above exception, another exception occurred:\n\n"
            "Traceback (most recent call last):\n  File\nutils.Exception: No AP\n"
            "Failed to reset device wlan0\nTraceback (most recent call last):\n  File\nException: later\n",
            "No AP",
        ),
        ("Traceback (most recent call last):\n  File\nAssertionError\n", "AssertionError"),
        ("Traceback (most recent call last):\n  File\nTimeoutError: slow\n", "TimeoutError: slow"),
        ("", ""),
    ],
)
def test_the_reason_of_a_failure_is_the_exception_of_the_test(said, reason):
    output = f"START ap_open 1/1\n{said}FAIL ap_open 1.0 2026-08-01 12:00:00.1\n"
    assert endings_of([a_test("ap_open")], output) == {a_test("ap_open"): Ending("FAIL", reason, 1.0)}


def test_a_runner_that_ends_says_no_verdict():
    output = "START ap_open 1/2\nSTART ap_open_counted 2/2\nFAIL ap_open_counted - could not start test\n"
    endings = endings_of([a_test("ap_open"), a_test("ap_open_counted")], output)
    assert list(endings.values()) == [Ending("FAIL", NO_VERDICT), Ending("FAIL", "could not start test")]
    nothing = endings_of([a_test("ap_open")], "Could not connect to /tmp/wpas-wlan0\n")
    assert nothing[a_test("ap_open")].reason == f"{NOT_BEGUN}: Could not connect to /tmp/wpas-wlan0"


def test_known_failures_have_reasons(monkeypatch):
    differences = [
        Difference(["ap_open.*"], "no channels", "radio", when="n_channels"),
        Difference(["psk"], "the air", "air", sometimes=True),
        Difference(["eap"], "a fault", "fault"),
    ]
    monkeypatch.setattr(known, "known_differences", lambda: differences)
    failed, passed = Ending("FAIL", "no n_channels here"), Ending("PASS")
    assert judged(a_test("ap_open"), failed).verdict is Verdict.KNOWN
    assert judged(a_test("ap_open"), passed).verdict is Verdict.PASSED
    assert judged(a_test("ap_open"), Ending("FAIL", "else")).verdict is Verdict.FAILED
    assert judged(a_test("psk", "ap_psk"), failed).known == "the air"
    assert judged(a_test("psk", "ap_psk"), passed).verdict is Verdict.PASSED
    assert judged(a_test("eap", "ap_eap"), passed).verdict is Verdict.PASSED_ALL_THE_SAME
    assert judged(a_test("eap", "ap_eap"), Ending("SKIP", "no")).verdict is Verdict.SKIPPED


def test_the_list_of_known_failures_is_whole():
    for one in known_differences():
        assert one.cause in causes(), one
        assert one.tests, one
        assert not one.reason.endswith("."), one


def test_hostap_is_found_by_any_folder_in_it(hostap):
    assert find_suite(hostap / "tests" / "hwsim").root == find_suite(hostap).root == hostap.resolve()
    with pytest.raises(AirtcpError, match=r"has no tests/hwsim/run-tests\.py"):
        find_suite(hostap.parent)


def test_a_folder_that_guests_have_themselves_is_an_error(hostap, monkeypatch):
    monkeypatch.setattr(suite, "GUESTS_OWN_FOLDERS", (str(hostap.parent.resolve()),))
    with pytest.raises(AirtcpError, match="of its own"):
        find_suite(hostap)


def test_programs_that_are_not_built_are_named(hostap):
    (hostap / "hostapd").mkdir()
    (hostap / "hostapd" / "hostapd").touch(0o755)
    with pytest.raises(
        AirtcpError, match=r"hostapd/hostapd_cli, .*wlantest/wlantest_cli: not built"
    ) as error:
        check_built(Suite(hostap))
    assert "build.sh" in str(error.value)


def test_the_clock_is_that_of_the_certificates(hostap):
    assert Suite(hostap).date_s == 1_767_225_600
    certificate = hostap / "tests" / "hwsim" / "auth_serv" / "server.pem"
    certificate.parent.mkdir()
    certificate.write_text("            Not Before: Apr  6 09:47:58 2026 GMT\n")
    # 30 days after it: 2026-05-06 09:47:58.
    assert Suite(hostap).date_s == 1_778_060_878


def test_a_plan_has_radios_as_the_suite_knows_them(hostap):
    (batch,) = batches_of([a_test("ap_open"), a_test("ap_open_counted")])
    plan = batch_plan(batch, Setting(Suite(hostap), seed=7), dbus=True)
    macs = sorted(nic["mac"] for nic in plan["air"]["nics"])
    assert macs[:2] == ["02:00:00:00:00:00", "02:00:00:00:01:00"]
    assert len(macs) >= 12
    files = {
        file["path"]: file["content"]["text"] for file in plan["files"] if file["content"]["kind"] == "text"
    }
    assert files["hostap-tests"] == "ap_open\nap_open_counted\n"
    assert "tools/lib/airtcp/hostap/guest/usercustomize.py" in files
    assert plan["seed"] == 7
    assert plan["programs"][0]["command"].endswith(f"{hostap}/tests/hwsim /run/scenario/hostap-tests dbus")


def test_radios_of_other_kinds_skip_a_test(monkeypatch):
    class Skip(Exception):
        pass

    monkeypatch.setattr(hwsim_radios, "_skip", Skip)
    monkeypatch.setattr(hwsim_radios.radio_pool, "take", lambda: 7)
    with pytest.raises(Skip, match=r"n_channels=2, use_p2p_device"):
        hwsim_radios.HWSimController().create_radio(n_channels=2, use_p2p_device=True)
    given_back = []
    monkeypatch.setattr(hwsim_radios.radio_pool, "release", given_back.append)
    with hwsim_radios.HWSimRadio(n_channels=1) as radio:
        assert radio == (7, "wlan7")
    assert given_back == ["7"]


def test_junit_has_a_test_case_for_each_test(tmp_path):
    results = [
        judged(a_test("ap_open"), Ending("PASS", "", 0.5)),
        judged(a_test("ap_open_none"), Ending("FAIL", "No \x01 AP", 1.0)),
        judged(a_test("ap_open_skip"), Ending("SKIP", "no radio")),
    ]
    write_junit("hostap", [junit_case(one) for one in results], tmp_path / "junit.xml")
    (found,) = ElementTree.parse(tmp_path / "junit.xml").getroot()
    assert found.attrib == {"name": "ap_open", "tests": "3", "failures": "1", "skipped": "1"}
    assert found[0].attrib == {
        "name": "ap_open",
        "classname": "ap_open",
        "file": "test_ap_open.py",
        "time": "0.500000000",
    }
    assert "AP" in found[1][0].get("message", "")
    assert found[2][0].get("message") == "no radio"


@pytest.fixture
def command(hostap, tmp_path, monkeypatch, fake_tools):  # noqa: ARG001
    """The command with endings that are given, in place of guests."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "150")
    monkeypatch.setattr(known, "known_differences", lambda: [])
    monkeypatch.setattr(suite, "check_built", lambda _: None)
    monkeypatch.setattr(locate, "find_kernel", lambda _: tmp_path)
    monkeypatch.setattr(suite_run, "compiled_modules", lambda _: None)

    def run(rounds, *words):
        left = iter(rounds)

        def ended(self, repetition=1):  # noqa: ARG001
            endings = next(left)
            failed = suite_run.RunFailed("guest", "fell", "", "", [])
            for number, batch in enumerate(self._batches):
                yield number, {one: endings[one.name] for one in batch.tests}, failed

        monkeypatch.setattr(suite_run.SuiteRun, "_run", ended)
        return CliRunner().invoke(app, ["hostap-tests", str(hostap), *words])

    return run


PASSED = {"ap_open": Ending("PASS", "", 0.1), "psk": Ending("PASS", "", 0.2)}
FAILED = {**PASSED, "psk": Ending("FAIL", "No connection", 10.0)}


def test_the_command_shows_failures_and_ends_with_3(command, tmp_path):
    done = command([FAILED], "--junit", "junit.xml", "--json", "new/results.json")
    assert done.exit_code == 3, done.output
    assert re.search(r"ap_psk\.psk +No connection", done.output)
    assert "2 tests: 1 passed, 0 skipped, 0 failed as known, 1 failed" in done.output
    found = json.loads((tmp_path / "new" / "results.json").read_text())
    assert found["totals"]["failed"] == 1
    assert [one["test"] for one in found["tests"]] == ["ap_open", "psk"]
    assert found["left_out"]["ap_psk.psk_oom"] == ["fault-injection"]
    assert (tmp_path / "junit.xml").is_file()


def test_the_command_compares_repetitions(command):
    assert "3 repetitions of 2 tests: all the same" in command([PASSED] * 3, "--repeat", "3").output
    done = command([PASSED, PASSED, FAILED], "--repeat", "3")
    assert done.exit_code == 3
    assert re.search(r"ap_psk\.psk +3 +PASS 0\.2 s +FAIL 10\.0 s No connection", done.output)


def test_the_list_says_what_is_left_out_for_what(command):
    done = command([], "--list")
    assert done.exit_code == 0, done.output
    assert "ap_open.ap_open\nap_psk.psk\n" in done.output
    assert re.search(r"wlantest +2 +1 ", done.output)
    assert "2 tests, 6 left out" in done.output


def test_tests_that_are_all_left_out_are_an_error(command):
    done = command([], "ap_eap", "--list")
    assert done.exit_code != 0
    assert isinstance(done.exception, AirtcpError)
    assert "--with eap,wlantest" in str(done.exception)
