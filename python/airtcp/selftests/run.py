"""Running tests: each in a guest of its own, several at once."""

from collections.abc import Callable, Sequence
from pathlib import Path

from airtcp.execution.executors.executor import Job
from airtcp.selftests.installed import Selftest
from airtcp.selftests.plan import selftest_plan
from airtcp.selftests.result import Result, judged, not_built
from airtcp.suites.known import Conditions
from airtcp.suites.runs import Place, endings

STALL_S = 300
"""Seconds of real time for which virtual time may stand still: tests make files, and compare them."""


def run_tests(
    tests: Sequence[Selftest], kernel: str, place: Place, ended: Callable[[Result], None]
) -> list[Result]:
    """Runs every test and writes its output; `ended` is told each result. In the order of the tests.

    Raises:
        AirtcpError: runs can't be made, whatever the test.
    """
    conditions = Conditions.of_kernel(kernel, "")
    results: dict[int, Result] = {}
    built = [number for number, test in enumerate(tests) if test.is_built]
    for number, test in enumerate(tests):
        if not test.is_built:
            results[number] = not_built(test)
            ended(results[number])
    jobs = [Job(tests[number].label, selftest_plan(tests[number], kernel)) for number in built]
    for job, ending, cpu_s in endings(jobs, place, STALL_S) if jobs else ():
        result = judged(tests[built[job]], ending, cpu_s, conditions)
        results[built[job]] = result
        _write(place.outputs, result)
        ended(result)
    return [results[number] for number in range(len(tests))]


def _write(folder: Path, result: Result) -> None:
    file = folder / result.test.folder / f"{result.test.name}.txt"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(result.ending.output)
