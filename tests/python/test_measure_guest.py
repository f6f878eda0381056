"""`airtcp measure` inside a guest: what it measures there is held against what the guest's kernel recorded itself.

The machines are the nodes of a running network, real kernels with mac80211 and netem at hand, and time is virtual, so
that the comparison is exact whatever else this machine does.
"""

import shutil
import sys
from pathlib import Path

import airtcp
import pytest
from airtcp.data.find_runs import find_runs
from airtcp.data.run_folder import Run, open_run
from airtcp.execution.locate import find_kernel, find_runner
from airtcp.execution.runner import Running, Tools, run_plan
from airtcp.execution.store import prepare_store
from airtcp.fitting.recorded_signal import Link, signal_of
from airtcp.scenario.compile.compiler import compile_file

pytestmark = pytest.mark.guest

NETWORK = """
[wifi.cell]
standard = "11n"
mac = "linux"
access_point = "ap1"
stations = ["sta1"]

[[wire]]
between = ["ap1", "h1"]
rate = "20 Mbit/s"
delay = "5 ms"
queue = "50 packets"

[node.h1]
addresses = {{ eth0 = ["10.0.0.2/24", "fd00::2/64"] }}
"""
TRAFFIC = """
[[flow]]
from = "sta1"
to = "h1"
cca = "cubic"

[[ping]]
from = "sta1"
to = "h1"

[[ping]]
from = "sta1"
to = "h1"
ip = 6
interval = "0.1 s"

[[udp]]
from = "h1"
to = "sta1"
rate = "1 Mbit/s"

[[capture]]
name = "server"
node = "h1"
"""
INSIDE = """
name = "inside"
duration = "6 s"
[sampling]
qdiscs = "10 ms"
"""
OUTSIDE = """
name = "outside"
duration = "60 s"
ends_with = "measure"
guest = {{ flavour = "lab", privileged = true }}
{network}
[sampling]
flows = "1 ms"

[[program]]
name = "measure"
node = "h1"
must_succeed = true
files = ["inside.toml", "lab.toml"]
command = '''
cd "$SCENARIO_DIR"
export AIRTCP_RUNNER={runner} PYTHONPATH={tree}
{python} -m airtcp measure inside.toml --lab lab.toml --store "$RUN_DIR/runs" --json'''
"""
LAB = """
[node.sta1]
netns = "sta1"
address = "10.0.0.1"
interfaces = { wlan0 = "wlan0" }

[node.ap1]
netns = "ap1"
interfaces = { wlan0 = "wlan0", eth0 = "eth0" }

[node.h1]
netns = "h1"
address = "10.0.0.2"
address6 = "fd00::2"
interfaces = { eth0 = "eth0" }
"""


def programs_inside() -> dict[str, object]:
    """What measures inside: programs of this machine, and this tree."""
    tree = Path(airtcp.__file__).resolve().parents[1]
    return {"runner": find_runner().resolve(), "python": sys.executable, "tree": tree}


def run(file: Path, store: Path) -> Run:
    plan = compile_file(file)
    tools = Tools(find_runner(), {plan["kernel"]: find_kernel(plan["kernel"])}, prepare_store(store), False)
    return open_run(run_plan(plan, tools, Running(), lambda _: None).folder)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Run, Run]:
    """The guest's run, what was measured inside it, and a run of the same scenario."""
    folder = tmp_path_factory.mktemp("measure")
    (folder / "inside.toml").write_text(INSIDE + NETWORK.format() + TRAFFIC)
    (folder / "lab.toml").write_text(LAB)
    outside = OUTSIDE.format(network=NETWORK.format(), **programs_inside())
    (folder / "outside.toml").write_text(outside)
    outer = run(folder / "outside.toml", folder / "store")
    (measured,) = find_runs([outer.folder / "programs" / "runs"])
    return outer, open_run(measured), run(folder / "inside.toml", folder / "store")


def goodput_mbps(one: Run, flow: int, from_ns: int, to_ns: int) -> float:
    samples = one.flow_samples(flow)
    part = samples.filter((samples["time_ns"] >= from_ns) & (samples["time_ns"] <= to_ns))
    times, received = part["time_ns"], part["bytes_received"]
    return 8e3 * (received[-1] - received[0]) / (times[-1] - times[0])


def test_samples_of_a_flow_are_those_of_the_kernels_own_probe(runs: tuple[Run, Run, Run]) -> None:
    outer, measured, _ = runs
    own = outer.flow_samples(0)
    found = measured.flow_samples(0)
    # The outer run knows when the connection was made on its own clock.
    shift = outer.flow_reports[0]["connected_ns"] - measured.flow_reports[0]["connected_ns"]
    kernel = dict(zip(own["time_ns"], own.select("bytes_acked", "cwnd", "total_retrans").rows(), strict=True))
    compared = 0
    for time_ns, *values in found.select("time_ns", "bytes_acked", "cwnd", "total_retrans").rows():
        nearest = min(kernel, key=lambda at: abs(at - shift - time_ns))
        if abs(nearest - shift - time_ns) <= 500_000:
            compared += 1
            acked, cwnd, retransmitted = kernel[nearest]
            # Between the two samples segments are acknowledged and sent again, at 20 Mbit/s one in 0.6 ms.
            assert abs(values[0] - acked) <= 4 * 1448
            assert abs(values[1] - cwnd) <= 1
            assert abs(values[2] - retransmitted) <= 2
    assert compared > 50
    assert measured.flow_reports[0]["retransmits"] == outer.flow_reports[0]["retransmits"]


def test_a_measurement_is_as_the_run_of_its_scenario(runs: tuple[Run, Run, Run]) -> None:
    _, measured, virtual = runs
    assert measured.measured
    assert not virtual.measured
    half, end = 3_000_000_000, 6_000_000_000
    ratio = goodput_mbps(measured, 0, half, end) / goodput_mbps(virtual, 0, half, end)
    assert ratio == pytest.approx(1, abs=0.01)
    rtts = [[rtt for rtt in one.ping_samples(0)["rtt_ns"][10:] if rtt >= 0] for one in (measured, virtual)]
    means = [sum(each) / len(each) / 1e6 for each in rtts]
    assert means[0] == pytest.approx(means[1], rel=0.05)
    over_ipv6 = [
        [rtt for rtt in one.ping_samples(1)["rtt_ns"][10:] if rtt >= 0] for one in (measured, virtual)
    ]
    assert [len(each) > 40 for each in over_ipv6] == [True, True]
    means = [sum(each) / len(each) / 1e6 for each in over_ipv6]
    assert means[0] == pytest.approx(means[1], rel=0.05)
    delays = [one.stream_datagrams(0)["delay_ns"].median() / 1e6 for one in (measured, virtual)]
    assert delays[0] == pytest.approx(delays[1], rel=0.05)


def test_radios_and_queues_are_sampled(runs: tuple[Run, Run, Run]) -> None:
    _, measured, virtual = runs
    stations = measured.named("stations").filter(measured.series("stations")["time_ns"] > 2_000_000_000)
    assert set(stations["node_name"]) == {"sta1", "ap1"}
    assert set(stations["peer_name"]) == {"sta1", "ap1"}
    assert set(stations["signal_dbm"]) == {-45}
    assert stations["tx_mode"].str.starts_with("HT-MCS 7").all()
    assert stations["tx_rate_bps"].min() == 65_000_000
    # What a fit takes for a recording of the link, by the dumps of both ends.
    for sender, receiver in (("sta1", "ap1"), ("ap1", "sta1")):
        signal = signal_of(measured.folder, Link(0, sender, receiver))
        assert signal is not None
        assert not signal.turned
        assert set(signal.recording.columns["rssi_dbm"]) == {-45}
    queues = [
        {(q["node"], q["interface"]): q for q in one.agent["qdiscs"] if q["kind"] == "pfifo"}
        for one in (measured, virtual)
    ]
    assert queues[0]["ap1", "eth0"]["drops"] > 0
    assert queues[0].keys() == queues[1].keys()
    for one in (measured, virtual):
        backlog = one.named("qdiscs").filter(one.named("qdiscs")["node_name"] == "ap1")["backlog_packets"]
        # Samples see the full queue, or the moment after a departure.
        assert backlog.max() in (49, 50)


@pytest.mark.skipif(not shutil.which("tcpdump"), reason="tcpdump is not installed")
def test_a_capture_is_taken_with_tcpdump(runs: tuple[Run, Run, Run]) -> None:
    _, measured, _ = runs
    capture = measured.folder / "pcap" / "server.pcap"
    assert capture.stat().st_size > 100_000


def test_a_manifest_tells_of_the_machines_and_names_none(runs: tuple[Run, Run, Run]) -> None:
    _, measured, _ = runs
    machines = measured.manifest["measured"]["machines"]
    assert machines["ap1"]["interfaces"]["wlan0"]["radio"]["type"] == "AP"
    assert machines["h1"]["kernel"].endswith("airtcp-lab")
    assert all(machine["clock"]["shared"] for machine in machines.values())
    # A node's own name and its address.
    assert "10.0.0.2" not in (measured.folder / "manifest.json").read_text()


# Two namespaces in the guest with a veth pair of their own: a discipline of the outer run would be somebody's.
NAMESPACES = """
name = "namespaces"
duration = "60 s"
ends_with = "measure"
guest = {{ flavour = "lab", privileged = true }}
[[wire]]
between = ["h1", "h2"]

[[program]]
name = "measure"
node = "h1"
must_succeed = true
files = ["emulated.toml", "lab.toml"]
command = '''
set -e
cd "$SCENARIO_DIR"
export AIRTCP_RUNNER={runner} PYTHONPATH={tree}
for name in a b; do ip netns add $name; ip -n $name link set lo up; done
ip link add link0 netns a type veth peer name link0 netns b
for end in a:10.9.0.1 b:10.9.0.2; do
    ip -n ${{end%%:*}} address add ${{end#*:}}/24 dev link0
    ip -n ${{end%%:*}} link set link0 up
done
state() {{ for name in a b; do tc -n $name qdisc show; ip netns exec $name ethtool -k link0; done; }}
state > "$RUN_DIR/before"
{python} -m airtcp measure emulated.toml --lab lab.toml --store "$RUN_DIR/runs" --json
state > "$RUN_DIR/after"'''
"""
EMULATED = """
name = "emulated"
duration = "4 s"
[[wire]]
between = ["a", "b"]
rate = "10 Mbit/s"
delay = "7 ms"
queue = "30 packets"
[[flow]]
from = "a"
to = "b"
cca = "reno"
start = "1 s"
[[ping]]
from = "a"
to = "b"
interval = "50 ms"
[[program]]
name = "seen"
node = "a"
command = "tc qdisc show dev link0"
"""


def test_delays_are_set_with_netem_and_taken_back(tmp_path: Path) -> None:
    (tmp_path / "emulated.toml").write_text(EMULATED)
    machine = '[node.{0}]\nnetns = "{0}"\naddress = "10.9.0.{1}"\ninterfaces = {{ eth0 = "link0" }}\nset = ["queues"]\n'
    (tmp_path / "lab.toml").write_text(machine.format("a", 1) + machine.format("b", 2))
    text = NAMESPACES.format(**programs_inside())
    (tmp_path / "namespaces.toml").write_text(text)
    outer = run(tmp_path / "namespaces.toml", tmp_path / "store")
    programs = outer.folder / "programs"
    (folder,) = find_runs([programs / "runs"])
    measured = open_run(folder)
    seen = (measured.folder / "programs" / "seen.out").read_text()
    for stage in (
        "netem 1: root",
        "delay 7ms",
        "tbf 2: parent 1:1",
        "rate 10Mbit",
        "pfifo 3: parent 2:1",
        "limit 30p",
    ):
        assert stage in seen
    pings = measured.ping_samples(0)
    idle = pings.filter((pings["time_ns"] > 200_000_000) & (pings["time_ns"] < 950_000_000))["rtt_ns"]
    # Both directions, and what the guest's programs take.
    assert idle.min() / 1e6 == pytest.approx(14, abs=0.1)
    assert goodput_mbps(measured, 0, 2_000_000_000, 4_000_000_000) == pytest.approx(9.56, rel=0.01)
    # 30 packets of 1514 bytes at 10 Mbit/s take 36 ms.
    assert pings["rtt_ns"].max() / 1e6 == pytest.approx(14 + 36.3, rel=0.05)
    assert {q["kind"] for q in measured.agent["qdiscs"]} == {"netem", "tbf", "pfifo"}
    before, after = ((programs / name).read_text() for name in ("before", "after"))
    assert after == before
    assert "netem" not in before
