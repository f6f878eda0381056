"""Virtual runs of a model: many sets of values at once, each as a row of statistics."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from pathlib import Path

import numpy as np

from airtcp.errors import AirtcpError
from airtcp.execution.cores import runs_at_once
from airtcp.execution.events import Done, RunInterrupted
from airtcp.execution.executors.executor import Job, Unwatched
from airtcp.execution.executors.local import LocalExecutor
from airtcp.execution.limits import NO_LIMITS, Limits
from airtcp.execution.locate import find_kernel, find_runner
from airtcp.execution.runner import Tools
from airtcp.execution.store import prepare_store
from airtcp.fitting.model import Model, Values
from airtcp.fitting.settings import Setting
from airtcp.fitting.statistics import numbers_of
from airtcp.metrics.arrays import Floats

# Called with the number of runs that have ended, and how many there are.
Report = Callable[[int, int], None]


def uncounted(done: int, count: int) -> None:
    """For runs that nobody counts."""


@dataclass(frozen=True)
class Point:
    """A set of values and the seed of its runs."""

    values: Values
    seed: int


@dataclass(frozen=True)
class Place:
    """The place of virtual runs: the store, the number at once, and limits."""

    store: Path
    jobs: int | None = None
    limits: Limits = NO_LIMITS


@dataclass
class VirtualRuns:
    """Computes plans on this machine; runs that the store has are not computed again."""

    place: Place
    report: Report = uncounted
    computed: int = 0
    failed: list[str] = field(default_factory=list)

    def folders(self, jobs: Sequence[Job]) -> list[Path | None]:
        """The run folder of each job, `None` of a run that failed; an interruption is raised."""
        kernels = {series: find_kernel(series) for series in {job.plan["kernel"] for job in jobs}}
        tools = Tools(find_runner(), kernels, prepare_store(self.place.store), limits=self.place.limits)
        executor = LocalExecutor(tools, max(1, min(runs_at_once(self.place.jobs), len(jobs))))
        found: list[Path | None] = [None] * len(jobs)
        with closing(executor.outcomes(jobs, Unwatched())) as outcomes:
            for count, outcome in enumerate(outcomes, start=1):
                if isinstance(outcome.end, RunInterrupted):
                    raise outcome.end
                if isinstance(outcome.end, Done):
                    found[outcome.number] = outcome.end.folder
                    self.computed += not outcome.end.cached
                else:
                    self.failed.append(f"{outcome.job.label}: {outcome.end}")
                self.report(count, len(jobs))
        if jobs and all(folder is None for folder in found):
            raise AirtcpError(f"no virtual run succeeded: {self.failed[-1]}", "the model", "Run it alone")
        return found


@dataclass(frozen=True)
class Experiment:
    """The measured settings, and the statistics by which they are matched, one after another."""

    model: Model
    settings: tuple[Setting, ...]
    names: tuple[tuple[str, ...], ...]
    """The statistics of each setting."""

    @property
    def labels(self) -> list[str]:
        """What every statistic is called."""
        return [
            f"{name} ({setting.label})" if len(self.settings) > 1 else name
            for setting, names in zip(self.settings, self.names, strict=True)
            for name in names
        ]

    @property
    def blocks(self) -> list[slice]:
        """The slice of the statistics of each setting."""
        ends = accumulate((len(names) for names in self.names), initial=0)
        return [slice(begin, end) for begin, end in pairwise(ends)]

    def rows(self, runs: VirtualRuns, points: Sequence[Point]) -> Floats:
        """A row of statistics for each point; `nan` where a run failed or has no number."""
        jobs = [
            Job(f"{setting.label}, point {n}", self.model.plan(point.values, setting, point.seed))
            for n, point in enumerate(points)
            for setting in self.settings
        ]
        folders = runs.folders(jobs)
        rows = np.full((len(points), sum(map(len, self.names))), np.nan)
        for n, folder in enumerate(folders):
            if folder is None:
                continue
            point, setting = divmod(n, len(self.settings))
            numbers = numbers_of(folder, self.model.compared)
            rows[point, self.blocks[setting]] = [numbers.get(name, np.nan) for name in self.names[setting]]
        return rows
