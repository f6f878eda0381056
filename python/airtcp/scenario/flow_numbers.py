"""Flows that a scenario names, as the plan numbers them."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.plan import PlanFlow


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
