"""Runs a list of jobs; the first failure ends the others."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from airtcp.errors import AirtcpError
from airtcp.execution.events import Done, RunFailed
from airtcp.execution.executors.executor import Job, RunListener
from airtcp.execution.executors.local import LocalExecutor
from airtcp.execution.runner import Tools
from airtcp.scenario.reading.toml_file import read_text
from airtcp.scenario.reading.toml_lines import line_of


class RunDisplay(RunListener, Protocol):
    """Shows runs while they go on."""

    def __enter__(self) -> Self:
        """Begins to show."""

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """All runs have ended."""

    def finished(self, number: int, label: str, done: Done) -> None:
        """A run is complete."""


def run_jobs(jobs: Sequence[Job], tools: Tools, at_once: int, display: RunDisplay) -> list[Done]:
    """Runs every job, `at_once` at a time; the results are in the order of the jobs.

    The first failure or an interruption (Ctrl-C) ends all runs; it is raised when no runner is left.
    """
    executor = LocalExecutor(tools, max(1, min(at_once, len(jobs))))
    ends: dict[int, Done] = {}
    with display, closing(executor.outcomes(jobs, display)) as outcomes:
        for outcome in outcomes:
            if isinstance(outcome.end, RunFailed) and outcome.job.file:
                raise outcome.end.at(_place(outcome.job.file, outcome.end.place))
            if not isinstance(outcome.end, Done):
                raise outcome.end
            ends[outcome.number] = outcome.end
            display.finished(outcome.number, outcome.job.label, outcome.end)
    return [ends[number] for number in range(len(jobs))]


def _place(file: str, key: str) -> str:
    """The file, with the line of the key in it, and the key."""
    try:
        line = line_of(read_text(Path(file)), key)
    except AirtcpError:  # it has been removed since, or is a plan
        line = None
    return ": ".join(filter(None, (file if line is None else f"{file}:{line}", key)))
