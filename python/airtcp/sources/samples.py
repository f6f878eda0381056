"""What files of other programs say of traffic, in the columns of a run's series."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from airtcp.errors import AirtcpError
from airtcp.formats.measurement import Measurement
from airtcp.sources.sources_file import Source

if TYPE_CHECKING:
    import polars

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Samples:
    """Rows with their times from the begin of the measurement, the columns that are known, and its length."""

    rows: Rows
    end_ns: int
    notes: tuple[str, ...] = ()

    def within(self, begin_ns: int, end_ns: int | None) -> "Samples":
        """Those of a part, with times from its begin on; counters begin there at 0."""
        last_ns = self.end_ns if end_ns is None else min(end_ns, self.end_ns)
        if begin_ns == 0 and last_ns == self.end_ns:
            return self
        kept = [row for row in self.rows if begin_ns <= row["time_ns"] <= last_ns]
        before = [row for row in self.rows if row["time_ns"] <= begin_ns]
        if before and _COUNTERS[0] in before[-1]:
            base = before[-1]
            kept = [{**base, "time_ns": begin_ns}, *(row for row in kept if row["time_ns"] > begin_ns)]
            counted = {key: base.get(key, 0) for key in _COUNTERS}
        else:
            counted = dict.fromkeys(_COUNTERS, 0)
        moved = [
            {key: value - counted.get(key, begin_ns if key == "time_ns" else 0) for key, value in row.items()}
            for row in kept
        ]
        return Samples(moved, last_ns - begin_ns, self.notes)


_COUNTERS = ("bytes_received", "total_retrans")


def flent_series(measured: Measurement, source: Source, units: str) -> "polars.DataFrame":
    """The one data series of Flent in these units that the source means, where it has values."""
    frame = measured.frame("series")
    frame = frame.filter((frame["units"] == units) & frame["value"].is_not_null())
    names = frame["series"].unique(maintain_order=True).to_list()
    if source.series is not None:
        names = [name for name in names if name == source.series]
    if len(names) != 1:
        has = ", ".join(frame["series"].unique(maintain_order=True).to_list()) or "none"
        what = f"has {len(names)} data series in {units} that may be meant"
        raise AirtcpError(what, str(measured.file), f"Name one of them, series = ...: {has}")
    return frame.filter(frame["series"] == names[0])
