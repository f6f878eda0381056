"""Lines over time, and how rows of a series become one."""

import math
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from airtcp.metrics.arrays import Floats, Integers
from airtcp.metrics.bins import rates_on_grid
from airtcp.metrics.delay import up_to_last_arrival

if TYPE_CHECKING:
    import polars


class Join(Enum):
    """What holds between two values of a line; the value is matplotlib's word for it."""

    STRAIGHT = "default"
    """Not known: a straight line leads the eye (samples)."""
    SINCE = "steps-pre"
    """The later value (a mean over the time since the earlier one)."""
    UNTIL = "steps-post"
    """The earlier value (a state that is recorded whenever it changes)."""
    NONE = "points"
    """Nothing: the values are drawn as points."""


@dataclass(frozen=True)
class Line:
    """Values at times, which are in order; a value that is not known is NaN.

    A `dashed` line goes with the one before it and has its colour.
    """

    label: str
    times_s: tuple[float, ...]
    values: tuple[float, ...]
    dashed: bool = False
    join: Join = Join.STRAIGHT


def seconds(frame: "polars.DataFrame") -> tuple[float, ...]:
    """The times of the rows."""
    return tuple((frame["time_ns"].to_numpy() / 1e9).tolist())


def values_line(
    label: str, frame: "polars.DataFrame", column: str, scale: float, join: Join = Join.STRAIGHT
) -> Line:
    """The values of a column as they are."""
    values = frame[column].to_numpy().astype(np.float64) * scale
    return Line(label, seconds(frame), tuple(values.tolist()), join=join)


def known_line(
    label: str, frame: "polars.DataFrame", column: str, scale: float, join: Join = Join.STRAIGHT
) -> Line:
    """The values of a column in which one of 0 or below means that there is none (NaN)."""
    values = frame[column].to_numpy().astype(np.float64)
    known = np.where(values > 0, values * scale, math.nan)
    return Line(label, seconds(frame), tuple(known.tolist()), join=join)


def arrived_line(label: str, frame: "polars.DataFrame", column: str) -> Line:
    """Delays in ms up to the last packet that arrived; lost ones have no value."""
    values = up_to_last_arrival(frame[column].to_numpy())
    return Line(label, seconds(frame.head(values.size)), tuple(values.tolist()), join=Join.NONE)


def rates_line(label: str, times_ns: Integers, counts: Integers | Floats, bin_ns: int, scale: float) -> Line:
    """The increase of a counter per second in each bin, times the scale."""
    edges_ns, rates = rates_on_grid(times_ns, counts.astype(np.float64), bin_ns)
    if not rates.size:
        return Line(label, (), (), join=Join.SINCE)
    scaled = (rates * scale).tolist()
    return Line(label, tuple((edges_ns / 1e9).tolist()), (scaled[0], *scaled), join=Join.SINCE)


def column_rates(label: str, frame: "polars.DataFrame", column: str, bin_ns: int, scale: float) -> Line:
    """The rates of a column that counts."""
    times_ns = frame["time_ns"].to_numpy()
    return rates_line(label, times_ns, frame[column].to_numpy().astype(np.float64), bin_ns, scale)


def values_in(line: Line, start_s: float, stop_s: float) -> Floats:
    """The values of a line in a window, for a distribution: those at its times, each once."""
    times, values = np.asarray(line.times_s), np.asarray(line.values, dtype=np.float64)
    if line.join is Join.SINCE:
        # The first stands at both ends of its time; a bin belongs to the window in which it ends.
        times, values = times[1:], values[1:]
        return values[(times > start_s) & (times <= stop_s)]
    return values[(times >= start_s) & (times <= stop_s)]
