"""Counters that only rise: what they stood at, and how much they rose."""

import numpy as np

from airtcp.metrics.arrays import Floats, Integers


def as_counter(time_ns: Integers, counts: Integers | Floats) -> tuple[Integers, Integers]:
    """Both as signed integers; a `ValueError` if a time or a count falls (a damaged series).

    Of several samples at one time the last one stands.
    """
    # Unsigned differences would wrap around instead of becoming negative.
    times, values = np.asarray(time_ns, np.int64), np.asarray(counts, np.int64)
    if times.size != values.size:
        raise ValueError(f"{times.size} times and {values.size} counts")
    if np.any(np.diff(times) < 0):
        raise ValueError("the samples are not in the order of time")
    if np.any(np.diff(values) < 0):
        raise ValueError("the counter falls")
    return times, values


def count_at(time_ns: Integers, counts: Integers | Floats, at_ns: Integers) -> Integers:
    """What a counter stood at: its last sample at or before each time, zero before the first sample."""
    times, values = as_counter(time_ns, counts)
    at = np.searchsorted(times, at_ns, side="right")
    stood: Integers = np.concatenate(([0], values))[at]
    return stood


def increase(time_ns: Integers, counts: Integers, start_ns: int, stop_ns: int) -> int:
    """How much a counter rose between two times, as far as its samples show."""
    before, after = count_at(time_ns, counts, np.array([start_ns, stop_ns]))
    return int(after - before)


def without_restarts(counts: Integers | Floats) -> Floats:
    """A counter that begins at zero again now and then, as one that goes on: each fall is a restart from
    zero.
    """
    values = np.asarray(counts, np.float64)
    steps = np.diff(values, prepend=0.0)
    total: Floats = np.cumsum(np.where(steps < 0, values, steps))
    return total
