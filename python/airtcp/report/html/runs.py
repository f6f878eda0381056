"""The runs of a page: each opened once, its row kept, its details put on disk until the page is written."""

import base64
import gzip
import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from airtcp.data.read_once import open_once
from airtcp.errors import AirtcpError
from airtcp.report.html.record import Record, details_of, record_of

# Points of a line, by the number of runs: a page of many runs must still open quickly.
POINTS = ((100, 1200), (600, 600))
POINTS_OF_MANY = 300


def _aside() -> IO[str]:
    return tempfile.TemporaryFile("w+", encoding="ascii")


@dataclass(frozen=True)
class Broken:
    """A folder that is not shown as a run, and why."""

    text: str


@dataclass
class Runs:
    """Rows of the runs in the order they were added; broken and repeated ones stand apart, never left out."""

    points_most: int
    records: list[Record] = field(default_factory=list)
    broken: list[Broken] = field(default_factory=list)
    repeated: list[Broken] = field(default_factory=list)
    _seen: dict[str, str] = field(default_factory=dict)
    _details: IO[str] = field(default_factory=_aside)

    @classmethod
    def of(cls, folders: Sequence[Path]) -> Self:
        """All runs in these folders."""
        points = next((points for count, points in POINTS if len(folders) <= count), POINTS_OF_MANY)
        runs = cls(points)
        for folder in folders:
            runs.add(folder)
        return runs

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._details.close()

    def add(self, folder: Path) -> None:
        """Opens a run folder, makes its row, puts its details aside."""
        try:
            run = open_once(folder)
            record = record_of(run)
            if record.run in self._seen:
                self.repeated.append(Broken(f"{folder}: is the same run as {self._seen[record.run]}"))
                return
            details = details_of(run, record, self.points_most)
        except AirtcpError as error:
            self.broken.append(Broken(str(error)))
            return
        self._seen[record.run] = str(folder)
        self.records.append(record)
        self._details.write(packed(details) + "\n")

    def details(self) -> Iterator[str]:
        """The details of each run, packed, in the order of `records`."""
        self._details.seek(0)
        for line in self._details:
            yield line.rstrip("\n")


def packed(value: object) -> str:
    """JSON, gzip, base64: what `DecompressionStream` of a browser opens."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    # A date in it would make equal runs differ.
    return base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode("ascii")
