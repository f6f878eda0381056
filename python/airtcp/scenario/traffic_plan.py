"""Flows, pings and programs of a scenario, as the plan has them."""

from airtcp.scenario.addressing import Addresses
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.model import Scenario
from airtcp.scenario.names import unique_names
from airtcp.scenario.plan import PlanFlow, PlanFlowEnd, PlanPing, PlanProgram
from airtcp.scenario.span import check_start, check_stop
from airtcp.scenario.topology import Topology
from airtcp.scenario.traffic import FlowSettings, PingSettings

FIRST_PORT = 5001  # iperf's, for those who look at a capture


def traffic_ends(scenario: Scenario, topology: Topology) -> list[str]:
    """Every node at which traffic begins or ends; unknown ones are errors."""
    ends: list[str] = []
    numbered: list[tuple[str, int, FlowSettings | PingSettings]] = [
        *(("flow", number, flow) for number, flow in enumerate(scenario.flow)),
        *(("ping", number, ping) for number, ping in enumerate(scenario.ping)),
    ]
    for kind, number, item in numbered:
        for side, name in (("from", item.from_), ("to", item.to)):
            ends.append(topology.node(name, f"{kind}[{number}].{side}").name)
        if item.from_ == item.to:
            what = f'"{item.to}" would talk to itself, without any network'
            raise ScenarioError(f"{kind}[{number}].to", what, "Name another node")
    return ends


def compile_flows(scenario: Scenario, addresses: Addresses) -> list[PlanFlow]:
    """The plan's flows."""
    names = unique_names("flow", [(flow.name, f"{flow.from_}-{flow.to}") for flow in scenario.flow])
    flows: list[PlanFlow] = []
    taken: set[tuple[str, int]] = {(flow.to, flow.port) for flow in scenario.flow if flow.port is not None}
    for number, flow in enumerate(scenario.flow):
        key = f"flow[{number}]"
        check_start(scenario.duration, flow.start, f"{key}.start")
        port = flow.port
        if port is None:
            port = next(p for p in range(FIRST_PORT + number, 65536) if (flow.to, p) not in taken)
            taken.add((flow.to, port))
        elif any(f["to"] == flow.to and f["port"] == port for f in flows):
            what = f"{port} is taken in {flow.to}"
            raise ScenarioError(f"{key}.port", what, "Choose another, or leave it out")
        flows.append(
            {
                "name": names[number],
                "from": flow.from_,
                "to": flow.to,
                "to_address": addresses.reach(flow.from_, flow.to, key),
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


def compile_pings(scenario: Scenario, addresses: Addresses) -> list[PlanPing]:
    """The plan's pings."""
    names = unique_names("ping", [(ping.name, f"{ping.from_}-{ping.to}") for ping in scenario.ping])
    pings: list[PlanPing] = []
    for number, ping in enumerate(scenario.ping):
        key = f"ping[{number}]"
        stop = scenario.duration if ping.stop is None else min(ping.stop, scenario.duration)
        check_start(scenario.duration, ping.start, f"{key}.start")
        check_stop(ping.start, stop, f"{key}.stop")
        pings.append(
            {
                "name": names[number],
                "from": ping.from_,
                "to": ping.to,
                "to_address": addresses.reach(ping.from_, ping.to, key),
                "start_ns": ping.start,
                "stop_ns": stop,
                "interval_ns": ping.interval,
                "payload_bytes": ping.payload,
            }
        )
    return pings


def compile_programs(scenario: Scenario, topology: Topology) -> list[PlanProgram]:
    """The plan's programs."""
    given = [(program.name, f"program{number + 1}") for number, program in enumerate(scenario.program)]
    names = unique_names("program", given)
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
