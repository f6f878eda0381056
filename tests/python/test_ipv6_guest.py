"""Traffic over IPv6 in real guests: through a cell, a router and wires, beside the same over IPv4."""

from pathlib import Path

import pytest
from airtcp.data.run_folder import Run, open_run
from airtcp.execution.locate import find_kernel, find_runner
from airtcp.execution.runner import Running, Tools, run_plan
from airtcp.execution.store import prepare_store
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.reading.scenario_file import scenario_from_tables
from airtcp.scenario.reading.toml_file import parse_toml

pytestmark = pytest.mark.guest

NETWORK = """
name = "versions"
duration = "8 s"

[wifi.home]
stations = ["sta1"]

[[wire]]
between = ["ap1", "r1"]

[[wire]]
between = ["r1", "h1"]
rate = "10 Mbit/s"
delay = "5 ms"
queue = "50 packets"

[node.r1]
kind = "router"
"""
TRAFFIC = """
[[flow]]
from = "sta1"
to = "h1"
ip = {ip}
dscp = "AF41"

[[request]]
from = "h1"
to = "sta1"
response = "20 kB"
ip = {ip}

[[udp]]
from = "h1"
to = "sta1"
rate = "100 kbit/s"
payload = 200
ip = {ip}

[[ping]]
from = "sta1"
to = "h1"
ip = {ip}
"""
PROGRAM = """
[[program]]
node = "sta1"
command = "getent ahosts h1; ping -6 -c 2 -i 0.2 h1; ping -4 -c 2 -i 0.2 h1; cat /proc/net/if_inet6"
"""


def run(store: Path, text: str) -> Run:
    plan = compile_scenario(scenario_from_tables(parse_toml(text)))
    tools = Tools(find_runner(), {plan["kernel"]: find_kernel(plan["kernel"])}, prepare_store(store), False)
    return open_run(run_plan(plan, tools, Running(), lambda _: None).folder)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Run]:
    """The same over IPv4 and over IPv6."""
    store = tmp_path_factory.mktemp("versions")
    of_ip = [run(store, NETWORK + TRAFFIC.format(ip=ip)) for ip in (4, 6)]
    return of_ip[0], of_ip[1]


def goodput_mbps(one: Run) -> float:
    late = one.flow_samples(0).filter(one.flow_samples(0)["time_ns"] >= 4_000_000_000)
    times, received = late["time_ns"], late["bytes_received"]
    return 8e3 * (received[-1] - received[0]) / (times[-1] - times[0])


def test_a_flow_has_the_same_packets_with_shorter_payload(runs: tuple[Run, Run]) -> None:
    sizes = [one.flow_samples(0)["snd_mss"][-1] for one in runs]
    # Of 1500 bytes: 20 of IPv4 or 40 of IPv6, 20 of TCP, 12 of its timestamps.
    assert sizes == [1448, 1428]
    assert goodput_mbps(runs[1]) / goodput_mbps(runs[0]) == pytest.approx(1428 / 1448, rel=0.02)
    assert runs[1].agent["warnings"] == []


def test_pings_and_datagrams_arrive_as_over_ipv4(runs: tuple[Run, Run]) -> None:
    for one in runs:
        rtts = one.ping_samples(0)["rtt_ns"]
        # The first waits for ARP or neighbour discovery; the queue is full at times.
        assert (rtts >= 0).sum() >= rtts.len() - 4
        assert rtts.filter(rtts >= 0).min() > 10_000_000
        assert one.agent["datagrams"][0]["received"] == one.agent["datagrams"][0]["sent"] > 400
        assert one.transfers_of(1).height > 50
    means = [one.ping_samples(0).filter(one.ping_samples(0)["rtt_ns"] >= 0)["rtt_ns"].mean() for one in runs]
    assert means[1] == pytest.approx(means[0], rel=0.1)


def test_ipv6_repeats_to_the_byte(runs: tuple[Run, Run], tmp_path: Path) -> None:
    again = run(tmp_path, NETWORK + TRAFFIC.format(ip=6))
    assert again.manifest["frame_hash"] == runs[1].manifest["frame_hash"]
    assert again.manifest["frame_hash"] != runs[0].manifest["frame_hash"]


def test_programs_find_both_addresses_of_a_name(tmp_path: Path) -> None:
    given = '[node.h1]\naddresses = { eth0 = ["192.0.2.2/24", "2001:db8::2/64"] }\n'
    one = run(tmp_path, NETWORK + given + PROGRAM)
    said = (one.folder / "programs" / "program1.out").read_text()
    assert "2001:db8::2" in said
    assert "192.0.2.2" in said
    assert said.count("0% packet loss") == 2
    # No address waits for the detection of duplicates (IFA_F_TENTATIVE, 0x40).
    flags = {line.split()[4] for line in said.splitlines() if line.endswith("wlan0")}
    assert flags <= {"80", "82"}
