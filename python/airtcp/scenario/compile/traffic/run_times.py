"""Times within a run: starts, stops, and what ends it beside its duration."""

from collections.abc import Sequence
from dataclasses import dataclass

from airtcp.plans.types.plan import PlanFlow, PlanProgram
from airtcp.scenario.compile.network.names import chosen_numbers
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.model import Scenario
from airtcp.scenario.values.units import TIME


def check_start(duration_ns: int, start_ns: int, key: str) -> None:
    """Refuses a start that is not before the end of the run."""
    if start_ns >= duration_ns:
        what = f"{TIME.text(start_ns)} is not before the end of the run at {TIME.text(duration_ns)}"
        raise ScenarioError(key, what, "Start earlier or make the run longer")


def stop_of(duration_ns: int, key: str, start_ns: int, stop: int | None, length: int | None) -> int:
    """When something ends: at its `stop`, after its `duration`, or with the run."""
    if stop is not None and length is not None:
        raise ScenarioError(f"{key}.duration", "stop is given too", "Keep one of them")
    if length is not None:
        return start_ns + length
    stop_ns = duration_ns if stop is None else stop
    check_stop(start_ns, stop_ns, f"{key}.stop")
    return stop_ns


def check_stop(start_ns: int, stop_ns: int, key: str) -> None:
    """Refuses a stop that is not after its start."""
    if stop_ns <= start_ns:
        what = f"{TIME.text(stop_ns)} is not after the start at {TIME.text(start_ns)}"
        raise ScenarioError(key, what, "Stop later")


_KEY = "ends_with"


@dataclass(frozen=True)
class RunEnds:
    """The numbers of what ends a run, rising."""

    flows: list[int]
    programs: list[int]


def compile_ends_with(
    scenario: Scenario, flows: Sequence[PlanFlow], programs: Sequence[PlanProgram]
) -> RunEnds:
    """What ends the run before its duration; a flow that has no end before it is a `ScenarioError`."""
    if scenario.ends_with is None:
        return RunEnds([], [])
    if not scenario.ends_with:
        raise ScenarioError(_KEY, "names no flow", "Name at least one, or leave it out")
    kinds = {"flow": [flow["name"] for flow in flows], "program": [one["name"] for one in programs]}
    ending, ended = chosen_numbers(_KEY, scenario.ends_with, kinds)
    _check_ends(flows, ending, scenario.duration)
    return RunEnds(ending, ended)


def _check_ends(flows: Sequence[PlanFlow], numbers: Sequence[int], duration_ns: int) -> None:
    for number in numbers:
        if not _has_an_end(flows[number], duration_ns):
            what = f'"{flows[number]["name"]}" goes on until the run ends'
            remedy = "Give it an amount (bytes, count or length), or a stop before the run's duration"
            raise ScenarioError(_KEY, what, remedy)


def _has_an_end(flow: PlanFlow, duration_ns: int) -> bool:
    """Whether an amount or a time ends it. Of bulk transfers only those of `bytes` have an amount."""
    workload = flow["workload"]
    counted = workload.get("count") is not None or workload.get("length_ns") is not None
    return counted or flow["stop_ns"] < duration_ns
