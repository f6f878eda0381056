"""Names of what a scenario lists: given, made unique, and found by names and patterns."""

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase

from airtcp.plans.types.plan import PlanFlow
from airtcp.scenario.errors import ScenarioError


def unique_names(given: Iterable[tuple[str, str | None, str]]) -> list[str]:
    """Names, of keys with own name and default: the own name, else the default made unique. No name twice."""
    things = list(given)
    taken: set[str] = set()
    for key, name, _ in things:
        if name is not None and name in taken:
            raise ScenarioError(key, f'"{name}" appears twice', "Give each its own name")
        taken |= {name} if name is not None else set()
    names: list[str] = []
    for _, name, default in things:
        candidates = [default, *(f"{default}-{i}" for i in range(2, len(things) + 2))]
        names.append(name or next(candidate for candidate in candidates if candidate not in taken))
        taken.add(names[-1])
    return names


def numbers_of(pattern: str, names: Sequence[str]) -> list[int]:
    """The numbers of the names that a pattern means, rising."""
    return [number for number, name in enumerate(names) if fnmatchcase(name, pattern)]


def chosen_numbers(key: str, asked: str | list[str], kinds: Mapping[str, Sequence[str]]) -> list[list[int]]:
    """The numbers of what a name, a list of names or a pattern means, rising, for each of several kinds.

    `kinds` has their names: `{"flow": [...], "program": [...]}`. What means nothing is a `ScenarioError`.
    """
    patterns = [asked] if isinstance(asked, str) else asked
    names = [name for of_kind in kinds.values() for name in of_kind]
    for pattern in patterns:
        if not numbers_of(pattern, names):
            what = f'no {" and no ".join(kinds)} is named "{pattern}"'
            raise ScenarioError(key, what, f"Known: {', '.join(names) or 'none'}")
    return [
        sorted({number for pattern in patterns for number in numbers_of(pattern, of_kind)})
        for of_kind in kinds.values()
    ]


def flow_numbers(key: str, asked: str | list[str], flows: Sequence[PlanFlow]) -> list[int]:
    """Numbers of the flows that are asked for."""
    return chosen_numbers(key, asked, {"flow": [flow["name"] for flow in flows]})[0]
