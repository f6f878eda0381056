"""The path of traffic through a plan's network: which wires it crosses, and whether the air."""

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Plan = Mapping[str, Any]


@dataclass(frozen=True)
class Edge:
    """One hop: a wire by its number and the interface that sends, or the air."""

    node: str
    to: str
    wire: int | None
    egress: Mapping[str, Any]


def path(plan: Plan, start: str, end: str) -> list[Edge]:
    """The hops from one node to another, the fewest; empty if there is no way."""
    edges: dict[str, list[Edge]] = {}
    for edge in _edges(plan):
        edges.setdefault(edge.node, []).append(edge)
    came: dict[str, Edge] = {}
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        for edge in edges.get(node, ()):
            if edge.to != start and edge.to not in came:
                came[edge.to] = edge
                waiting.append(edge.to)
    hops: list[Edge] = []
    while end in came:
        hops.insert(0, came[end])
        end = came[end].node
    return hops


def _edges(plan: Plan) -> Iterator[Edge]:
    ends: dict[int, list[tuple[str, Any]]] = {}
    cells: dict[int, list[tuple[str, Any]]] = {}
    for node in plan["nodes"]:
        for interface in node["interfaces"]:
            attached = interface["attachment"]
            if attached["kind"] == "wire":
                ends.setdefault(attached["wire"], []).append((node["name"], interface["egress"]))
            else:
                cell = plan["air"]["nics"][attached["nic"]]["cell"]
                cells.setdefault(cell, []).append((node["name"], interface["egress"]))
    for wire, both in ends.items():
        for (node, egress), (other, _) in zip(both, reversed(both), strict=True):
            yield Edge(node, other, wire, egress)
    for members in cells.values():
        for node, egress in members:
            yield from (Edge(node, other, None, egress) for other, _ in members if other != node)
