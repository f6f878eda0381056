"""What one agent has sent of a run: its files, its report, and its clock."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from airtcp.data.record_file import RecordFile, as_frame
from airtcp.measurement.clocks import NodeClock
from airtcp.measurement.facts import MachineFacts
from airtcp.plans.types.messages import MeasurementAnswerCollected

if TYPE_CHECKING:
    import polars

RECORDS = "records"


@dataclass(frozen=True)
class NodeRecords:
    """The records of a node."""

    node: str
    folder: Path
    """Folder of the node's files."""
    report: MeasurementAnswerCollected
    facts: MachineFacts
    clock: NodeClock
    _frames: "dict[str, polars.DataFrame | None]" = field(default_factory=dict, repr=False, compare=False)

    def frame(self, name: str) -> "polars.DataFrame | None":
        """A table of the agent, with times of this machine's clock; `None` without one. Read once."""
        if name not in self._frames:
            self._frames[name] = self._read(name)
        return self._frames[name]

    def _read(self, name: str) -> "polars.DataFrame | None":
        path = self.folder / RECORDS / f"{name}.rec"
        if not path.is_file():
            return None
        file = RecordFile(path)
        try:
            frame = as_frame(file.rows())
        finally:
            file.close()
        return frame.with_columns(time_ns=aligned(self.clock)(frame["time_ns"]))


def aligned(clock: NodeClock) -> "Callable[[polars.Series], polars.Series]":
    """Times of a node on this machine's clock: a clock that drifted was right at the start."""
    rate = 1 - clock.drift_ppm * 1e-6
    if rate == 1.0:
        return lambda times: times

    def align(times: "polars.Series") -> "polars.Series":
        import polars

        return (times.cast(polars.Float64) * rate).round(0).cast(polars.Int64)

    return align
