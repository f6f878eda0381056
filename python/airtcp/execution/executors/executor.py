"""The interface of executors: jobs in, outcomes out in the order in which runs end."""

from collections.abc import Generator, Iterable
from dataclasses import dataclass
from threading import Lock
from typing import Protocol

from airtcp.errors import AirtcpError
from airtcp.execution.events import Done, Progress
from airtcp.plans.types.plan import Plan


@dataclass(frozen=True)
class Job:
    """A plan to run and its label; `fresh`: compute it even if the store has it.

    `file` is its scenario file, for messages.
    """

    label: str
    plan: Plan
    fresh: bool = False
    file: str = ""


@dataclass(frozen=True)
class Outcome:
    """The end of a job; `number` is its index among the jobs."""

    number: int
    job: Job
    end: Done | AirtcpError


class RunListener(Protocol):
    """Receives the progress of runs, from several threads."""

    def started(self, number: int, label: str) -> None:
        """A run starts."""

    def moved(self, number: int, progress: Progress) -> None:
        """A run reports its virtual time."""


class Unwatched:
    """Runs of which nobody watches the progress."""

    def started(self, number: int, label: str) -> None:
        """A run starts."""

    def moved(self, number: int, progress: Progress) -> None:
        """A run reports its virtual time."""


class Executor(Protocol):
    """A place where runs are computed."""

    @property
    def at_once(self) -> int:
        """The number of concurrent runs."""

    def outcomes(self, jobs: Iterable[Job], listener: RunListener) -> Generator[Outcome, None, None]:
        """Computes every job; the outcomes are in the order in which runs end.

        A failed run is an outcome too. Jobs are taken one at a time, possibly by other threads, when an
        executor has room for them. Closing the iterator early ends all active runs before it returns.
        """


class Source:
    """A thread-safe iterator of jobs with their numbers."""

    def __init__(self, jobs: Iterable[Job]) -> None:
        self._jobs = enumerate(jobs)
        self._lock = Lock()
        self._closed = False

    def next(self) -> tuple[int, Job] | None:
        """The next job; `None` after the last one."""
        with self._lock:
            return None if self._closed else next(self._jobs, None)

    def close(self) -> None:
        """Makes every later `next` return `None`."""
        with self._lock:
            self._closed = True
