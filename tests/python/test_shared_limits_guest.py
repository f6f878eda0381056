"""Real guests: hosts that share a kernel do not share its limits (docs/internals/shared-limits.md)."""

from pathlib import Path

import pytest
from airtcp.data.run_folder import Run, open_run
from airtcp.errors import AirtcpError
from airtcp.execution.limits import Limits
from airtcp.execution.locate import find_kernel, find_runner
from airtcp.execution.runner import Running, Tools, run_plan
from airtcp.execution.store import prepare_store
from airtcp.quantities.flows import flow_control
from airtcp.report.run.warnings import run_warnings
from airtcp.scenario.compile.compiler import compile_file

pytestmark = pytest.mark.guest

# Senders fill a path of 30 MB, and as much is in their queues; TCP of a machine of 512 MiB saves memory from 23 MB on.
MANY_BYTES = """
name = "many-bytes"
duration = "10 s"
memory_mib = {memory_mib}
{more}
[[wire]]
between = ["h1", "r1"]
[[wire]]
between = ["r1", "h2"]
rate = "800 Mbit/s"
delay = "150 ms"
queue = "10000 packets"
[node.r1]
kind = "router"
"""
BBR = '[[flow]]\nfrom = "h1"\nto = "h2"\ncca = "bbr"\n'
NEIGHBOURS = """
name = "neighbours"
duration = "2 s"
{more}
[[wire]]
between = ["h1", "h2"]
[[wire]]
between = ["h3", "h4"]
[[ping]]
from = "h1"
to = "h2"
ip = 6
[[ping]]
from = "h3"
to = "h4"
ip = 6
"""
# A datagram to each of so many neighbours that nobody is.
SCAN = """
import resource, socket, sys
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
network = sys.argv[1].rpartition("::")[0]
refused, waiting = 0, []
for number in range(700):
    # What waits for a neighbour fills the buffer of its socket.
    sender = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    waiting.append(sender)
    try:
        sender.sendto(b"x", (f"{network}::1:{number:x}", 9))
    except OSError:
        refused += 1
print(refused)
"""
# Closes connections whose peers read nothing, so that their data stays with nobody.
ORPHANS = """
import resource, socket, time
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2304)
listener.bind(("127.0.0.1", 7))
listener.listen(4096)
kept = []
for _ in range(1500):
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4608)
    one.connect(("127.0.0.1", 7))
    kept.append(listener.accept()[0])
    one.setblocking(False)
    try:
        while True:
            one.send(bytes(4096))
    except BlockingIOError:
        pass
    one.close()
    if len(kept) % 100 == 0:
        time.sleep(0.01)
time.sleep(0.3)
counters = open("/proc/net/netstat").read().splitlines()
names, values = counters[0].split(), counters[1].split()
orphans = int(open("/proc/net/sockstat").read().split("orphan ")[1].split()[0])
print(values[names.index("TCPAbortOnMemory")], orphans)
"""


def computed(tmp_path: Path, text: str) -> Run:
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(text)
    plan = compile_file(scenario)
    store = prepare_store(tmp_path / "runs")
    kernels = {plan["kernel"]: find_kernel(plan["kernel"])}
    # To find all memory used takes a busy machine its time.
    tools = Tools(find_runner(), kernels, store, limits=Limits(stall_s=300))
    return open_run(run_plan(plan, tools, Running(), report=lambda _: None).folder)


def output(run: Run, program: str) -> str:
    return (run.folder / "programs" / f"{program}.out").read_text()


def program(name: str, node: str, command: str) -> str:
    return f'[[program]]\nname = "{name}"\nnode = "{node}"\ncommand = "{command}"\n'


def test_the_memory_of_the_guest_is_no_property_of_hosts(tmp_path: Path) -> None:
    runs = [
        computed(tmp_path, MANY_BYTES.format(memory_mib=memory_mib, more="") + 8 * BBR)
        for memory_mib in (512, 2048)
    ]
    received = [sum(flow["bytes_received"] for flow in run.agent["flows"]) for run in runs]
    # The phases of BBR are drawn, and differ. Shortage of memory took a tenth.
    assert received[0] == pytest.approx(received[1], rel=0.01)
    assert [run.agent["limits"] for run in runs] == [[], []]
    for flow in range(8):
        assert flow_control(runs[0], flow).shares["receiver's window"] < 0.01


def test_memory_that_a_scenario_limits_is_named(tmp_path: Path) -> None:
    """As that of small machines would be."""
    more = '[sysctl]\n"net.ipv4.tcp_mem" = "3000 3200 11800"'
    run = computed(tmp_path, MANY_BYTES.format(memory_mib=512, more=more) + 8 * BBR)
    met = {(limit["node"], limit["counter"]) for limit in run.agent["limits"]}
    assert met <= {("h1", "TcpExtTCPMemoryPressures"), ("h2", "TcpExtTCPMemoryPressures")}
    assert met
    assert any("short of memory for TCP" in warning for warning in run_warnings(run))
    reasons = [reason for flow in range(8) for reason in flow_control(run, flow).reasons]
    assert any(reason.startswith("shortage of memory for TCP") for reason in reasons)
    assert not any("receiver's window" in reason for reason in reasons)


@pytest.mark.parametrize("limit", [None, 1024])
def test_every_host_has_neighbours_of_its_own(tmp_path: Path, limit: int | None) -> None:
    """1024 are those of one host, which two with 700 each do not share."""
    (tmp_path / "scan.py").write_text(SCAN)
    more = "" if limit is None else f'[sysctl]\n"net.ipv6.neigh.default.gc_thresh3" = {limit}\n'
    command = "python3 $SCENARIO_DIR/scan.py $(ip -6 -o addr show dev eth0 scope global | awk '{{print $4}}')"
    command = command.replace("{{", "{").replace("}}", "}")
    files = 'files = ["scan.py"]\nstart = "200 ms"\n'
    text = NEIGHBOURS.format(more=more)
    text += "".join(program(node, node, command) + files for node in ("h1", "h3"))
    run = computed(tmp_path, text)
    refused = sum(int(output(run, node)) for node in ("h1", "h3"))
    if limit is None:
        assert refused == 0
        assert run.agent["limits"] == []
        return
    assert refused > 300
    assert [(met["node"], met["counter"]) for met in run.agent["limits"]] == [
        (None, "ndisc_cache table_fulls")
    ]
    assert any("had no room for neighbours" in warning for warning in run_warnings(run))


def test_every_host_has_sockets_without_a_process_of_its_own(tmp_path: Path) -> None:
    """2048 are those of a machine of 512 MiB, and one of 8 GiB has 32768."""
    (tmp_path / "orphans.py").write_text(ORPHANS)
    text = 'name = "orphans"\nduration = "3 s"\n[[wire]]\nbetween = ["h1", "h2"]\n'
    files = 'files = ["orphans.py"]\n'
    text += "".join(program(node, node, "python3 $SCENARIO_DIR/orphans.py") + files for node in ("h1", "h2"))
    run = computed(tmp_path, text)
    told = [output(run, node).split() for node in ("h1", "h2")]
    assert [aborted for aborted, _ in told] == ["0", "0"]
    # The kernel counts those of all namespaces.
    assert max(int(orphans) for _, orphans in told) > 2048
    assert run.agent["limits"] == []


def test_limits_by_memory_are_those_of_a_host_with_eight_gigabytes(tmp_path: Path) -> None:
    settings = " ".join(
        f"/proc/sys/{name}"
        for name in (
            "net/ipv4/tcp_max_tw_buckets",
            "net/ipv4/tcp_max_syn_backlog",
            "user/max_user_namespaces",
            "fs/inotify/max_user_instances",
        )
    )
    text = 'name = "settings"\nduration = "1 s"\n[[wire]]\nbetween = ["h1", "h2"]\n'
    run = computed(tmp_path, text + program("settings", "h1", f"cat {settings}"))
    # Of two hosts, where all nodes share them.
    assert output(run, "settings").split() == ["32768", "512", "65536", "256"]


def test_a_full_memory_ends_the_run_with_its_key(tmp_path: Path) -> None:
    """A queue of a million packets takes more than the guest has, and nothing but packets takes any."""
    text = MANY_BYTES.format(memory_mib=256, more="").replace("800 Mbit/s", "1 Mbit/s")
    text = text.replace("10000 packets", "1000000 packets")
    text += '[[udp]]\nfrom = "h1"\nto = "h2"\nrate = "1 Gbit/s"\n'
    with pytest.raises(AirtcpError, match="the guest's memory of 256 MiB is full") as failed:
        computed(tmp_path, text)
    assert failed.value.place.endswith("memory_mib")
    assert "raise memory_mib" in failed.value.remedy.lower() or "Raise memory_mib" in failed.value.remedy


def test_a_program_that_takes_all_memory_ends_the_run(tmp_path: Path) -> None:
    """The kernel kills nothing in order to go on: the result would lack what it killed."""
    text = 'name = "full"\nduration = "2 s"\nmemory_mib = 256\n[[wire]]\nbetween = ["h1", "h2"]\n'
    # Of its own it has few pages, which the kernel would drop and read again and again before it gives up.
    command = "head -c 400M /dev/zero | tail"
    with pytest.raises(AirtcpError, match="the guest's memory of 256 MiB is full"):
        computed(tmp_path, text + program("hungry", "h1", command))
