"""The inputs of a session in the plan, and the plan of a session."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from airtcp.scenario.compile.plan_nodes import address_from, nic_of
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.session import ACTS, SessionFlowSettings, SessionSettings
from airtcp.scenario.plan_types.plan import Plan, PlanSession, PlanSessionAct, PlanSessionInput

# A session lasts until its user ends it, a day of virtual time at most. What is planned stays at its times.
SESSION_NS = 86_400 * 10**9
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


def length_ns(plan: Plan) -> int:
    """How long a run of the plan lasts: until an input ends it, or its duration."""
    inputs = plan["session"]["inputs"] if plan["session"] else []
    ends = (one["at_ns"] for one in inputs if one["act"]["kind"] == "end")
    return next(ends, plan["duration_ns"])


def lasts_a_day(plan: Plan) -> bool:
    """Whether nothing ends a run of the plan but the longest time of a session: no input, flow or program."""
    ends_early = plan["ends_with"] or plan["ends_with_programs"]
    return plan["session"] is not None and not ends_early and length_ns(plan) == SESSION_NS


def flow_act(plan: Plan, flow: SessionFlowSettings, before: Iterable[Mapping[str, Any]]) -> PlanSessionAct:
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


def _free_port(plan: Plan, before: Iterable[Mapping[str, Any]]) -> int:
    """The next port that no flow has had: one that was closed may not be free yet."""
    used = [flow["port"] for flow in plan["flows"]]
    used += [act["port"] for act in before if act["kind"] == "flow"]
    return max([FIRST_FLOW_PORT - 1, *used]) + 1


def _act(one: SessionSettings, plan: Plan, key: str, before: Sequence[PlanSessionInput]) -> PlanSessionAct:
    name = next(name for name in ACTS if getattr(one, name) is not None)
    try:
        if one.flow:
            return flow_act(plan, one.flow, (other["act"] for other in before))
        return {"kind": name, **_fields(one, plan)} if name != "write_base64" else _bytes(one)
    except ScenarioError as error:
        raise ScenarioError(f"{key}.{name}.{error.key}", error.what, error.remedy) from None


def _bytes(one: SessionSettings) -> PlanSessionAct:
    return {"kind": "write", "data": {"kind": "base64", "base64": one.write_base64}}


def _size(size: Sequence[int] | None) -> dict[str, int] | None:
    return {"rows": size[0], "columns": size[1]} if size else None


def _fields(one: SessionSettings, plan: Plan) -> dict[str, Any]:
    if one.start:
        terminal = _size(one.start.terminal)
        return {"node": one.start.node, "command": one.start.command, "terminal": terminal}
    if one.write is not None:
        return {"data": {"kind": "text", "text": one.write}}
    if one.resize:
        return {"size": _size(one.resize)}
    if one.signal is not None:
        return {"signal": one.signal}
    if one.link:
        return {"node": one.link.node, "interface": one.link.interface, "up": one.link.up}
    if one.wire:
        end = one.wire
        return {"node": end.node, "interface": end.interface, "rate_bps": end.rate, "delay_ns": end.delay}
    if one.move:
        nic = nic_of(plan, one.move.node, one.move.interface)
        return {"nic": nic, "position_m": list(one.move.position)}
    if one.rssi:
        ends = {"from": nic_of(plan, one.rssi.from_), "to": nic_of(plan, one.rssi.to)}
        return {**ends, "rssi_dbm": one.rssi.rssi}
    if one.loss:
        ends = {"from": nic_of(plan, one.loss.from_), "to": nic_of(plan, one.loss.to)}
        return {**ends, "probability": one.loss.probability}
    return {}  # close_input, end
