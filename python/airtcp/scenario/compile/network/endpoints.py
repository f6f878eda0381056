"""Between which nodes traffic goes: an entry may name one, several, or all that match."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Generic, Protocol, TypeVar

from airtcp.scenario.compile.network.names import unique_names
from airtcp.scenario.compile.network.topology import Topology
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.parts import NodeNames


class Entry(Protocol):
    """What goes from one node to another."""

    @property
    def name(self) -> str | None:
        """Name of the entry, if it has one of its own."""

    @property
    def from_(self) -> NodeNames:
        """Node, or pattern of nodes, at which the entry begins."""

    @property
    def to(self) -> NodeNames:
        """Node, or pattern of nodes, at which the entry ends."""


E = TypeVar("E", bound=Entry)


@dataclass(frozen=True)
class Pair(Generic[E]):
    """One pair of nodes of an entry."""

    key: str
    name: str
    from_: str
    to: str
    entry: E


def pairs(
    kind: str, entries: Sequence[E], topology: Topology, eligible: Callable[[str], bool] = lambda _: True
) -> list[Pair[E]]:
    """All pairs of the entries of a kind, in order. A pattern means nodes for which `eligible` holds."""
    return pairs_of_kinds({kind: entries}, topology, eligible)


def pairs_of_kinds(
    kinds: Mapping[str, Sequence[E]], topology: Topology, eligible: Callable[[str], bool] = lambda _: True
) -> list[Pair[E]]:
    """Pairs of nodes of the entries of several kinds, whose names are unique together."""
    found: list[tuple[str, str, str, E]] = []
    for kind, entries in kinds.items():
        for number, entry in enumerate(entries):
            key = f"{kind}[{number}]"
            found += [(key, a, b, entry) for a, b in _pairs_of(key, entry, topology, eligible)]
    names = unique_names((f"{key}.name", _own_name(entry, a, b), f"{a}-{b}") for key, a, b, entry in found)
    return [Pair(key, name, a, b, entry) for name, (key, a, b, entry) in zip(names, found, strict=True)]


def _several(names: NodeNames) -> bool:
    return isinstance(names, list) or any(sign in names for sign in "*?")


def _own_name(entry: Entry, a: str, b: str) -> str | None:
    if entry.name is None:
        return None
    parts = [entry.name, *([a] if _several(entry.from_) else []), *([b] if _several(entry.to) else [])]
    return "-".join(parts)


def _pairs_of(
    key: str, entry: Entry, topology: Topology, eligible: Callable[[str], bool]
) -> Iterator[tuple[str, str]]:
    froms = _nodes(f"{key}.from", entry.from_, topology, eligible)
    tos = _nodes(f"{key}.to", entry.to, topology, eligible)
    both = [(a, b) for a in froms for b in tos]
    if _several(entry.from_) or _several(entry.to):
        both = [(a, b) for a, b in both if a != b]
    if not both or both[0][0] == both[0][1]:
        what = f'"{tos[0]}" would talk to itself, without any network'
        raise ScenarioError(f"{key}.to", what, "Name another node")
    yield from both


def _nodes(key: str, names: NodeNames, topology: Topology, eligible: Callable[[str], bool]) -> list[str]:
    if isinstance(names, str) and _several(names):
        found = [node for node in topology.nodes if fnmatchcase(node, names) and eligible(node)]
        if not found:
            known = ", ".join(node for node in topology.nodes if eligible(node)) or "none"
            raise ScenarioError(key, f'no node matches "{names}"', f"Known: {known}")
        return found
    listed = names if isinstance(names, list) else [names]
    if not listed:
        raise ScenarioError(key, "the list is empty", "Name at least one node")
    for number, name in enumerate(listed):
        if name in listed[:number]:
            raise ScenarioError(key, f'"{name}" appears twice', "Name it once")
    return [topology.node(name, key).name for name in listed]
