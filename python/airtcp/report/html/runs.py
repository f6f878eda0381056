"""The runs of a page: each opened once, its row kept, its details put on disk until the page is written."""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from airtcp.plans.factors import PlanComparison
from airtcp.plans.groups import NO_GROUPS, Groups
from airtcp.quantities.named_number import NamedNumber, numbers_named
from airtcp.quantities.registry import COMPARED
from airtcp.report.html.read_run import Broken, PageAsked, Read
from airtcp.report.html.read_runs import read_all
from airtcp.report.html.record import Record
from airtcp.report.html.timeline_script import is_built

# Points of a line, by the number of runs: a page of many runs must still open quickly.
POINTS = ((100, 1200), (600, 600))
POINTS_OF_MANY = 300
# A timeline of a minute of a busy link takes about 1 MB: of more runs a page has the command that writes it.
TIMELINES_MOST = 4


def points_of(count: int) -> int:
    """Points of a line at most on a page of so many runs."""
    return next((points for runs_most, points in POINTS if count <= runs_most), POINTS_OF_MANY)


def _aside() -> IO[str]:
    return tempfile.TemporaryFile("w+", encoding="ascii")


@dataclass
class Runs:
    """Rows of the runs in the order they were added; broken and repeated ones stand apart, never left out.

    `measures` are the numbers by which they are compared; `asked`: for by name. `timelines`: the
    details have them.
    """

    points_most: int
    measures: Sequence[NamedNumber] = ()
    asked: bool = False
    timelines: bool = False
    records: list[Record] = field(default_factory=list)
    broken: list[Broken] = field(default_factory=list)
    repeated: list[Broken] = field(default_factory=list)
    plans: PlanComparison = field(default_factory=PlanComparison)
    _seen: dict[str, str] = field(default_factory=dict)
    _details: IO[str] = field(default_factory=_aside)

    @classmethod
    def of(
        cls,
        folders: Sequence[Path],
        processes: int = 1,
        values: Sequence[str] = (),
        groups: Groups = NO_GROUPS,
    ) -> Self:
        """All runs in these folders, read by so many processes, to be compared by these values, with groups
        beside their own.

        `values` are names of quantities (docs/reference/quantities.md); default: those of every report. An
        unknown one is an `AirtcpError`.

        With more than one, the program that calls this must be guarded by `if __name__ == "__main__"`, for
        each process imports it.
        """
        points = points_of(len(folders))
        measures = numbers_named(values or COMPARED, "--values")
        timelines = len(folders) <= TIMELINES_MOST and is_built()
        runs = cls(points, measures, asked=bool(values), timelines=timelines)
        asked = PageAsked(points, [measure.name for measure in measures], dict(groups), timelines)
        for folder, read in zip(folders, read_all(folders, asked, processes), strict=True):
            runs.add(folder, read)
        return runs

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._details.close()

    def add(self, folder: Path, read: Read | Broken) -> None:
        """Takes a run in: its row, its plan, its details."""
        if isinstance(read, Broken):
            self.broken.append(read)
        elif read.record.run in self._seen:
            self.repeated.append(Broken(f"{folder}: is the same run as {self._seen[read.record.run]}"))
        else:
            self._seen[read.record.run] = str(folder)
            self.records.append(read.record)
            self.plans.add(read.plan)
            self._details.write(read.details + "\n")

    @property
    def shown(self) -> list[NamedNumber]:
        """The measures of a page: those asked for, or of the usual ones those that a run has."""
        return [
            measure
            for measure in self.measures
            if self.asked or any(measure.name not in record.lacking for record in self.records)
        ]

    def details(self) -> Iterator[str]:
        """The details of each run, packed, in the order of `records`."""
        self._details.seek(0)
        for line in self._details:
            yield line.rstrip("\n")
