"""Conducts a campaign: what is missing is run, whatever fails; every run is read as it comes."""

import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from airtcp.campaign.known_numbers import KnownNumbers
from airtcp.campaign.schedule import Schedule, Work
from airtcp.campaign.watcher import Failed, Watcher
from airtcp.data.read_once import NotRecorded
from airtcp.errors import AirtcpError
from airtcp.execution.events import Done
from airtcp.execution.executors.executor import Executor
from airtcp.quantities.quantity import MetricError
from airtcp.studies.cases import Case
from airtcp.studies.measuring import Measured

# A campaign that is killed forgets no more than this of its index; runs are never lost.
SAVE_EVERY_S = 20.0


@dataclass
class Swept:
    """What a campaign came to: cases with the folders of their runs, what was read off these, failures."""

    schedule: Schedule
    ends: dict[int, Path] = field(default_factory=dict)
    measured: dict[Path, Measured] = field(default_factory=dict)
    failed: list[Failed] = field(default_factory=list)
    failed_cases: dict[int, Failed] = field(default_factory=dict)
    computed: int = 0

    def cases(self) -> list[tuple[Case, Path]]:
        """Every case that has a run, in the campaign's order."""
        return [(self.schedule.cases[number], folder) for number, folder in sorted(self.ends.items())]


class Conductor:
    """Runs what a schedule misses on an executor, and reads what is wanted off all of it."""

    def __init__(self, schedule: Schedule, numbers: KnownNumbers, watcher: Watcher) -> None:
        self._schedule = schedule
        self._numbers = numbers
        self._watcher = watcher
        self._swept = Swept(schedule)
        self._saved = time.monotonic()

    def conduct(self, executor: Executor) -> Swept:
        """Returns when everything has ended; interrupted, it ends what runs and keeps what is known."""
        schedule = self._schedule
        self._watcher.begin(schedule.runs, len(set(schedule.there.values())), executor.at_once)
        try:
            self._run(schedule.missing, executor)
            damaged = self._read_those_there()
            self._run(schedule.again(damaged), executor)
        finally:
            self._save()
            self._watcher.end()
        return self._swept

    def _run(self, works: Sequence[Work], executor: Executor) -> None:
        if not works:
            return
        with closing(executor.outcomes(self._schedule.jobs(works), self._watcher)) as outcomes:
            for outcome in outcomes:
                self._take(outcome.number, works[outcome.number], outcome.end)
                if time.monotonic() - self._saved > SAVE_EVERY_S:
                    self._save()

    def _take(self, number: int, work: Work, end: Done | AirtcpError) -> None:
        try:
            if not isinstance(end, Done):
                raise end
            self._measure(end.folder)
        except MetricError:
            # It would be so with every run.
            raise
        except AirtcpError as error:
            self._fail(number, work, error)
            return
        for case in work.cases:
            self._schedule.index.add(self._schedule.cases[case], end.folder.name, work.series)
            self._swept.ends[case] = end.folder
        self._swept.computed += not end.cached
        self._watcher.done(number, work.label, end)

    def _fail(self, number: int, work: Work, error: AirtcpError) -> None:
        case = self._schedule.cases[work.cases[0]]
        failed = Failed(work.label, dict(case.levels), case.seed, error)
        self._swept.failed.append(failed)
        self._swept.failed_cases.update(dict.fromkeys(work.cases, failed))
        self._watcher.failed(number, failed)

    def _read_those_there(self) -> list[int]:
        """Reads what was there before; returns the cases whose folders are damaged."""
        damaged = []
        broken: set[Path] = set()
        for number, folder in self._schedule.there.items():
            if folder not in broken:
                try:
                    self._measure(folder)
                    self._swept.ends[number] = folder
                    continue
                except MetricError:
                    raise
                except AirtcpError:
                    broken.add(folder)
            damaged.append(number)
        return damaged

    def _measure(self, folder: Path) -> None:
        if folder not in self._swept.measured:
            try:
                self._swept.measured[folder] = self._numbers.measure(folder)
            except NotRecorded as error:
                raise MetricError(error.what, error.place, error.remedy) from None

    def _save(self) -> None:
        self._schedule.index.save()
        self._numbers.save()
        self._saved = time.monotonic()
