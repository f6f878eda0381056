"""The inputs of a session in the plan, and the plan of a session."""

from collections.abc import Iterable, Sequence

from airtcp.errors import AirtcpError
from airtcp.plans.length import SESSION_NS
from airtcp.plans.nodes import address_from, nic_of
from airtcp.plans.types.plan import Plan, PlanSession, PlanSessionAct, PlanSessionInput, PlanTerminalSize
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.session import ACTS, SessionFlowSettings, SessionSettings

# Inputs that start what further inputs are for, and those further ones.
STARTS = ("start", "flow")
FOR_JOBS = ("write", "close_input", "resize", "signal")
# Beyond the ports of a scenario's flows, and of iperf3, which is often started beside them.
FIRST_FLOW_PORT = 6001


def compile_session(settings: Sequence[SessionSettings], plan: Plan) -> Plan:
    """The plan with these inputs; without any it stays as it is."""
    if not settings:
        return plan
    inputs: list[PlanSessionInput] = []
    for number, one in enumerate(settings):
        key = f"session[{number}]"
        if inputs and one.at < inputs[-1]["at_ns"]:
            raise ScenarioError(f"{key}.at", "is before the input that stands before it", "Sort them by time")
        act = _act(one, plan, key, inputs)
        job = _job(inputs, act) if one.job is None else one.job
        inputs.append({"at_ns": one.at, "job": job, "act": act})
    return with_session(plan, inputs)


def _job(before: Sequence[PlanSessionInput], act: PlanSessionAct) -> int:
    """The number of an input that has none: of what begins a new one, of all else that of the last start."""
    if act["kind"] not in FOR_JOBS:
        return max((other["job"] for other in before), default=0) + 1
    started = (other["job"] for other in reversed(before) if other["act"]["kind"] in STARTS)
    return next(started, 0)


def with_session(plan: Plan, inputs: Sequence[PlanSessionInput]) -> Plan:
    """The plan of a session with these inputs, which goes on until one of them or its user ends it."""
    session: PlanSession = {"inputs": list(inputs)}
    return {**plan, "duration_ns": SESSION_NS, "session": session}


def flow_act(plan: Plan, flow: SessionFlowSettings, before: Iterable[PlanSessionAct]) -> PlanSessionAct:
    """A flow as an input of a session; without a port it gets one that none of those before has."""
    address = address_from(plan, flow.from_, flow.to)
    if flow.from_ == flow.to:
        raise ScenarioError("to", "a flow goes from one node to another", "Name two nodes")
    return {
        "kind": "flow",
        "from": flow.from_,
        "to": flow.to,
        "address": address,
        "port": flow.port or _free_port(plan, before),
        "congestion_control": flow.cca,
        "bytes": flow.size,
        "length_ns": flow.length,
    }


def _free_port(plan: Plan, before: Iterable[PlanSessionAct]) -> int:
    """The next port that no flow has had: one that was closed may not be free yet."""
    used = [flow["port"] for flow in plan["flows"]]
    used += [act["port"] for act in before if act["kind"] == "flow"]
    return max([FIRST_FLOW_PORT - 1, *used]) + 1


def _act(one: SessionSettings, plan: Plan, key: str, before: Sequence[PlanSessionInput]) -> PlanSessionAct:
    try:
        if one.flow:
            return flow_act(plan, one.flow, (other["act"] for other in before))
        return _of_a_job(one) or _of_the_network(one, plan)
    except AirtcpError as error:
        name = next(name for name in ACTS if getattr(one, name) is not None)
        raise ScenarioError(f"{key}.{name}.{error.place}", error.what, error.remedy) from None


def _of_a_job(one: SessionSettings) -> PlanSessionAct | None:
    """What starts a command, or is for one that was started."""
    if one.start:
        started = one.start
        size = _size(started.terminal) if started.terminal else None
        return {"kind": "start", "node": started.node, "command": started.command, "terminal": size}
    if one.write is not None:
        return {"kind": "write", "data": {"kind": "text", "text": one.write}}
    if one.write_base64 is not None:
        return {"kind": "write", "data": {"kind": "base64", "base64": one.write_base64}}
    if one.resize:
        return {"kind": "resize", "size": _size(one.resize)}
    if one.signal is not None:
        return {"kind": "signal", "signal": one.signal}
    return {"kind": "close_input"} if one.close_input else None


def _size(size: Sequence[int]) -> PlanTerminalSize:
    return {"rows": size[0], "columns": size[1]}


def _of_the_network(one: SessionSettings, plan: Plan) -> PlanSessionAct:
    """What changes the network, or ends the run."""
    if one.link:
        return {"kind": "link", "node": one.link.node, "interface": one.link.interface, "up": one.link.up}
    if one.wire:
        end = one.wire
        return {
            "kind": "wire",
            "node": end.node,
            "interface": end.interface,
            "rate_bps": end.rate,
            "delay_ns": end.delay,
        }
    if one.move:
        nic = nic_of(plan, one.move.node, one.move.interface)
        return {"kind": "move", "nic": nic, "position_m": list(one.move.position)}
    if one.rssi:
        a, b = nic_of(plan, one.rssi.from_), nic_of(plan, one.rssi.to)
        return {"kind": "rssi", "from": a, "to": b, "rssi_dbm": one.rssi.rssi}
    if one.loss:
        a, b = nic_of(plan, one.loss.from_), nic_of(plan, one.loss.to)
        return {"kind": "loss", "from": a, "to": b, "probability": one.loss.probability}
    return {"kind": "end"}
