"""From rows of a series to lines of a figure."""

import math
from typing import TYPE_CHECKING

import numpy as np

from airtcp.metrics.arrays import Floats, Integers
from airtcp.metrics.rates import per_second
from airtcp.plots.time_series import Join, Line

if TYPE_CHECKING:
    import polars


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
    """Delays in ms. What never arrived has one of -1, and no value.

    Packets after the last that arrived are left out: when the run ended, they may have been on their way.
    """
    delays = frame[column].to_numpy().astype(np.float64)
    there = np.flatnonzero(delays >= 0)
    known = frame.head(int(there[-1]) + 1) if there.size else frame
    values = np.where(delays >= 0, delays * 1e-6, np.nan)[: len(known)]
    return Line(label, seconds(known), tuple(values.tolist()), join=Join.NONE)


def bin_edges(first_ns: int, last_ns: int, bin_ns: int) -> Integers:
    """Multiples of a bin from the first to the last time; a part of a bin joins its neighbour if it is
    shorter than half of one.
    """
    if last_ns <= first_ns:
        return np.array([], dtype=np.int64)
    grid = np.arange(first_ns // bin_ns * bin_ns, last_ns, bin_ns, dtype=np.int64)
    inner = grid[(grid - first_ns >= bin_ns / 2) & (last_ns - grid >= bin_ns / 2)]
    return np.array([first_ns, *inner.tolist(), last_ns], dtype=np.int64)


def counts_at(times_ns: Integers, counts: Floats, edges_ns: Integers) -> Floats:
    """A counter at these times: straight between its samples, level before the first and after the last."""
    return np.interp(edges_ns, times_ns, counts)


def rates_line(label: str, times_ns: Integers, counts: Integers | Floats, bin_ns: int, scale: float) -> Line:
    """The increase of a counter per second in each bin, times the scale."""
    if times_ns.size < 2:
        return Line(label, (), (), join=Join.SINCE)
    edges_ns = bin_edges(int(times_ns[0]), int(times_ns[-1]), bin_ns)
    at_edges = counts_at(times_ns, counts.astype(np.float64), edges_ns)
    _, rates = per_second(edges_ns.tolist(), at_edges.tolist())
    scaled = [rate * scale for rate in rates]
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
