"""Names of what a scenario lists: given, made unique, and found by names and patterns."""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.plan_types.plan import PlanFlow


def unique_names(given: Iterable[tuple[str, str | None, str]]) -> list[str]:
    """Of each key, own name, default: the own name, else the default made unique. No name twice."""
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


def flow_numbers(key: str, asked: str | list[str], flows: Sequence[PlanFlow]) -> list[int]:
    """The numbers of the flows that a name, a list of names or a pattern means, rising."""
    patterns = [asked] if isinstance(asked, str) else asked
    chosen: set[int] = set()
    for pattern in patterns:
        found = [number for number, flow in enumerate(flows) if fnmatchcase(flow["name"], pattern)]
        if not found:
            known = ", ".join(flow["name"] for flow in flows) or "none"
            raise ScenarioError(key, f'no flow is named "{pattern}"', f"Known: {known}")
        chosen.update(found)
    return sorted(chosen)
