"""Means: over time, of values that hold from one sample to the next, and over what is known."""

from collections.abc import Sequence

import numpy as np

from airtcp.metrics.arrays import Floats, Integers


def holding_ns(time_ns: Integers, stop_ns: int) -> Integers:
    """How long each sample's value holds: to the next sample, the last one's to `stop_ns`.

    Samples after `stop_ns` hold for no time. Times that fall are a `ValueError`.
    """
    times = np.asarray(time_ns, np.int64)
    if np.any(np.diff(times) < 0):
        raise ValueError("the samples are not in the order of time")
    ends: Integers = np.diff(np.minimum(np.concatenate((times, [stop_ns])), stop_ns))
    return np.maximum(ends, 0)


def mean_over_time(time_ns: Integers, values: Floats | Integers, stop_ns: int) -> float:
    """Mean of a value from its first sample to `stop_ns`, each sample weighted with the time it holds.

    With evenly spaced samples it is their plain mean. `nan` if there is no time between.
    """
    weights = holding_ns(time_ns, stop_ns)
    total_ns = weights.sum()
    return (
        float((np.asarray(values, np.float64) * weights).sum() / total_ns) if total_ns > 0 else float("nan")
    )


def mean_of_known(values: Sequence[float]) -> float:
    """The plain mean of the values that are numbers; `nan` without any."""
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else float("nan")


def weighted_mean(values: Sequence[float] | Floats, weights: Sequence[float] | Floats) -> float:
    """The mean of values that stand for different amounts (time, requests); `nan` if there is no amount."""
    total = float(np.sum(weights))
    return float(np.average(values, weights=weights)) if total > 0 else float("nan")
