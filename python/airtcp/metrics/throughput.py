"""Goodput and throughput: bytes per time.

**Goodput** is the rate of application bytes that the receiver's TCP delivered in order (RFC 2647 section
3.17 has the idea for firewalls; here `bytes_received` of the receiving socket). **Throughput** is the rate
of the bytes of packets seen at a place, whatever of them is counted: frames, IP packets or TCP payload,
retransmissions included. The functions are the same; what goes in decides. All rates are in Mbit/s of 10^6
bit.
"""

from dataclasses import dataclass

import numpy as np

from airtcp.metrics.arrays import Floats, Integers
from airtcp.metrics.counter import as_counter
from airtcp.metrics.windows import Windows


@dataclass(frozen=True)
class Throughput:
    """Mean over the whole time, least and most over bins, in Mbit/s (10^6)."""

    mean_mbps: float
    min_mbps: float
    max_mbps: float


def bin_edges_ns(start_ns: int, stop_ns: int, bin_ns: int) -> Integers:
    """Edges of whole bins from the start; a last bin shorter than half a bin is left out."""
    count = max(1, int((stop_ns - start_ns) / bin_ns + 0.5))
    edges = start_ns + bin_ns * np.arange(count + 1, dtype=np.int64)
    edges[-1] = min(edges[-1], stop_ns)
    return edges


def binned_rate_mbps(time_ns: Integers, received_bytes: Integers, edges_ns: Integers) -> Floats:
    """Rate in each bin between consecutive edges, in Mbit/s, from a counter of bytes.

    `received_bytes` counts up from zero at the samples `time_ns`. An edge stands for the last sample
    at or before it (before the first sample nothing was received), and a bin's rate is taken over the time
    between the samples that stand for its edges, so that no byte is counted twice or lost. Bins without a
    new sample are a `ValueError`: sample at least once a bin.
    """
    return _rate_between_mbps(time_ns, received_bytes, edges_ns[:-1], edges_ns[1:])


def sliding_rate_mbps(time_ns: Integers, received_bytes: Integers, windows: Windows) -> Floats:
    """Rate in each window, in Mbit/s, from a counter of bytes; as `binned_rate_mbps` in all else."""
    return _rate_between_mbps(time_ns, received_bytes, windows.starts_ns, windows.stops_ns)


def packet_rate_mbps(time_ns: Integers, packet_bytes: Integers, windows: Windows) -> Floats:
    """Rate in each window, in Mbit/s, from a list of packets in any order.

    A packet belongs to the windows `[start, stop)` that hold its time; the rate is over a window's whole
    length. A window without packets has the rate 0: a list of packets is complete, unlike samples.
    """
    times = np.asarray(time_ns, np.int64)
    sizes = np.asarray(packet_bytes, np.int64)
    if times.size != sizes.size:
        raise ValueError(f"{times.size} times and {sizes.size} sizes of packets")
    if np.any(sizes < 0):
        raise ValueError("a packet has fewer than 0 bytes")
    order = np.argsort(times, kind="stable")
    total = np.concatenate(([0], np.cumsum(sizes[order])))
    first = np.searchsorted(times[order], windows.starts_ns, side="left")
    after = np.searchsorted(times[order], windows.stops_ns, side="left")
    rates: Floats = (total[after] - total[first]) * 8e3 / windows.length_ns
    return rates


def throughput(time_ns: Integers, received_bytes: Integers, edges_ns: Integers) -> Throughput:
    """Mean from the first edge to the last, least and most over the bins (iperf's report, with its 1 s)."""
    rates = binned_rate_mbps(time_ns, received_bytes, edges_ns)
    whole = binned_rate_mbps(time_ns, received_bytes, edges_ns[[0, -1]])
    return Throughput(float(whole[0]), float(rates.min()), float(rates.max()))


def _rate_between_mbps(
    time_ns: Integers, counts: Integers, starts_ns: Integers, stops_ns: Integers
) -> Floats:
    if len(time_ns) == 0:
        raise ValueError("the flow has no samples")
    times, values = as_counter(time_ns, counts)
    first_bytes, first_ns = _stood_at(times, values, starts_ns)
    last_bytes, last_ns = _stood_at(times, values, stops_ns)
    lengths = last_ns - first_ns
    if np.any(lengths <= 0):
        raise ValueError("a bin holds no sample of the flow")
    rates: Floats = (last_bytes - first_bytes) * 8e3 / lengths
    return rates


def _stood_at(times: Integers, values: Integers, at_ns: Integers) -> tuple[Integers, Integers]:
    """The counter and the time of the sample that stands for each edge."""
    at = np.searchsorted(times, at_ns, side="right") - 1
    known = np.maximum(at, 0)
    return np.where(at >= 0, values[known], 0), np.where(at >= 0, times[known], at_ns)
