"""A run that reads each series once and splits it once by flow, ping or stream."""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from airtcp.data.run_folder import Run, open_run
from airtcp.data.series_file import NOT_RECORDED_REMEDY
from airtcp.errors import AirtcpError

if TYPE_CHECKING:
    import polars


class NotRecorded(AirtcpError):
    """A series that the run did not record, which is no damage."""


@dataclass(frozen=True)
class ReadOnce(Run):
    """A run that keeps its series in memory, split by flow, ping and stream; drop it when done."""

    _named: "dict[str, polars.DataFrame]" = field(default_factory=dict, repr=False, compare=False)

    def series(self, name: str, *columns: str) -> "polars.DataFrame":
        """As `Run.series`; one that was not recorded is `NotRecorded`."""
        if name not in self._series and not self._file(name).exists():
            place = str(self._file(name))
            raise NotRecorded("is missing: the run recorded no such series", place, NOT_RECORDED_REMEDY)
        return super().series(name, *columns)

    @cached_property
    def recorded(self) -> tuple[str, ...]:
        """As `Run.recorded`."""
        return super().recorded

    def named(self, name: str) -> "polars.DataFrame":
        """As `Run.named`."""
        if name not in self._named:
            self._named[name] = super().named(name)
        return self._named[name]

    def flow_samples(self, flow: int) -> "polars.DataFrame":
        """As `Run.flow_samples`."""
        return self._part("flows", "flow", flow)

    def ping_samples(self, ping: int) -> "polars.DataFrame":
        """As `Run.ping_samples`."""
        return self._part("pings", "ping", ping)

    def transfers_of(self, flow: int) -> "polars.DataFrame":
        """As `Run.transfers_of`."""
        return self._part("transfers", "flow", flow)

    def stream_datagrams(self, stream: int) -> "polars.DataFrame":
        """As `Run.stream_datagrams`."""
        return self._part("datagrams", "stream", stream)

    def _part(self, name: str, column: str, number: int) -> "polars.DataFrame":
        part = self.parts(name, column).get((number,))
        return self.series(name).clear() if part is None else part


def open_once(folder: Path) -> ReadOnce:
    """Opens a run folder; errors are those of `open_run`."""
    run = open_run(folder)
    return ReadOnce(run.folder, run.plan, run.manifest, run.agent, run.air_report, run.sockets)
