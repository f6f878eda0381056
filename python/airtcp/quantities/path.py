"""The way of a flow through the network of a plan: what each hop sends into, there and back."""

from collections import deque
from collections.abc import Mapping
from typing import Any, NamedTuple


class Hop(NamedTuple):
    """From one node to the next: egress of the wire's near end and of its far end; `None` through the air."""

    there: dict[str, Any] | None
    back: dict[str, Any] | None


def path(plan: Mapping[str, Any], source: str, target: str) -> list[Hop]:
    """The fewest hops from one node to another, none if no way is there. A cell is one hop."""
    links = _links(plan)
    came: dict[str, tuple[str, Hop] | None] = {source: None}
    waiting = deque([source])
    while waiting and target not in came:
        node = waiting.popleft()
        for near in (link for link in links if node in link):
            for other, egress in near.items():
                if other not in came:
                    came[other] = (node, Hop(near[node], egress))
                    waiting.append(other)
    hops: list[Hop] = []
    step = came.get(target)
    while step is not None:
        hops.append(step[1])
        step = came[step[0]]
    return hops[::-1]


def _links(plan: Mapping[str, Any]) -> list[dict[str, dict[str, Any] | None]]:
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
    return list(links.values())
