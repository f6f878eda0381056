"""Kleinrock's power of a flow: what it carries, divided by how long that takes.

L. Kleinrock, "Power and deterministic rules of thumb for probabilistic problems in computer communications",
IEEE ICC 1979, 43.1.1: throughput over delay. It is largest at the operating point at which the bottleneck is
just full and nothing waits in front of it. A queue that fills only adds delay, and lowers the power.

Here throughput is the goodput in Mbit/s and delay the sender's round-trip time in s, so the unit is Mbit/s
per s. Kleinrock divides both by their values at the optimum; that factor is the same for all flows over one
path, and cancels where flows over one path are compared.
"""

from itertools import pairwise

import numpy as np

from airtcp.metrics.arrays import Floats, Integers
from airtcp.metrics.bins import rates_on_grid
from airtcp.metrics.means import mean_over_time


def power(goodput_mbps: float, rtt_ms: float) -> float:
    """Goodput over round-trip time, in Mbit/s per s; `nan` without a round-trip time."""
    return goodput_mbps * 1e3 / rtt_ms if rtt_ms > 0 else float("nan")


def mean_rtt_ms(time_ns: Integers, srtt_us: Integers, stop_ns: int) -> float:
    """Mean over time of the smoothed RTT; samples of 0 are before the first round trip and do not count."""
    known = np.asarray(srtt_us) > 0
    return mean_over_time(np.asarray(time_ns)[known], np.asarray(srtt_us)[known] / 1e3, stop_ns)


def power_in_bins(
    counter: tuple[Integers, Floats], time_ns: Integers, srtt_us: Integers, bin_ns: int
) -> tuple[Integers, Floats]:
    """Edges of bins in ns (`rates_on_grid`), and the power in each in Mbit/s per s.

    `counter` is times and bytes received. The round-trip time of a bin is the mean of the samples in it, its
    end included; a bin without one has no power (`nan`).
    """
    edges_ns, bytes_per_s = rates_on_grid(*counter, bin_ns)
    known = np.asarray(srtt_us) > 0
    times, rtts_ms = np.asarray(time_ns)[known], np.asarray(srtt_us)[known] / 1e3
    ends = np.searchsorted(times, edges_ns, side="right")
    parts = (rtts_ms[first:last] for first, last in pairwise(ends.tolist()))
    means = (float(part.mean()) if part.size else float("nan") for part in parts)
    values = [power(rate * 8e-6, mean) for rate, mean in zip(bytes_per_s.tolist(), means, strict=True)]
    return edges_ns, np.array(values)
