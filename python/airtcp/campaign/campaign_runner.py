"""Runs a campaign: computes missing runs, goes on after failures, and computes metrics as runs end."""

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from airtcp.campaign.listener import CampaignListener, FailedRun
from airtcp.campaign.metric_cache import MetricCache
from airtcp.campaign.schedule import PendingRun, Schedule
from airtcp.data.groups import keep_groups
from airtcp.data.read_once import NotRecorded
from airtcp.errors import AirtcpError
from airtcp.execution.events import Done
from airtcp.execution.executors.executor import Executor
from airtcp.quantities.quantity import MetricError
from airtcp.studies.cases import Case
from airtcp.studies.measuring import Measured

# A killed campaign loses at most this much of its index; complete runs are never lost.
SAVE_EVERY_S = 20.0


@dataclass
class CampaignResult:
    """The result of a campaign: `folders` of runs by case number, metrics by folder, and failures."""

    schedule: Schedule
    folders: dict[int, Path] = field(default_factory=dict)
    measured: dict[Path, Measured] = field(default_factory=dict)
    failed: list[FailedRun] = field(default_factory=list)
    failed_cases: dict[int, FailedRun] = field(default_factory=dict)
    computed: int = 0

    def cases(self) -> list[tuple[Case, Path]]:
        """Every case that has a run, in the campaign's order."""
        return [(self.schedule.cases[number], folder) for number, folder in sorted(self.folders.items())]


class CampaignRunner:
    """Computes the missing runs of a schedule on an executor, and the metrics of all its runs."""

    def __init__(
        self,
        schedule: Schedule,
        metrics: MetricCache,
        listener: CampaignListener,
        prepare: Callable[[Path], None] = lambda _: None,
    ) -> None:
        """`prepare` is called with the folder of each computed run while further runs go on."""
        self._schedule = schedule
        self._metrics = metrics
        self._listener = listener
        self._prepare = prepare
        self._result = CampaignResult(schedule)
        self._saved = time.monotonic()

    def run(self, executor: Executor) -> CampaignResult:
        """Returns when all runs have ended; an interruption ends running guests and saves the index."""
        schedule = self._schedule
        self._listener.begin(schedule.runs, len(set(schedule.there.values())), executor.at_once)
        try:
            self._compute(schedule.missing, executor)
            damaged = self._measure_stored()
            self._compute(schedule.again(damaged), executor)
        finally:
            self._save()
            self._listener.end()
        return self._result

    def _compute(self, pending: Sequence[PendingRun], executor: Executor) -> None:
        if not pending:
            return
        with closing(executor.outcomes(self._schedule.jobs(pending), self._listener)) as outcomes:
            for outcome in outcomes:
                self._handle_outcome(outcome.number, pending[outcome.number], outcome.end)
                if time.monotonic() - self._saved > SAVE_EVERY_S:
                    self._save()

    def _handle_outcome(self, number: int, run: PendingRun, end: Done | AirtcpError) -> None:
        try:
            if not isinstance(end, Done):
                raise end
            self._measure(end.folder)
        except MetricError:
            # A wrong metric fails in every run.
            raise
        except AirtcpError as error:
            self._fail(number, run, error)
            return
        for case in run.cases:
            self._schedule.index.add(self._schedule.cases[case], end.folder.name, run.series)
            self._add(case, end.folder)
        self._result.computed += not end.cached
        self._listener.done(number, run.label, end)
        self._prepare(end.folder)

    def _add(self, number: int, folder: Path) -> None:
        self._result.folders[number] = folder
        keep_groups(folder, self._schedule.plans.groups(self._schedule.cases[number]))

    def _fail(self, number: int, run: PendingRun, error: AirtcpError) -> None:
        case = self._schedule.cases[run.cases[0]]
        failed = FailedRun(run.label, dict(case.levels), case.seed, error)
        self._result.failed.append(failed)
        self._result.failed_cases.update(dict.fromkeys(run.cases, failed))
        self._listener.failed(number, failed)

    def _measure_stored(self) -> list[int]:
        """Computes the metrics of runs that the store had; returns the cases whose folders are damaged."""
        damaged = []
        broken: set[Path] = set()
        for number, folder in self._schedule.there.items():
            if folder not in broken:
                try:
                    self._measure(folder)
                    self._add(number, folder)
                    continue
                except MetricError:
                    raise
                except AirtcpError:
                    broken.add(folder)
            damaged.append(number)
        return damaged

    def _measure(self, folder: Path) -> None:
        if folder not in self._result.measured:
            try:
                self._result.measured[folder] = self._metrics.measure(folder)
            except NotRecorded as error:
                raise MetricError(error.what, error.place, error.remedy) from None

    def _save(self) -> None:
        self._schedule.index.save()
        self._metrics.save()
        self._saved = time.monotonic()
