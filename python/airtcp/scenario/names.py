"""Names of what a scenario lists: given, or made unique."""

from collections.abc import Iterable

from airtcp.scenario.errors import ScenarioError


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
