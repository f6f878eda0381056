"""What every executor does: takes jobs, gives their outcomes as they come."""

from collections.abc import Generator, Iterable
from dataclasses import dataclass
from threading import Lock
from typing import Protocol

from airtcp.errors import AirtcpError
from airtcp.execution.events import Done, Progress
from airtcp.scenario.plan_types.plan import Plan


@dataclass(frozen=True)
class Job:
    """A plan to run, and what people call it; `fresh`: compute it even if the store has it.

    `file` is the scenario it was compiled from, for messages.
    """

    label: str
    plan: Plan
    fresh: bool = False
    file: str = ""


@dataclass(frozen=True)
class Outcome:
    """How a job ended; `number` is its place among the jobs."""

    number: int
    job: Job
    end: Done | AirtcpError


class Watch(Protocol):
    """Who is told how runs get on. Its functions are called by several threads."""

    def started(self, number: int, label: str) -> None:
        """A run begins."""

    def moved(self, number: int, progress: Progress) -> None:
        """A run has come this far."""


class Executor(Protocol):
    """A place where runs are computed."""

    @property
    def at_once(self) -> int:
        """How many runs it computes at the same time."""

    def outcomes(self, jobs: Iterable[Job], watch: Watch) -> Generator[Outcome, None, None]:
        """Computes every job; the outcomes are in the order in which runs end.

        A failed run is an outcome like another. Jobs are taken when there is room for them, by any thread but
        one at a time. Who closes the iterator before its end, or leaves it by an exception, ends the runs
        under way; it returns when none is left.
        """


class Source:
    """Jobs with their numbers, given out one at a time to whichever thread asks."""

    def __init__(self, jobs: Iterable[Job]) -> None:
        self._jobs = enumerate(jobs)
        self._lock = Lock()
        self._closed = False

    def next(self) -> tuple[int, Job] | None:
        """The next job; `None` when there is none left."""
        with self._lock:
            return None if self._closed else next(self._jobs, None)

    def close(self) -> None:
        """No further job is given out."""
        with self._lock:
            self._closed = True
