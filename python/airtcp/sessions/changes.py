"""Changes of a running network, as inputs of its session."""

from collections.abc import Sequence

from airtcp.errors import AirtcpError
from airtcp.plans.links import End, links, radios
from airtcp.plans.nodes import nic_of, node_of
from airtcp.plans.types.plan import Plan, PlanSessionAct

END: PlanSessionAct = {"kind": "end"}


def move(plan: Plan, node: str, position_m: Sequence[float]) -> PlanSessionAct:
    """A node's radio is at this place from now on, in metres; without a height it keeps its first one."""
    nic = nic_of(plan, node)
    place = [float(metres) for metres in position_m]
    if len(place) == 2:
        place.append(float(plan["air"]["nics"][nic]["position_m"][2]))
    if len(place) != 3:
        raise AirtcpError("is not a place", f"move {node}", "Give it two or three coordinates in metres: 3,4")
    return {"kind": "move", "nic": nic, "position_m": place}


def rssi(plan: Plan, node: str, rssi_dbm: float, other: str | None = None) -> list[PlanSessionAct]:
    """Two nodes receive each other with this power from now on; with one, it and all others of its cell."""
    ends = _both_ways(plan, node, other)
    return [{"kind": "rssi", "from": a, "to": b, "rssi_dbm": float(rssi_dbm)} for a, b in ends]


def loss(plan: Plan, node: str, probability: float, other: str | None = None) -> list[PlanSessionAct]:
    """Data frames between two nodes, or one and all others of its cell, are lost with this probability."""
    ends = _both_ways(plan, node, other)
    return [{"kind": "loss", "from": a, "to": b, "probability": float(probability)} for a, b in ends]


def _both_ways(plan: Plan, node: str, other: str | None) -> list[tuple[int, int]]:
    own = nic_of(plan, node)
    nics = plan["air"]["nics"]
    cell = [i for i, nic in enumerate(nics) if nic["cell"] == nics[own]["cell"] and i != own]
    others = [nic_of(plan, other)] if other is not None else cell
    return [pair for one in others for pair in ((own, one), (one, own))]


def _wire_ends(plan: Plan, a: str, b: str) -> list[End]:
    """Both ends of the wire between two nodes; none if there is none."""
    names = {node_of(plan, a)["name"], node_of(plan, b)["name"]}
    wires = (link.ends for link in links(plan) if link.kind == "wire")
    return next((ends for ends in wires if {end.node for end in ends} == names), [])


def wire(
    plan: Plan, a: str, b: str, rate_bps: int | None = None, delay_ns: int | None = None
) -> list[PlanSessionAct]:
    """Inputs that set rate and delay of both ends of a wire; what is not given stays as it was planned."""
    ends = _wire_ends(plan, a, b)
    if not ends:
        raise AirtcpError("there is no wire between them", f"{a}, {b}", "Name the two nodes of a [[wire]]")
    acts: list[PlanSessionAct] = []
    for node, interface in ends:
        rate = interface["egress"]["rate_bps"] if rate_bps is None else rate_bps
        delay = interface["egress"]["delay_ns"] if delay_ns is None else delay_ns
        acts.append(
            {
                "kind": "wire",
                "node": node,
                "interface": interface["name"],
                "rate_bps": rate,
                "delay_ns": delay,
            }
        )
    return acts


def link(plan: Plan, a: str, b: str, *, up: bool) -> list[PlanSessionAct]:
    """The link between two nodes is on or off from now on.

    Of a wire that is both ends, of a cell the radio of the one that is no access point.
    """
    ends = _wire_ends(plan, a, b) or [_radio_end(plan, a, b)]
    return [{"kind": "link", "node": end.node, "interface": end.interface["name"], "up": up} for end in ends]


def _radio_end(plan: Plan, a: str, b: str) -> End:
    nics = plan["air"]["nics"]
    own = [nic_of(plan, name) for name in (a, b)]
    if nics[own[0]]["cell"] != nics[own[1]]["cell"]:
        raise AirtcpError(
            "there is no link between them", f"{a}, {b}", "Name two nodes of a wire or of a cell"
        )
    # An access point serves others too.
    return radios(plan)[next((nic for nic in own if nics[nic]["role"] != "access_point"), own[0])]
