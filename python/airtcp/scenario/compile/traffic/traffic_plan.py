"""Flows, datagrams, pings and programs of a scenario, as the plan has them."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from airtcp.plans.types.plan import (
    PlanDatagramStream,
    PlanFlow,
    PlanPing,
    PlanProgram,
    PlanSpacing,
)
from airtcp.scenario.compile.network.addressing import Addresses
from airtcp.scenario.compile.network.endpoints import Pair, pairs, pairs_of_kinds
from airtcp.scenario.compile.network.names import unique_names
from airtcp.scenario.compile.network.topology import Topology
from airtcp.scenario.compile.traffic.run_times import check_start, check_stop, stop_of
from airtcp.scenario.compile.traffic.workload_plan import compile_workload, is_asked_for
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.model import Scenario
from airtcp.scenario.keys.traffic import StreamSettings, UdpSettings, VoipSettings
from airtcp.scenario.keys.workload import FlowSettings, TcpSettings

# Minutes of computing, and more than any statistics of round trips needs.
REQUESTS_MOST = 1_000_000
FIRST_PORT = 5001  # iperf's, for those who look at a capture
# Of 20 ms each, the default of RFC 3551 (4.2).
PACKETS_PER_S = 50
# Octets of 20 ms of speech: 64 kbit/s (ITU-T G.711), two frames of 10 octets for 10 ms each (ITU-T G.729).
CODEC_OCTETS = {"G.711": 160, "G.729": 20}
RTP_HEADER_BYTES = 12  # RFC 3550, 5.1, without contributing sources


def tcp_pairs(scenario: Scenario, topology: Topology) -> list[Pair[TcpSettings]]:
    """Every TCP connection, in the order of the plan's flows."""
    kinds: dict[str, Sequence[TcpSettings]] = {
        "flow": scenario.flow,
        "request": scenario.request,
        "web": scenario.web,
        "video": scenario.video,
    }
    return pairs_of_kinds(kinds, topology)


def datagram_pairs(scenario: Scenario, topology: Topology) -> list[Pair[StreamSettings]]:
    """Every stream of datagrams, in the order of the plan's streams; a call has two."""
    kinds: dict[str, Sequence[StreamSettings]] = {"udp": scenario.udp, "voip": scenario.voip}
    streams = []
    for pair in pairs_of_kinds(kinds, topology):
        streams.append(pair)
        if isinstance(pair.entry, VoipSettings):
            streams.append(Pair(pair.key, f"{pair.name}-reverse", pair.to, pair.from_, pair.entry))
    unique_names((f"{stream.key}.name", stream.name, stream.name) for stream in streams)
    return streams


def traffic_ends(scenario: Scenario, topology: Topology) -> list[str]:
    """Every node at which traffic begins or ends; unknown ones are errors."""
    ends = [(pair.from_, pair.to) for pair in tcp_pairs(scenario, topology)]
    ends += [(pair.from_, pair.to) for pair in datagram_pairs(scenario, topology)]
    ends += [(pair.from_, pair.to) for pair in pairs("ping", scenario.ping, topology)]
    return [end for both in ends for end in both]


def compile_flows(scenario: Scenario, topology: Topology, addresses: Addresses) -> list[PlanFlow]:
    """The plan's flows."""
    between = tcp_pairs(scenario, topology)
    # Who gets the data listens for it, or asks for it.
    ends = [(pair.from_, pair.to) if is_asked_for(pair.entry) else (pair.to, pair.from_) for pair in between]
    ports = _ports(
        [(pair.key, listening, pair.entry.port) for pair, (listening, _) in zip(between, ends, strict=True)]
    )
    flows: list[PlanFlow] = []
    for pair, (listening, connecting), port in zip(between, ends, ports, strict=True):
        entry, key = pair.entry, pair.key
        check_start(scenario.duration, entry.start, f"{key}.start")
        flows.append(
            {
                "name": pair.name,
                "from": pair.from_,
                "to": pair.to,
                "address": addresses.reach(connecting, listening, key, entry.ip),
                "port": port,
                "congestion_control": entry.cca,
                "start_ns": entry.start,
                "stop_ns": stop_of(scenario.duration, key, entry.start, entry.stop, entry.duration),
                "pacing_bps": entry.pacing,
                "low_water_bytes": entry.low_water if isinstance(entry, FlowSettings) else None,
                "dscp": entry.dscp or 0,
                "workload": compile_workload(entry, key),
            }
        )
    return flows


def _ports(asked: Sequence[tuple[str, str, int | None]]) -> list[int]:
    """Of each key, listening node and own port the port: the own one, or the first free one."""
    taken = {(node, port) for _, node, port in asked if port is not None}
    given: set[tuple[str, int]] = set()
    ports: list[int] = []
    for number, (key, node, own) in enumerate(asked):
        if own is not None and (node, own) in given:
            raise ScenarioError(
                f"{key}.port", f"{own} is already used in {node}", "Choose another, or leave it out"
            )
        port = own or next(p for p in range(FIRST_PORT + number, 65536) if (node, p) not in taken)
        taken.add((node, port))
        given.add((node, port))
        ports.append(port)
    return ports


def compile_datagrams(
    scenario: Scenario, topology: Topology, addresses: Addresses
) -> list[PlanDatagramStream]:
    """The plan's streams of datagrams."""
    between = datagram_pairs(scenario, topology)
    ports = _ports([(pair.key, pair.to, pair.entry.port) for pair in between])
    streams: list[PlanDatagramStream] = []
    for pair, port in zip(between, ports, strict=True):
        entry, key = pair.entry, pair.key
        check_start(scenario.duration, entry.start, f"{key}.start")
        stop_ns = stop_of(scenario.duration, key, entry.start, entry.stop, entry.duration)
        sent = _sent(entry, key)
        streams.append(
            {
                "name": pair.name,
                "from": pair.from_,
                "to": pair.to,
                "address": addresses.reach(pair.from_, pair.to, key, entry.ip),
                "port": port,
                "payload_bytes": sent.payload_bytes,
                "rate_bps": sent.rate_bps,
                "spacing": sent.spacing,
                "phase": sent.phase,
                "dscp": entry.dscp or 0,
                "start_ns": entry.start,
                "stop_ns": min(stop_ns, scenario.duration),
            }
        )
    return streams


@dataclass(frozen=True)
class _Sent:
    """What a stream sends and when, as the plan has it."""

    payload_bytes: int
    rate_bps: int
    spacing: PlanSpacing
    phase: str


def _sent(entry: StreamSettings, key: str) -> _Sent:
    if isinstance(entry, VoipSettings):
        return _of_call(entry, key)
    assert isinstance(entry, UdpSettings)
    return _Sent(entry.payload, entry.rate, {"kind": entry.pace}, _phase(entry, key))


def _of_call(call: VoipSettings, key: str) -> _Sent:
    payload_bytes = RTP_HEADER_BYTES + CODEC_OCTETS[call.codec]
    rate_bps = payload_bytes * 8 * PACKETS_PER_S
    if not call.pause:
        return _Sent(payload_bytes, rate_bps, {"kind": "constant"}, "random")
    for name, length_ns in (("talk", call.talk), ("pause", call.pause)):
        if length_ns * PACKETS_PER_S < 1_000_000_000:
            raise ScenarioError(
                f"{key}.{name}", "is shorter than a packet of 20 ms", 'Write for example "1 s"'
            )
    spacing = {"kind": "talk_spurts", "talk_ns": call.talk, "pause_ns": call.pause}
    return _Sent(payload_bytes, rate_bps, spacing, "random")


def _phase(udp: UdpSettings, key: str) -> str:
    if udp.pace == "poisson":
        if udp.phase is not None:
            what = "is given, and a Poisson process has none"
            raise ScenarioError(f"{key}.phase", what, "Leave it out")
        return "none"
    return udp.phase or "random"


def compile_pings(scenario: Scenario, topology: Topology, addresses: Addresses) -> list[PlanPing]:
    """The plan's pings."""
    pings: list[PlanPing] = []
    for pair in pairs("ping", scenario.ping, topology):
        ping, key = pair.entry, pair.key
        stop = scenario.duration if ping.stop is None else min(ping.stop, scenario.duration)
        check_start(scenario.duration, ping.start, f"{key}.start")
        check_stop(ping.start, stop, f"{key}.stop")
        if (requests := (stop - ping.start) // ping.interval) > REQUESTS_MOST:
            what = f"would send {requests} requests, each an event of its own; {REQUESTS_MOST} are possible"
            raise ScenarioError(f"{key}.interval", what, 'Choose a longer one, such as "10 ms"')
        pings.append(
            {
                "name": pair.name,
                "from": pair.from_,
                "to": pair.to,
                "to_address": addresses.reach(pair.from_, pair.to, key, ping.ip),
                "start_ns": ping.start,
                "stop_ns": stop,
                "interval_ns": ping.interval,
                "phase": ping.phase,
                "payload_bytes": ping.payload,
                "dscp": ping.dscp or 0,
            }
        )
    return pings


def _with_log_folder(name: str, command: str) -> str:
    """A command that finds where to write logs of QUIC; results know the program by the folder."""
    return f'export QLOGDIR="$RUN_DIR"/qlog/{shlex.quote(name)}; mkdir -p "$QLOGDIR"\n{command}'


def compile_programs(scenario: Scenario, topology: Topology) -> list[PlanProgram]:
    """The plan's programs."""
    names = unique_names(
        (f"program[{number}].name", program.name, f"program{number + 1}")
        for number, program in enumerate(scenario.program)
    )
    programs: list[PlanProgram] = []
    for number, program in enumerate(scenario.program):
        key = f"program[{number}]"
        topology.node(program.node, f"{key}.node")
        check_start(scenario.duration, program.start, f"{key}.start")
        if program.stop is not None:
            check_stop(program.start, program.stop, f"{key}.stop")
        command = program.command
        programs.append(
            {
                "name": names[number],
                "node": program.node,
                "command": _with_log_folder(names[number], command) if program.qlog else command,
                "start_ns": program.start,
                "stop_ns": program.stop,
                "must_succeed": program.must_succeed,
            }
        )
    return programs
