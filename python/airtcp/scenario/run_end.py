"""What ends a run beside its duration: `ends_with`."""

from collections.abc import Sequence

from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.flow_numbers import flow_numbers
from airtcp.scenario.model import Scenario
from airtcp.scenario.plan import PlanFlow

_KEY = "ends_with"


def compile_ends_with(scenario: Scenario, flows: Sequence[PlanFlow]) -> list[int]:
    """The numbers of the flows whose end ends the run; one that has no end before it is a `ScenarioError`."""
    if scenario.ends_with is None:
        return []
    if not scenario.ends_with:
        raise ScenarioError(_KEY, "names no flow", "Name at least one, or leave it out")
    numbers = flow_numbers(_KEY, scenario.ends_with, flows)
    for number in numbers:
        if not _has_an_end(flows[number], scenario.duration):
            what = f'"{flows[number]["name"]}" goes on until the run ends'
            remedy = "Give it an amount (bytes, count or length), or a stop before the run's duration"
            raise ScenarioError(_KEY, what, remedy)
    return numbers


def _has_an_end(flow: PlanFlow, duration_ns: int) -> bool:
    """Whether an amount or a time ends it. Of bulk transfers only those of `bytes` have an amount."""
    workload = flow["workload"]
    counted = workload.get("count") is not None or workload.get("length_ns") is not None
    return counted or flow["stop_ns"] < duration_ns
