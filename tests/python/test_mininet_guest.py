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
from airtcp.mininet.plan import mininet_plan
from airtcp.mininet.start import Command
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


def told_by(command, place, typed=b"", radios=0, **of_command):
    """What a command writes."""
    return run_of(command, place, typed, radios, **of_command)[0]


def run_of(command, place, typed=b"", radios=0, **of_command):
    """What a command writes, and the run folder."""
    written = {"out": b"", "err": b""}

    def show(end, new):
        written[end] += new

    plan = batch_plan(mininet_plan(radios, seed=1), Command(command, place, **of_command).line(), typed)
    folder = run_batch(plan, find_runner(), prepare_store(place / "runs"), show)
    assert (folder / "programs" / "status").read_text() == "0\n", written
    return (written["out"] + written["err"]).decode(), folder


def test_links_have_their_delay_and_nothing_more(place):
    command = ["mn", "--link", "tc,bw=10,delay=5ms,max_queue_size=20"]
    told = told_by(command, place, b"h1 ping -c 1 h2\nh1 ping -c 3 h2\n")
    # Four links of 5 ms there and back, and eight serialisations of 98 octets at 10 Mbit/s less tbf's burst.
    assert "rtt min/avg/max/mdev = 20." in told


@pytest.mark.parametrize(
    "switch",
    [
        "ovsk",
        pytest.param(
            "lxbr",
            marks=pytest.mark.skipif(not shutil.which("brctl"), reason="bridge-utils is not installed"),
        ),
        "user",
    ],
)
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
    *(["emptynet", "intfoptions"] if shutil.which("iperf") else []),
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


def test_a_radio_that_was_given_back_remembers_nothing(place):
    """Stations of a script's second network would look for their access points where those of the first were."""
    shutil.copy(HERE / "given_back.sh", place)
    told = told_by(["bash", "given_back.sh"], place, radios=2)
    assert re.findall(r"freq: (\d+)", told) == ["2437", "2412"]
    assert re.findall(r"^\d$", told, re.MULTILINE) == ["0", "0"]


def test_a_user_space_switch_does_what_its_rules_say(place):
    shutil.copy(HERE / "user_switch.sh", place)
    told = told_by(["bash", "user_switch.sh"], place)
    assert re.findall(r"(\d) received", told) == ["0", "3"]
    assert "remote.is-connected=true" in told


def received_mbit_s(told):
    """What iperf3 says that receivers got, in order."""
    return [float(rate) for rate in re.findall(r"([\d.]+) Mbits/sec.*receiver", told)]


# A link without bw carries 1 Gbit/s.
@pytest.mark.parametrize(("link", "least", "most"), [("tc,bw=10", 9, 10), ("tc", 500, 1000)])
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


def script(place, text, name="script.py"):
    """A script of Mininet, of which a test writes what matters."""
    head = "from mininet.net import Mininet\nfrom mininet.topo import SingleSwitchTopo\n"
    (place / name).write_text(head + text)
    return ["/usr/bin/python3", name]


def test_hosts_begin_with_the_settings_that_a_script_makes_before(place):
    """As on a machine, whose first namespace gives new ones its congestion control and TCP's buffers."""
    told = told_by(
        script(
            place,
            """
import os
from functools import partial
from mininet.link import TCLink
# Mininet has buffers of its own, which it sets once.
Mininet.init()
print("by Mininet:", open("/proc/sys/net/ipv4/tcp_rmem").read().split())
os.system("modprobe tcp_vegas; sysctl -w net.ipv4.tcp_congestion_control=vegas net.ipv4.tcp_ecn=1")
os.system("sysctl -w net.ipv4.tcp_rmem='4096 100000 200000' net.core.default_qdisc=fq net.ipv4.conf.default.rp_filter=2")
os.system("sysctl -w net.ipv4.tcp_allowed_congestion_control='reno cubic bbr westwood'")
net = Mininet(topo=SingleSwitchTopo(2), link=partial(TCLink, bw=10))
net.start()
h1, h2 = net["h1"], net["h2"]
for key in ("tcp_congestion_control", "tcp_rmem", "tcp_ecn", "conf/h1-eth0/rp_filter"):
    print(key, "is", h1.cmd("cat /proc/sys/net/ipv4/" + key).split(), flush=True)
h2.cmd("iperf3 -s -1 -D; sleep 0.5")
h1.cmd("iperf3 -c 10.0.0.2 -t 2 &")
h1.cmd("sleep 1")
print("in use:", "vegas" in h1.cmd("ss -tin dst 10.0.0.2"))
print(h2.cmd("sysctl -w net.ipv4.tcp_congestion_control=westwood"))
net.stop()
""",
        ),
        place,
    )
    assert "by Mininet: ['10240', '87380', '16777216']" in told
    assert "tcp_congestion_control is ['vegas']" in told
    assert "tcp_rmem is ['4096', '100000', '200000']" in told
    # Linux gives every new namespace 2.
    assert "tcp_ecn is ['2']" in told
    assert "conf/h1-eth0/rp_filter is ['2']" in told
    assert "in use: True" in told
    assert "net.ipv4.tcp_congestion_control = westwood" in told
    assert not re.search("not permitted|Invalid argument|cannot stat", told)


@pytest.mark.parametrize("host", ["cfs,cpu=.4", "rt,cpu=.2"])
def test_hosts_of_limited_processor_time_run_and_the_limit_is_said_to_have_no_effect(place, host):
    told = told_by(["mn", "--host", host, "--test", "pingall"], place)
    assert "0% dropped (2/2 received)" in told
    assert "error" not in told.lower()
    assert told.count("limits of processor time (CPULimitedHost) have no effect") == 1


def test_groups_of_hosts_are_those_of_the_kernel_and_end_with_the_network(place):
    told = told_by(
        script(
            place,
            """
import os
from mininet.node import CPULimitedHost
net = Mininet(topo=SingleSwitchTopo(2), host=CPULimitedHost)
net.start()
net["h1"].setCPUs(cores=[0])
print(net["h1"].popen("cat /proc/self/cgroup").communicate()[0].decode())
print("before:", os.path.isdir("/sys/fs/cgroup/cpu/h1"))
net.stop()
print("after:", [os.path.isdir(f"/sys/fs/cgroup/{name}/h1") for name in ("cpu", "cpuacct", "cpuset")])
""",
        ),
        place,
    )
    assert {":cpu:/h1", ":cpuacct:/h1"} <= set(re.findall(r":\w+:/h1", told))
    assert "before: True" in told
    assert "after: [False, False, False]" in told
    assert "have no effect" not in told


def test_a_script_has_the_environment_of_a_shell_of_root(place):
    told = told_by(
        script(
            place,
            """
import os
print(*(os.environ[name] for name in ("SHELL", "USER", "LOGNAME", "HOME", "LANG")), "TERM" in os.environ)
net = Mininet(topo=SingleSwitchTopo(1))
net.start()
print(net["h1"].popen("echo of a $((1 + 1))nd shell", shell=True).communicate()[0].decode())
net.stop()
""",
        ),
        place,
    )
    assert f"/bin/bash root root {Path.home()} C.UTF-8 True" in told
    assert "of a 2nd shell" in told


def test_traffic_over_links_without_a_rate_ends_and_the_rate_is_said(place):
    typed = b"h2 iperf3 -s -D\nh1 sleep 1\nh1 iperf3 -f m -c h2 -t 2\nh1 iperf3 -f m -c h2 -u -b 100M -t 1\n"
    told = told_by(["mn"], place, typed)
    tcp, udp = received_mbit_s(told)
    # The sender counts what its socket holds, too.
    assert 900 < tcp < 1050
    assert udp == pytest.approx(100, rel=0.02)
    assert told.count("links without bw were full: they carry 1000 Mbit/s") == 1


@pytest.mark.skipif(shutil.which("iperf") is None, reason="iperf is not installed")
def test_mininets_own_iperf_ends_with_the_rates_of_both_ends(place):
    """Mininet 2.3.0 waits for a report of a connection without data, which iperf does not make from 2.1 on."""
    told = told_by(
        script(
            place,
            """
from functools import partial
from mininet.link import TCLink
net = Mininet(topo=SingleSwitchTopo(2), link=partial(TCLink, bw=10))
net.start()
print(net.iperf(seconds=2), net.iperf(l4Type="UDP", udpBw="5M", seconds=2), flush=True)
net.stop()
""",
        ),
        place,
    )
    server, client = (float(rate) for rate in re.findall(r"'([\d.]+) Mbits/sec'", told)[:2])
    assert 9 < server < 10
    assert 9 < client < 14  # what the socket holds counts, too
    assert re.search(r"\['5M', '5\.\d+ Mbits/sec', '5\.\d+ Mbits/sec'\]", told)


def test_a_link_without_a_rate_has_another_if_asked_for_and_is_not_told_of_if_it_was_not_full(place):
    typed = b"h2 iperf3 -s -D\nh1 sleep 1\nh1 iperf3 -f m -c h2 -t 2\n"
    told = told_by(["mn"], place, typed, link_mbit_s=100)
    (tcp,) = received_mbit_s(told)
    assert tcp == pytest.approx(95, rel=0.05)
    assert "links without bw" not in told_by(["mn", "--link", "tc,bw=10", "--test", "pingall"], place)


def test_what_a_script_writes_beside_itself_is_kept(place):
    (place / "results").mkdir()
    (place / "results" / "old.txt").write_text("from before")
    (place / "labs").mkdir()
    script(place / "labs", "from pathlib import Path\n" + WRITES, "lab.py")
    told, folder = run_of(["/usr/bin/python3", "labs/lab.py"], place)
    kept = folder / "programs" / "files"
    files = {str(path.relative_to(kept)): path for path in kept.rglob("*") if path.is_file()}
    assert set(files) == {"results/ping.txt", "labs/beside.txt"}
    assert "3 received" in files["results/ping.txt"].read_text()
    assert "in programs/files of the run folder: labs/beside.txt, results/ping.txt" in told
    assert not (place / "results" / "ping.txt").exists()


WRITES = """
net = Mininet(topo=SingleSwitchTopo(2))
net.start()
net["h1"].cmd("ping -c 3 10.0.0.2 > results/ping.txt")
net.stop()
Path(__file__).with_name("beside.txt").write_text("a result")
Path("results/link").symlink_to("/etc/passwd")
Path("results/old.txt").unlink()
Path("/tmp/elsewhere").write_text("lost")
"""


def test_commands_of_terminals_run_without_a_display(place):
    told, folder = run_of(
        script(
            place,
            """
import time
from mininet.term import makeTerm, makeTerms
net = Mininet(topo=SingleSwitchTopo(2))
net.start()
makeTerms([net["h1"]])
makeTerm(net["h2"], title="server", cmd="bash -c 'iperf3 -s -1'")
time.sleep(1)
makeTerm(net["h1"], cmd="bash -c 'iperf3 -c 10.0.0.2 -n 1M; echo it is over'")
time.sleep(2)
net.stop()
""",
        ),
        place,
    )
    terminals = folder / "programs" / "terminals"
    assert "receiver" in (terminals / "server-h2.txt").read_text()
    assert "it is over" in (terminals / "Node-h1-1.txt").read_text()
    assert "Cannot connect to display" not in told
    assert told.count("what terminals show is in programs/terminals") == 1


def test_tcp_probe_writes_the_lines_that_its_module_wrote(place):
    told = told_by(
        script(
            place,
            """
import os, subprocess, time
os.system("rmmod tcp_probe; modprobe tcp_probe full=1 port=5201")
reader = subprocess.Popen("cat /proc/net/tcpprobe > cwnd.txt", shell=True)
net = Mininet(topo=SingleSwitchTopo(2))
net.start()
net["h2"].cmd("iperf3 -s -1 -D; sleep 0.5")
net["h1"].cmd("iperf3 -c 10.0.0.2 -n 1M")
os.system("killall cat")
print(open("cwnd.txt").read())
net.stop()
""",
        ),
        place,
    )
    line = (
        r"^\d+\.\d{9} 10\.0\.0\.1:\d+ 10\.0\.0\.2:5201 \d+ 0x[0-9a-f]+ 0x[0-9a-f]+ (\d+) \d+ \d+ \d+ \d+\r?$"
    )
    windows = [int(window) for window in re.findall(line, told, re.MULTILINE)]
    assert windows[0] == 10
    assert max(windows) > 10


def test_tc_of_scripts_reaches_radios_and_that_of_mininet_wifi_does_not(place):
    shutil.copy(HERE / "tc_of_radios.sh", place)
    told = told_by(["bash", "tc_of_radios.sh"], place, radios=2)
    assert re.findall(r"^queue (\w+)", told, re.MULTILINE) == ["noqueue", "tbf", "pfifo", "fq_codel"]
    rate = float(re.search(r"([\d.]+) Mbits/sec.*receiver", told)[1])
    assert rate == pytest.approx(3, rel=0.1)
    assert "1 changes of radios by tc were left out" in told


def test_hwsim0_shows_the_frames_of_all_channels(place):
    shutil.copy(HERE / "hwsim0.sh", place)
    told = told_by(["bash", "hwsim0.sh"], place, radios=4)
    for channel in ("2412", "2437"):
        assert re.search(rf"Beacon.*{channel} MHz|{channel} MHz.*Beacon", told), told
    assert "Acknowledgment" in told
    assert "Probe Request" in told
    assert "ICMP echo request" in told


@pytest.mark.parametrize("arguments", ["", "link=None"])
def test_positions_without_a_medium_are_said_to_have_no_effect(place, arguments):
    text = f"net = None  # position='1,0,0' {arguments}\n"
    assert "positions have no effect on the air" in told_by(script(place, text), place, radios=1)
    text += "import subprocess\nopen('/run/airtcp-wmediumd', 'w')\n"
    assert "positions have no effect" not in told_by(script(place, text), place, radios=1)


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


def test_a_script_ends_that_asks_something_and_has_two_prompts(place):
    told = told_by(
        script(
            place,
            """
from mininet.cli import CLI
net = Mininet(topo=SingleSwitchTopo(2))
net.start()
input("Press Enter")
CLI(net)
print("between", flush=True)
CLI(net)
net.stop()
print("over", flush=True)
""",
        ),
        place,
    )
    assert re.search(r"Press Enter.*between.*over", told, re.DOTALL)


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_programs_see_page_faults_as_on_the_machine(place):
    """The guest's kernel tells reads from writes by the address and its permissions, not by the processor."""
    subprocess.run(["cc", "-O1", "-o", place / "faults", HERE / "faults.c"], check=True)
    here = subprocess.run([place / "faults"], cwd=place, capture_output=True, text=True, check=True).stdout
    assert told_by(["./faults"], place).replace("\r", "").startswith(here)
    assert here.count("\n") == 13
