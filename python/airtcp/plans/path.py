"""The way of traffic through the network of a plan: what each hop sends into, there and back."""

from collections import deque
from collections.abc import Mapping
from typing import Any, NamedTuple


class Hop(NamedTuple):
    """From one node to the next, over a wire or through the air."""

    node: str
    to: str
    wire: int | None
    """Number of the wire; `None`: the air."""
    there: dict[str, Any] | None
    """Egress of the wire's near end; `None` through the air."""
    back: dict[str, Any] | None
    """Egress of the wire's far end, likewise."""


def path(plan: Mapping[str, Any], source: str, target: str) -> list[Hop]:
    """The fewest hops from one node to another, none if no way is there. A cell is one hop."""
    links = _links(plan)
    came: dict[str, Hop | None] = {source: None}
    waiting = deque([source])
    while waiting and target not in came:
        node = waiting.popleft()
        for (kind, number), ends in links.items():
            for other in ends if node in ends else ():
                if other not in came:
                    wire = number if kind == "wire" else None
                    came[other] = Hop(node, other, wire, ends[node], ends[other])
                    waiting.append(other)
    hops: list[Hop] = []
    while (hop := came.get(target)) is not None:
        hops.append(hop)
        target = hop.node
    return hops[::-1]


def _links(plan: Mapping[str, Any]) -> dict[tuple[str, int], dict[str, dict[str, Any] | None]]:
    """Wires and cells, each as its nodes with what they send into."""
    links: dict[tuple[str, int], dict[str, dict[str, Any] | None]] = {}
    for node in plan["nodes"]:
        for interface in node["interfaces"]:
            attachment = interface["attachment"]
            if attachment["kind"] == "air":
                cell = plan["air"]["nics"][attachment["nic"]]["cell"]
                links.setdefault(("cell", cell), {})[node["name"]] = None
            else:
                links.setdefault(("wire", attachment["wire"]), {})[node["name"]] = interface["egress"]
    return links
