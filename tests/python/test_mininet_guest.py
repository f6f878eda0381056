"""Mininet as it is, in lab guests: its prompt, its switches and its links."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pexpect
import polars as pl
import pytest
from airtcp.data.run_folder import open_run
from airtcp.execution.locate import find_kernel, find_runner
from airtcp.execution.runner import Running, Tools, run_plan
from airtcp.execution.store import prepare_store
from airtcp.mininet.batch import batch_plan, run_batch
from airtcp.mininet.plan import mininet_plan, start_line
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.reading.scenario_file import scenario_from_tables

pytestmark = [
    pytest.mark.guest,
    pytest.mark.skipif(shutil.which("mn") is None, reason="mininet is not installed"),
]

HERE = Path(__file__).parent / "mininet"
DEBIANS_TESTS = Path("/usr/share/doc/mininet/examples/test")
SECONDS = 30


def debians_python_has(module: str) -> bool:
    """Whether the Python that Debian's tests run with can import a module: the environment of these tests is another one."""
    command = ["/usr/bin/python3", "-c", f"import {module}"]
    return subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode == 0


@pytest.fixture
def place():
    """A folder that the guest sees; in `/tmp` it has its own files."""
    with tempfile.TemporaryDirectory(dir=Path.home(), prefix=".airtcp-mininet-") as folder:
        yield Path(folder)


def told_by(command, place, typed=b"", radios=0):
    """What a command writes."""
    written = {"out": b"", "err": b""}

    def show(end, new):
        written[end] += new

    plan = batch_plan(mininet_plan(radios, seed=1), start_line(command, place, []), typed)
    folder = run_batch(plan, find_runner(), prepare_store(place / "runs"), show)
    assert (folder / "programs" / "status").read_text() == "0\n", written
    return (written["out"] + written["err"]).decode()


def test_links_have_their_delay_and_nothing_more(place):
    command = ["mn", "--link", "tc,bw=10,delay=5ms,max_queue_size=20"]
    told = told_by(command, place, b"h1 ping -c 1 h2\nh1 ping -c 3 h2\n")
    # Four links of 5 ms there and back, and eight serialisations of 98 octets at 10 Mbit/s less tbf's burst.
    assert "rtt min/avg/max/mdev = 20." in told


@pytest.mark.parametrize("switch", ["ovsk", "lxbr", "user"])
def test_all_hosts_reach_each_other(place, switch):
    told = told_by(["mn", "--switch", switch, "--topo", "tree,2", "--test", "pingall"], place)
    assert "0% dropped (12/12 received)" in told


# Each shows another part of Mininet: addresses of controllers, routers, several links, pipes of hosts, a network without a
# CLI, NAT, numbers of ports, processes, private folders, VLANs. docs/how-to/mininet.md says why others do not run.
EXAMPLES = (
    "controllers",
    "linuxrouter",
    "multilink",
    "multipoll",
    "multitest",
    "natnet",
    "numberedports",
    "popen",
    "bind",
    *(["vlanhost"] if shutil.which("vconfig") else []),
    *(["baresshd", "sshd"] if Path("/usr/sbin/sshd").is_file() else []),
)


# Tests of those that are skipped in a guest, with the cause: none.
SKIPPED: dict[str, str] = {}


@pytest.mark.skipif(not DEBIANS_TESTS.is_dir(), reason="Debian's tests of mininet are not installed")
@pytest.mark.skipif(not debians_python_has("pexpect"), reason="python3-pexpect is not installed")
def test_debians_tests_of_the_examples_pass(place):
    shutil.copy(HERE / "examples.py", place)
    told = told_by(["/usr/bin/python3", "examples.py", *(f"test_{name}" for name in EXAMPLES)], place)
    outcomes = dict(re.findall(r"^outcome (\S+): (.+?)\r?$", told, re.MULTILINE))
    passed = {test for test, outcome in outcomes.items() if outcome == "passed"}
    assert outcomes.keys() - passed == SKIPPED.keys(), outcomes
    assert {test.partition(".")[0] for test in passed} == {f"test_{name}" for name in EXAMPLES}


def test_somebody_types_at_the_prompt_of_a_terminal(place):
    saved = place / "session.json"
    command = ["-m", "airtcp", "mininet", "--pace", "20", "--save", str(saved), "--", "mn"]
    prompt = pexpect.spawn(sys.executable, command, cwd=place, env=os.environ | {"TERM": "dumb"}, timeout=60)
    prompt.expect("mininet> ")
    prompt.sendline("h1 ping -c 1 h2")
    prompt.expect("1 received")
    prompt.expect("mininet> ")
    prompt.sendline("exit")
    prompt.expect(pexpect.EOF)
    prompt.close()
    assert prompt.exitstatus == 0
    assert saved.read_text().count('"kind": "write"') >= 2


def test_a_shell_script_has_radios_and_both_outputs_in_order(place):
    """Its outputs are one file: what it writes to them must not be shown one after the other."""
    script = (
        "# Starts a script that imports mn_wifi.\nfor i in 1 2 3; do echo out $i; echo err $i >&2; done\n"
    )
    (place / "start.sh").write_text(script + "iw phy | grep -c Wiphy\n")
    command = [sys.executable, "-m", "airtcp", "mininet", "--", "sh", "start.sh"]
    done = subprocess.run(
        command, cwd=place, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    order = ["out 1", "err 1", "out 2", "err 2", "out 3", "err 3", "32"]
    assert done.stdout.decode().splitlines()[: len(order)] == order


def test_a_script_that_finds_no_radios_is_told_how_to_have_some(place):
    told = told_by(["sh", "-c", "modprobe mac80211_hwsim radios=2 || true"], place)
    assert "this guest has no radios; ask for them: airtcp mininet --radios N" in told


def test_radios_and_the_medium_of_mininet_wifi_are_those_of_the_air(place):
    shutil.copy(HERE / "radios.sh", place)
    told = told_by(["bash", "radios.sh"], place, radios=2)
    # 14 dBm + 10 dBi - 40.1 dB - 30 log10(20 m).
    assert "signal:  \t-55 dBm" in told
    assert "ESTAB" in told
    # Near, far, and without a medium.
    assert re.findall(r"(\d) received", told) == ["5", "0", "3"]
    assert "1 changes of radios by tc were left out" in told


def test_a_user_space_switch_does_what_its_rules_say(place):
    shutil.copy(HERE / "user_switch.sh", place)
    told = told_by(["bash", "user_switch.sh"], place)
    assert re.findall(r"(\d) received", told) == ["0", "3"]
    assert "remote.is-connected=true" in told


def received_mbit_s(told):
    """What iperf3 says that receivers got, in order."""
    return [float(rate) for rate in re.findall(r"([\d.]+) Mbits/sec.*receiver", told)]


@pytest.mark.parametrize(("link", "least", "most"), [("tc,bw=10", 9, 10), ("tc", 1000, 1e6)])
def test_a_user_space_switch_carries_what_its_links_do(place, link, least, most):
    typed = b"h2 iperf3 -s -D\nh1 sleep 1\nh1 iperf3 -f m -c h2 -n 8M\nh1 iperf3 -f m -c h2 -n 1M -u -b 8M\n"
    tcp, udp = received_mbit_s(told_by(["mn", "--switch", "user", "--link", link], place, typed))
    assert least <= tcp <= most
    assert udp == pytest.approx(8, rel=0.1)


@pytest.mark.skipif(shutil.which("iwpan") is None, reason="wpan-tools is not installed")
def test_sensors_reach_those_that_they_have_links_to(place):
    shutil.copy(HERE / "sensors.sh", place)
    told = told_by(["bash", "sensors.sh"], place)
    assert re.findall(r"(\d) received", told) == ["2", "0"]
    assert "mac802154_hwsim" in told


def test_radios_leave_networks_and_talk_as_vehicles_do(place):
    shutil.copy(HERE / "vehicles.sh", place)
    told = told_by(["bash", "vehicles.sh"], place, radios=2)
    assert "type outside context of a BSS" in told
    assert "3 received" in told


def scenario_rtt_ms(queue, place):
    """Mean RTT of the same network as a scenario."""
    tables = {
        "name": "bufferbloat",
        "duration": f"{SECONDS} s",
        "wire": [
            {"between": ["h1", "s0"], "delay": "10 ms"},
            {"between": ["s0", "h2"], "rate": "10 Mbit/s", "queue": f"{queue} packets"},
        ],
        "node": {"s0": {"kind": "switch"}},
        "flow": [{"from": "h1", "to": "h2", "cca": "cubic"}],
        "ping": [{"from": "h1", "to": "h2", "interval": "100 ms"}],
        "program": [
            {"node": "h1", "command": "head -c 100000 /dev/zero >page; exec python3 -m http.server 80"},
            {"node": "h2", "command": "for i in 1 2 3; do curl -s -o /dev/null $H1/page; done"},
        ],
    }
    plan = compile_scenario(scenario_from_tables(tables))
    address = plan["nodes"][0]["interfaces"][0]["addresses"][0].partition("/")[0]
    plan["programs"][1]["command"] = plan["programs"][1]["command"].replace("$H1", address)
    tools = Tools(find_runner(), {plan["kernel"]: find_kernel(plan["kernel"])}, prepare_store(place / "runs"))
    run = open_run(run_plan(plan, tools, Running(), lambda _: None).folder)
    return run.pings.filter(pl.col("rtt_ns") > 0)["rtt_ns"].mean() / 1e6


@pytest.mark.parametrize("queue", [20, 100])
def test_the_same_network_in_mininet_and_as_a_scenario_has_the_same_delay(place, queue):
    shutil.copy(HERE / "bufferbloat.py", place)
    told = told_by(["/usr/bin/python3", "bufferbloat.py", str(queue), str(SECONDS)], place)
    mean_ms = float(re.search(r"= [\d.]+/([\d.]+)/", told)[1])
    assert mean_ms == pytest.approx(scenario_rtt_ms(queue, place), rel=0.02)
