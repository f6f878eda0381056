"""Names of what a scenario lists: given, or made unique."""

from collections.abc import Iterable

from airtcp.scenario.errors import ScenarioError


def unique_names(kind: str, given: Iterable[tuple[str | None, str]]) -> list[str]:
    """Each thing's own name, else its default made unique; one name given twice is an error."""
    pairs = list(given)
    taken: set[str] = set()
    for number, (name, _) in enumerate(pairs):
        if name is not None and name in taken:
            raise ScenarioError(f"{kind}[{number}].name", f'"{name}" appears twice', "Give each its own name")
        taken |= {name} if name is not None else set()
    names: list[str] = []
    for name, default in pairs:
        candidates = [default, *(f"{default}-{i}" for i in range(2, len(pairs) + 2))]
        names.append(name or next(candidate for candidate in candidates if candidate not in taken))
        taken.add(names[-1])
    return names
