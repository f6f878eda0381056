"""Flows, pings and programs of a scenario, as the plan has them."""

from airtcp.scenario.addressing import Addresses
from airtcp.scenario.ends import pairs
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.model import Scenario
from airtcp.scenario.names import unique_names
from airtcp.scenario.plan import PlanFlow, PlanFlowEnd, PlanPing, PlanProgram
from airtcp.scenario.span import check_start, check_stop
from airtcp.scenario.topology import Topology
from airtcp.scenario.traffic import FlowSettings

FIRST_PORT = 5001  # iperf's, for those who look at a capture


def traffic_ends(scenario: Scenario, topology: Topology) -> list[str]:
    """Every node at which traffic begins or ends; unknown ones are errors."""
    ends = [(pair.from_, pair.to) for pair in pairs("flow", scenario.flow, topology)]
    ends += [(pair.from_, pair.to) for pair in pairs("ping", scenario.ping, topology)]
    return [end for both in ends for end in both]


def compile_flows(scenario: Scenario, topology: Topology, addresses: Addresses) -> list[PlanFlow]:
    """The plan's flows."""
    flows: list[PlanFlow] = []
    between = pairs("flow", scenario.flow, topology)
    taken: set[tuple[str, int]] = {
        (pair.to, pair.entry.port) for pair in between if pair.entry.port is not None
    }
    for number, pair in enumerate(between):
        flow, key = pair.entry, pair.key
        check_start(scenario.duration, flow.start, f"{key}.start")
        port = flow.port
        if port is None:
            port = next(p for p in range(FIRST_PORT + number, 65536) if (pair.to, p) not in taken)
            taken.add((pair.to, port))
        elif any(f["to"] == pair.to and f["port"] == port for f in flows):
            what = f"{port} is taken in {pair.to}"
            raise ScenarioError(f"{key}.port", what, "Choose another, or leave it out")
        flows.append(
            {
                "name": pair.name,
                "from": pair.from_,
                "to": pair.to,
                "to_address": addresses.reach(pair.from_, pair.to, key),
                "port": port,
                "congestion_control": flow.cca,
                "start_ns": flow.start,
                "end": _flow_end(scenario, flow, key),
            }
        )
    return flows


def _flow_end(scenario: Scenario, flow: FlowSettings, key: str) -> PlanFlowEnd:
    given = [name for name in ("stop", "duration", "bytes") if getattr(flow, name) is not None]
    if len(given) > 1:
        raise ScenarioError(f"{key}.{given[1]}", f"{given[0]} is given too", "Keep one of them")
    if flow.bytes is not None:
        return {"kind": "bytes", "count": flow.bytes}
    if flow.duration is not None:
        return {"kind": "at", "time_ns": flow.start + flow.duration}
    stop = scenario.duration if flow.stop is None else flow.stop
    check_stop(flow.start, stop, f"{key}.stop")
    return {"kind": "at", "time_ns": stop}


def compile_pings(scenario: Scenario, topology: Topology, addresses: Addresses) -> list[PlanPing]:
    """The plan's pings."""
    pings: list[PlanPing] = []
    for pair in pairs("ping", scenario.ping, topology):
        ping, key = pair.entry, pair.key
        stop = scenario.duration if ping.stop is None else min(ping.stop, scenario.duration)
        check_start(scenario.duration, ping.start, f"{key}.start")
        check_stop(ping.start, stop, f"{key}.stop")
        pings.append(
            {
                "name": pair.name,
                "from": pair.from_,
                "to": pair.to,
                "to_address": addresses.reach(pair.from_, pair.to, key),
                "start_ns": ping.start,
                "stop_ns": stop,
                "interval_ns": ping.interval,
                "payload_bytes": ping.payload,
            }
        )
    return pings


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
        programs.append(
            {
                "name": names[number],
                "node": program.node,
                "command": program.command,
                "start_ns": program.start,
                "stop_ns": program.stop,
                "must_succeed": program.must_succeed,
            }
        )
    return programs
