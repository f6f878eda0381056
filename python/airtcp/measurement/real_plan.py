"""A plan with the addresses and interface names of the real network."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import cast

from airtcp.errors import AirtcpError, remedy_for
from airtcp.measurement.lab_file import LabFile, LabNode
from airtcp.plans.nodes import node_of, with_addresses
from airtcp.plans.types.plan import Plan, PlanFlow

# What only a guest can do; the keys of `[sampling]` that ask for it are ignored and said to be.
_GUEST_SAMPLES = {"acks": "acks", "delays": "delays", "ppdus": "ppdus", "rates_interval_ns": "rates"}


def real_plan(plan: Plan, lab: LabFile) -> Plan:
    """The plan as agents get it. The plan of the run folder stays that of the scenario."""
    real = deepcopy(plan)
    addresses = {name: node.address for name, node in lab.node.items() if node.address is not None}
    for flow in real["flows"]:
        flow["address"] = _real(lab, listening(flow), flow["address"])
    for stream in real["datagrams"]:
        stream["address"] = _real(lab, stream["to"], stream["address"])
    for ping in real["pings"]:
        ping["to_address"] = _real(lab, ping["to"], ping["to_address"])
    for program in real["programs"]:
        program["command"] = with_addresses(program["command"], addresses)
    for node in real["nodes"]:
        names = lab.node[node["name"]].interfaces if node["name"] in lab.node else {}
        for interface in node["interfaces"]:
            interface["name"] = names.get(interface["name"], interface["name"])
    return real


def _real(lab: LabFile, node: str, planned: str) -> str:
    """The address of a node that is there, of the version of the planned one."""
    address = lab.node[node].address_like(planned)
    assert address is not None, "the lab was checked"
    return address


def listening(flow: PlanFlow) -> str:
    """The node to which the flow's connection is made."""
    asked = flow["workload"]["kind"] in ("requests", "web", "video")
    return flow["from"] if asked else flow["to"]


def check_lab(plan: Plan, lab: LabFile, file: Path) -> list[str]:
    """Refuses a lab that lacks a node of the scenario's traffic; returns what of it is not measured."""
    nodes = [node["name"] for node in plan["nodes"]]
    for name, machine in lab.node.items():
        if name not in nodes:
            what = f"the scenario has no node {name}"
            raise AirtcpError(what, f"{file}: node.{name}", remedy_for(name, nodes))
        _check_interfaces(plan, name, machine, file)
    for needed in _ends(plan):
        if needed not in lab.node:
            what = f"node {needed} is an end of the scenario's traffic and has no machine"
            raise AirtcpError(what, str(file), f"Add [node.{needed}] with a way in and its address")
    for needed, what, planned in _targets(plan):
        if needed not in lab.node or lab.node[needed].address_like(planned) is None:
            key = "address6" if ":" in planned else "address"
            raise AirtcpError(
                f"{what} needs the {key} of node {needed}", str(file), f"Add it to [node.{needed}]"
            )
    if plan["session"] is not None:
        raise AirtcpError("a session can't be measured", "session", "Leave it out")
    return _not_measured(plan)


def _ends(plan: Plan) -> dict[str, None]:
    both = [(flow["from"], flow["to"]) for flow in plan["flows"]]
    both += [(stream["from"], stream["to"]) for stream in plan["datagrams"]]
    ends = [end for pair in both for end in pair]
    ends += [ping["from"] for ping in plan["pings"]]
    ends += [program["node"] for program in plan["programs"]]
    return dict.fromkeys(ends)


def _targets(plan: Plan) -> Iterator[tuple[str, str, str]]:
    """The nodes to which something is sent, what that is, and the planned address."""
    for flow in plan["flows"]:
        yield listening(flow), f"flow {flow['name']}", flow["address"]
    for stream in plan["datagrams"]:
        yield stream["to"], f"stream {stream['name']}", stream["address"]
    for ping in plan["pings"]:
        yield ping["to"], f"ping {ping['name']}", ping["to_address"]


def _check_interfaces(plan: Plan, name: str, machine: LabNode, file: Path) -> None:
    node = node_of(plan, name)
    known = [interface["name"] for interface in node["interfaces"]]
    for interface in machine.interfaces:
        if interface not in known:
            what = f"node {name} has no interface {interface} in the scenario"
            place = f"{file}: node.{name}.interfaces.{interface}"
            raise AirtcpError(what, place, remedy_for(interface, known))


def _not_measured(plan: Plan) -> list[str]:
    sampling = cast("Mapping[str, object]", plan["sampling"])
    series = [word for key, word in _GUEST_SAMPLES.items() if sampling[key]]
    left = [f"the series {', '.join(series)}, which only a guest can record"] if series else []
    offset = [node["name"] for node in plan["nodes"] if any(node["clock"].values())]
    if offset:
        left.append(f"clocks of {', '.join(offset)}, which are left as they are")
    own = [node["name"] for node in plan["nodes"] if node["namespaces"]]
    if own:
        left.append(f"namespaces of {', '.join(own)}: programs have those of the machine")
    traced = [
        node["name"] for node in plan["nodes"] if any(port["egress"]["trace"] for port in node["interfaces"])
    ]
    if traced:
        left.append(f"traces of the wires of {', '.join(traced)}: they keep their rate and delay")
    with_tc = [node["name"] for node in plan["nodes"] if node["tc"]]
    if with_tc:
        left.append(f"the tc lines of {', '.join(with_tc)}")
    managed = [node["name"] for node in plan["nodes"] if node["mptcp"]]
    if managed:
        left.append(f"the path manager of MPTCP of {', '.join(managed)}, which is left as it is")
    return left
