"""Wires and cells of a plan with their ends, and the way of traffic through them."""

import itertools
from collections import deque
from typing import Literal, NamedTuple

from airtcp.plans.types.plan import Plan, PlanEgress, PlanInterface


class End(NamedTuple):
    """An interface at a wire or in a cell."""

    node: str
    interface: PlanInterface


class Link(NamedTuple):
    """A wire with its two ends, or a cell with all of its radios."""

    kind: Literal["wire", "cell"]
    number: int
    """Number of the wire, or place of the cell in `air.cells`."""
    ends: list[End]


class Hop(NamedTuple):
    """From one node to the next, over a wire or through the air."""

    node: str
    to: str
    wire: int | None
    """Number of the wire; `None`: the air."""
    there: PlanEgress | None
    """Egress of the wire's near end; `None` through the air."""
    back: PlanEgress | None
    """Egress of the wire's far end, likewise."""


def links(plan: Plan) -> list[Link]:
    """Every wire and cell, in the order of their first ends."""
    found: dict[tuple[str, int], Link] = {}
    for node in plan["nodes"]:
        for interface in node["interfaces"]:
            attachment = interface["attachment"]
            link = (
                Link("wire", attachment["wire"], [])
                if attachment["kind"] == "wire"
                else Link("cell", plan["air"]["nics"][attachment["nic"]]["cell"], [])
            )
            end = End(node["name"], interface)
            found.setdefault((link.kind, link.number), link).ends.append(end)
    return list(found.values())


def radios(plan: Plan) -> dict[int, End]:
    """The interface of each radio, by its place in `air.nics`."""
    cells = (link for link in links(plan) if link.kind == "cell")
    return {end.interface["attachment"]["nic"]: end for cell in cells for end in cell.ends}


def path(plan: Plan, source: str, target: str) -> list[Hop]:
    """The fewest hops from one node to another, none if no way is there. A cell is one hop."""
    every = links(plan)
    came: dict[str, Hop | None] = {source: None}
    waiting = deque([source])
    while waiting and target not in came:
        node = waiting.popleft()
        for link in every:
            nears = [end for end in link.ends if end.node == node][:1]
            for near, far in itertools.product(nears, link.ends):
                if far.node not in came:
                    came[far.node] = _hop(link, near, far)
                    waiting.append(far.node)
    hops: list[Hop] = []
    while (hop := came.get(target)) is not None:
        hops.append(hop)
        target = hop.node
    return hops[::-1]


def _hop(link: Link, near: End, far: End) -> Hop:
    if link.kind == "cell":
        return Hop(near.node, far.node, None, None, None)
    return Hop(near.node, far.node, link.number, near.interface["egress"], far.interface["egress"])
