"""Mesh cells: the pairs that send to each other directly, and static routes between the others."""

from collections import deque
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Any

from pydantic import Field, PlainValidator

from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.parts import Name, Part
from airtcp.wrong_values import in_toml


class MeshRoute(Part):
    """A next hop in a mesh: `[[wifi.NAME.route]]`."""

    from_: Name = Field(alias="from")
    """Station that sends or forwards."""
    to: Name
    """Station at the end."""
    via: Name
    """Station that it sends to."""


def _peerings(value: Any) -> Any:
    if value in ("all", "chain"):
        return value
    if not isinstance(value, list):
        raise ValueError(
            f'{in_toml(value)} is no set of peerings; write "all", "chain" or pairs: [["m1", "m2"]]'
        )
    for pair in value:
        if not isinstance(pair, list) or [type(name) for name in pair] != [str, str]:
            raise ValueError(f'{in_toml(pair)} is no pair of stations; write for example ["m1", "m2"]')
    return [(a, b) for a, b in value]


Peerings = Annotated[str | list[tuple[str, str]], PlainValidator(_peerings)]

Hops = dict[tuple[str, str], str]


def mesh_hops(cell: str, stations: Sequence[str], peerings: Any, routes: Sequence[MeshRoute]) -> Hops:
    """The next hop from each station to each other one: the shortest way, then what `routes` says."""
    neighbours = _neighbours(cell, stations, peerings)
    hops: Hops = {}
    for to in stations:
        hops.update({(at, to): via for at, via in _towards(to, stations, neighbours).items()})
    for at in stations:
        for to in stations:
            if at != to and (at, to) not in hops:
                what = f'no peerings join "{at}" to "{to}"'
                raise ScenarioError(f"wifi.{cell}.peerings", what, "Name the pairs on the way")
    for number, route in enumerate(routes):
        key = f"wifi.{cell}.route[{number}]"
        for side, name in (("from", route.from_), ("to", route.to), ("via", route.via)):
            if name not in stations:
                raise ScenarioError(
                    f"{key}.{side}", f'"{name}" is not in this mesh', "Name one of its stations"
                )
        if route.from_ in (route.to, route.via):
            raise ScenarioError(key, f'a route of "{route.from_}" leads to itself', "Name two others")
        hops[route.from_, route.to] = route.via
    _refuse_circles(cell, stations, hops)
    return hops


def _neighbours(cell: str, stations: Sequence[str], peerings: Any) -> dict[str, list[str]]:
    if peerings == "all":
        return {at: [to for to in stations if to != at] for at in stations}
    pairs = list(pairwise(stations)) if peerings == "chain" else peerings
    found: dict[str, list[str]] = {at: [] for at in stations}
    for number, (a, b) in enumerate(pairs):
        for name in (a, b):
            if name not in found:
                key = f"wifi.{cell}.peerings[{number}]"
                raise ScenarioError(key, f'"{name}" is not in this mesh', "Name one of its stations")
        if a == b:
            raise ScenarioError(f"wifi.{cell}.peerings[{number}]", f'"{a}" is both ends', "Name two stations")
        found[a].append(b)
        found[b].append(a)
    return found


def _towards(to: str, stations: Sequence[str], neighbours: dict[str, list[str]]) -> dict[str, str]:
    """The next hop of each station towards one, by the fewest hops; of several the first in `stations`."""
    distances = {to: 0}
    waiting = deque([to])
    while waiting:
        here = waiting.popleft()
        for near in neighbours[here]:
            if near not in distances:
                distances[near] = distances[here] + 1
                waiting.append(near)
    hops = {}
    for at in stations:
        if at != to and at in distances:
            nearer = [near for near in neighbours[at] if distances.get(near, len(stations)) < distances[at]]
            hops[at] = min(nearer, key=stations.index)
    return hops


def _refuse_circles(cell: str, stations: Sequence[str], hops: Hops) -> None:
    for start in stations:
        for to in stations:
            at, seen = start, {start}
            while at != to:
                at = hops[at, to]
                if at in seen:
                    what = f'frames from "{start}" for "{to}" would go round in a circle'
                    raise ScenarioError(f"wifi.{cell}.route", what, "Let each hop come nearer")
                seen.add(at)
