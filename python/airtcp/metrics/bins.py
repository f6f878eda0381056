"""Counters in bins: where the edges of bins lie, and by how much a counter rises in each.

Every rate that is not of packets comes from here. A counter is known at its samples only. What it stood at
where no sample was taken is a choice (`Between`), which each user of this module names.
"""

from enum import Enum

import numpy as np

from airtcp.metrics.arrays import Floats, Integers
from airtcp.metrics.counter import as_counter, count_at


class Between(Enum):
    """What a counter stood at, and when, at an edge that lies between two samples."""

    LAST_SAMPLE = "last sample"
    """The last sample at or before the edge; zero before the first. A bin is as long as its edges are apart.

    The increases of all bins add up to the whole, but each may be off by what one interval of samples counts.
    """
    LAST_SAMPLE_AND_TIME = "last sample and its time"
    """The same, and a bin is as long as the samples at its edges are apart, so that its rate is exact.

    A bin without a new sample has no length, which is a `ValueError`.
    """
    STRAIGHT = "straight"
    """On a straight line between the two samples; level before the first and after the last."""


def increases(
    time_ns: Integers, counts: Integers | Floats, starts_ns: Integers, stops_ns: Integers, between: Between
) -> tuple[Floats, Integers]:
    """How much a counter rises from each start to its stop, and the ns that this takes.

    A counter that falls is a `ValueError`. Drawn on straight lines, it may fall within a bin.
    """
    if between is Between.STRAIGHT:
        rises = np.interp(stops_ns, time_ns, counts) - np.interp(starts_ns, time_ns, counts)
        if np.any(rises < 0):
            raise ValueError("the counter falls")
        return rises, np.asarray(stops_ns - starts_ns, np.int64)
    if between is Between.LAST_SAMPLE:
        stood = count_at(time_ns, counts, starts_ns), count_at(time_ns, counts, stops_ns)
        return np.asarray(stood[1] - stood[0], np.float64), np.asarray(stops_ns - starts_ns, np.int64)
    if len(time_ns) == 0:
        raise ValueError("the flow has no samples")
    times, values = as_counter(time_ns, counts)
    first, first_ns = _sample_at(times, values, starts_ns)
    last, last_ns = _sample_at(times, values, stops_ns)
    lengths = last_ns - first_ns
    if np.any(lengths <= 0):
        raise ValueError("a bin holds no sample of the flow")
    return np.asarray(last - first, np.float64), lengths


def increases_in_bins(
    time_ns: Integers, counts: Integers | Floats, edges_ns: Integers, between: Between
) -> tuple[Floats, Integers]:
    """As `increases`, from each edge to the next."""
    return increases(time_ns, counts, edges_ns[:-1], edges_ns[1:], between)


def rates_on_grid(time_ns: Integers, counts: Integers | Floats, bin_ns: int) -> tuple[Integers, Floats]:
    """Edges of bins from the first sample to the last (`grid_edges_ns`), and the rise per second in each.

    The counter is straight between its samples. Fewer than two samples have no bins.
    """
    if len(time_ns) < 2:
        return np.empty(0, np.int64), np.empty(0)
    edges_ns = grid_edges_ns(int(time_ns[0]), int(time_ns[-1]), bin_ns)
    rises, lengths_ns = increases_in_bins(time_ns, counts, edges_ns, Between.STRAIGHT)
    return edges_ns, rises * 1e9 / lengths_ns


def whole_bin_edges_ns(start_ns: int, stop_ns: int, bin_ns: int) -> Integers:
    """Edges of whole bins from the start, one bin at least; what is left at the end is in none."""
    count = max(1, (stop_ns - start_ns) // bin_ns)
    return start_ns + bin_ns * np.arange(count + 1, dtype=np.int64)


def grid_edges_ns(first_ns: int, last_ns: int, bin_ns: int) -> Integers:
    """The first time, multiples of a bin, and the last time.

    A part of a bin that is shorter than half of one joins its neighbour. An empty span has no edges.
    """
    if last_ns <= first_ns:
        return np.array([], dtype=np.int64)
    grid = np.arange(first_ns // bin_ns * bin_ns, last_ns, bin_ns, dtype=np.int64)
    inner = grid[(grid - first_ns >= bin_ns / 2) & (last_ns - grid >= bin_ns / 2)]
    return np.array([first_ns, *inner.tolist(), last_ns], dtype=np.int64)


def _sample_at(times: Integers, values: Integers, at_ns: Integers) -> tuple[Integers, Integers]:
    """The counter and the time of the sample that stands for each edge."""
    at = np.searchsorted(times, at_ns, side="right") - 1
    known = np.maximum(at, 0)
    return np.where(at >= 0, values[known], 0), np.where(at >= 0, times[known], at_ns)
