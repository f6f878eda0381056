"""Goodput: application bytes at the receiver per time."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Throughput:
    """Mean over the whole time, least and most over bins, in Mbit/s (10^6)."""

    mean_mbps: float
    min_mbps: float
    max_mbps: float


def binned_rate_mbps(time_ns: Integers, received_bytes: Integers, edges_ns: Integers) -> Floats:
    """Rate in each bin between consecutive edges, in Mbit/s.

    `received_bytes` counts up from zero at the samples `time_ns`. An edge stands for the last sample
    at or before it (before the first sample nothing was received), and a bin's rate is taken over the time
    between the samples that stand for its edges, so that no byte is counted twice or lost. Bins without a
    new sample are a `ValueError`: sample at least once a bin.
    """
    if time_ns.size == 0:
        raise ValueError("the flow has no samples")
    at = np.searchsorted(time_ns, edges_ns, side="right") - 1
    counts = np.where(at >= 0, received_bytes[np.maximum(at, 0)], 0)
    times = np.where(at >= 0, time_ns[np.maximum(at, 0)], edges_ns)
    lengths = np.diff(times)
    if np.any(lengths <= 0):
        raise ValueError("a bin holds no sample of the flow")
    rates: Floats = np.diff(counts) * 8e3 / lengths
    return rates


def bin_edges_ns(start_ns: int, stop_ns: int, bin_ns: int) -> Integers:
    """Edges of whole bins from the start; a last bin shorter than half a bin is left out."""
    count = max(1, int((stop_ns - start_ns) / bin_ns + 0.5))
    edges = start_ns + bin_ns * np.arange(count + 1, dtype=np.int64)
    edges[-1] = min(edges[-1], stop_ns)
    return edges


def throughput(time_ns: Integers, received_bytes: Integers, edges_ns: Integers) -> Throughput:
    """Mean from the first edge to the last, least and most over the bins (iperf's report, with its 1 s)."""
    rates = binned_rate_mbps(time_ns, received_bytes, edges_ns)
    whole = binned_rate_mbps(time_ns, received_bytes, edges_ns[[0, -1]])
    return Throughput(float(whole[0]), float(rates.min()), float(rates.max()))
