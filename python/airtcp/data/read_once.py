"""A run for one report: it labels each series once, and knows what was not recorded."""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from airtcp.data.run_folder import Run, open_run
from airtcp.data.series.catalogue import SERIES
from airtcp.data.series_file import NOT_RECORDED_REMEDY
from airtcp.errors import AirtcpError

if TYPE_CHECKING:
    import polars


class NotRecorded(AirtcpError):
    """A series that the run did not record, which is no damage."""


@dataclass(frozen=True)
class ReadOnce(Run):
    """A run that keeps its series with names in memory, too; drop it when done."""

    _named: "dict[str, polars.DataFrame]" = field(default_factory=dict, repr=False, compare=False)

    def series(self, name: str, *columns: str) -> "polars.DataFrame":
        """One series, as `Run.series` gives it; one that was not recorded is `NotRecorded`."""
        if name not in self._series and name in SERIES and name not in self.recorded:
            raise NotRecorded(f'recorded no series "{name}"', str(self.folder), NOT_RECORDED_REMEDY)
        return super().series(name, *columns)

    @cached_property
    def recorded(self) -> tuple[str, ...]:
        """Names of the series that the run recorded."""
        return super().recorded

    def named(self, name: str) -> "polars.DataFrame":
        """One series with names beside numbers, as `Run.named` gives it."""
        if name not in self._named:
            self._named[name] = super().named(name)
        return self._named[name]


def open_once(folder: Path) -> ReadOnce:
    """Opens a run folder; errors are those of `open_run`."""
    run = open_run(folder)
    return ReadOnce(run.folder, run.plan, run.manifest, run.agent, run.air_report, run.sockets)
