"""Running cases: each in a guest of its own, several at once, and again for a comparison to the bit."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from airtcp.execution.events import Done
from airtcp.execution.executors.executor import Job
from airtcp.packetdrill.known import Conditions, differences_of
from airtcp.packetdrill.plan import Setting, case_plan
from airtcp.packetdrill.result import Ending, Result, Verdict, ending_of_failure, ending_of_run
from airtcp.packetdrill.variants import Case
from airtcp.suites.guests import Place, runs_of

STALL_S = 20
"""Seconds of real time for which virtual time may stand still: then the script hangs."""


@dataclass(frozen=True)
class Changed:
    """A case whose ending in a repetition differs from its first: in what."""

    case: Case
    repetition: int
    what: str


class SuiteRun:
    """Cases that are run with one setting, once and again."""

    def __init__(self, cases: Sequence[Case], setting: Setting, place: Place, conditions: Conditions) -> None:
        self._cases, self._setting, self._place, self._conditions = cases, setting, place, conditions

    def first(self, ended: Callable[[Result], None]) -> list[Result]:
        """Runs every case and writes its output; `ended` is told each result. In the order of the cases.

        Raises:
            AirtcpError: runs can't be made, whatever the script.
        """
        results: dict[int, Result] = {}
        for number, ending, cpu_s in self._run():
            result = judged(self._cases[number], ending, cpu_s, self._conditions)
            results[number] = result
            write_output(self._place.outputs, result.case, ending.output)
            ended(result)
        return [results[number] for number in range(len(self._cases))]

    def again(
        self, results: Sequence[Result], repetitions: int, ended: Callable[[int, int, int], None]
    ) -> list[Changed]:
        """Runs all until each was run so often; returns what came out otherwise, and writes its output.

        `ended` is told the repetition, their number and that of changes.
        """
        changed: list[Changed] = []
        for repetition in range(2, repetitions + 1):
            for number, ending, _ in self._run(fresh=True):
                case = self._cases[number]
                what = change(results[number].ending, ending)
                if what:
                    changed.append(Changed(case, repetition, what))
                    write_output(self._place.outputs, case, ending.output, repetition)
            ended(repetition, repetitions, len(changed))
        return changed

    def _run(self, *, fresh: bool = False) -> Iterator[tuple[int, Ending, float]]:
        """The number of each case with its ending and computing time in seconds, as they end."""
        jobs = (Job(case.label, case_plan(case, self._setting)) for case in self._cases)
        place = replace(self._place, at_once=min(self._place.at_once, len(self._cases)))
        with closing(runs_of(jobs, place, STALL_S, fresh=fresh)) as runs:
            for number, end in runs:
                if isinstance(end, Done):
                    yield number, ending_of_run(end), end.cpu_s
                else:
                    yield number, ending_of_failure(end), 0.0


def judged(case: Case, ending: Ending, cpu_s: float, conditions: Conditions) -> Result:
    """The result of a case: what is known of it decides what its failure means."""
    known = differences_of(case, conditions)
    result = Result(case, ending, Verdict.PASSED, cpu_s=cpu_s)
    if ending.status == 0:
        always = [one for one in known if not one.when]
        if not always:
            return result
        return replace(result, verdict=Verdict.PASSED_ALL_THE_SAME, known=always[0].reason)
    # What hangs has no known difference, unless that says so.
    for one in known:
        if one.when in result.reason and (one.when or not ending.failure):
            return replace(result, verdict=Verdict.KNOWN, known=one.reason)
    return replace(result, verdict=Verdict.FAILED)


def change(first: Ending, again: Ending) -> str:
    """In what two endings of a case differ; empty if they are the same."""
    if first.failure or again.failure:
        return (
            ""
            if first.failure == again.failure
            else f"{first.failure or 'ended'}, then {again.failure or 'ended'}"
        )
    if first.status != again.status:
        return f"exit status {first.status}, then {again.status}"
    if first.output != again.output:
        return "output"
    if first.end_ns != again.end_ns:
        return f"end at {first.end_ns} ns, then at {again.end_ns} ns"
    return ""


def write_output(folder: Path, case: Case, output: bytes, repetition: int = 0) -> Path:
    """Writes what a case printed; returns the file."""
    name = f"{case.script.name}.{case.ip}{f'.repetition-{repetition}' if repetition else ''}.txt"
    file = folder / case.script.suite / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(output)
    return file
