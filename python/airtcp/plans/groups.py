"""Groups of traffic: flows, streams and pings that tables, figures and metrics take together.

A group is a way of looking at a run and no part of its plan: with other groups it is the same run. A name may
be in several groups, each of which has it; where a thing has one place only (a layer of a stack, a colour),
that is its first group's.
"""

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Any

from airtcp.errors import AirtcpError, remedy_for

# Their table in scenarios.
GROUPS = "groups"
# The patterns of each group by its name, in the order in which they are shown.
Groups = Mapping[str, Sequence[str]]
NO_GROUPS: Groups = MappingProxyType({})


def groups_in(tables: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """The groups in the tables of a scenario that has been checked."""
    return as_groups(tables.get(GROUPS, {}))


def as_groups(written: Mapping[str, str | Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Groups that are written as one pattern or as a list of them."""
    return {name: (own,) if isinstance(own, str) else tuple(own) for name, own in written.items()}


def is_in(name: str, patterns: Iterable[str]) -> bool:
    """Whether one of a group's patterns means a name."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def members(groups: Groups, names: Sequence[str]) -> dict[str, list[int]]:
    """The numbers of the names in each group, rising; empty for a group that has none of them."""
    return {
        group: [number for number, name in enumerate(names) if is_in(name, patterns)]
        for group, patterns in groups.items()
    }


def group_of(groups: Groups, name: str) -> str | None:
    """The first group that has a name."""
    return next((group for group, patterns in groups.items() if is_in(name, patterns)), None)


def patterns_of(groups: Groups, name: str, place: str) -> Sequence[str]:
    """The patterns of a group; an unknown one is an `AirtcpError`."""
    if name not in groups:
        known = remedy_for(name, groups) if groups else "Add it to [groups] of the scenario, or use --group"
        raise AirtcpError(f'there is no group "{name}"', place, known)
    return groups[name]


def traffic_names(plan: Mapping[str, Any]) -> list[str]:
    """The names of the flows, streams and pings of a plan, each once."""
    kinds = ("flows", "datagrams", "pings")
    return list(dict.fromkeys(one["name"] for kind in kinds for one in plan.get(kind, ())))


def those_of(groups: Groups, names: Sequence[str]) -> dict[str, list[str]]:
    """The groups without the patterns that mean none of the names: what one run of many has of them."""
    found = {
        group: [pattern for pattern in patterns if any(fnmatchcase(name, pattern) for name in names)]
        for group, patterns in groups.items()
    }
    return {group: patterns for group, patterns in found.items() if patterns}


def check_groups(groups: Groups, names: Sequence[str], place: str = GROUPS) -> None:
    """Refuses a pattern that means none of the names; `place.GROUP` is the place of the error."""
    for group, patterns in groups.items():
        for pattern in patterns:
            if not any(fnmatchcase(name, pattern) for name in names):
                what = f'no flow, stream or ping is named "{pattern}"'
                raise AirtcpError(what, f"{place}.{group}", _remedy(pattern, names))


def _remedy(pattern: str, names: Sequence[str]) -> str:
    """Patterns mean whole names; a flow without one of its own is called by its ends: `server-sta1`."""
    for longer in (f"*-{pattern}", f"{pattern}-*"):
        if any(fnmatchcase(name, longer) for name in names):
            return f'Did you mean "{longer}"?'
    return remedy_for(pattern, names)
