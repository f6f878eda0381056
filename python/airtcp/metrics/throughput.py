"""Goodput and throughput: bytes per time.

**Goodput** is the rate of application bytes that the receiver's TCP delivered in order (RFC 2647 section
3.17 has the idea for firewalls; here `bytes_received` of the receiving socket). **Throughput** is the rate
of the bytes of packets seen at a place, whatever of them is counted: frames, IP packets or TCP payload,
retransmissions included. The functions are the same; what goes in decides. All rates are in Mbit/s of 10^6
bit.
"""

from collections.abc import Sequence

import numpy as np

from airtcp.metrics.arrays import Floats, Integers
from airtcp.metrics.bins import Between, increases, increases_in_bins
from airtcp.metrics.windows import Windows


def sliding_rate_mbps(time_ns: Integers, received_bytes: Integers, windows: Windows) -> Floats:
    """Rate in each window, in Mbit/s, from a counter of bytes.

    `received_bytes` counts up from zero at the samples `time_ns`. An edge of a window stands for the last
    sample at or before it (before the first sample nothing was received), and the rate is taken over the time
    between the samples that stand for its edges, so that no byte is counted twice or lost. Windows without a
    new sample are a `ValueError`: sample at least once a window.
    """
    starts_ns, stops_ns = windows.starts_ns, windows.stops_ns
    return _mbps(*increases(time_ns, received_bytes, starts_ns, stops_ns, Between.LAST_SAMPLE_AND_TIME))


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


def goodput_bps(counters: Sequence[tuple[Integers, Integers | Floats]], edges_ns: Integers) -> Floats:
    """Rate of several flows together in each bin, in bit/s, from times and bytes of each; without flows 0.

    An edge stands for the last sample at or before it, and the rate is over the bin's whole length: flows
    may come and go within a bin.
    """
    total = np.zeros(edges_ns.size - 1)
    for time_ns, received_bytes in counters:
        total += increases_in_bins(time_ns, received_bytes, edges_ns, Between.LAST_SAMPLE)[0]
    rates: Floats = total * 8e9 / np.diff(edges_ns)
    return rates


def interpolated_mbps(time_ns: Integers, received_bytes: Integers | Floats, edges_ns: Integers) -> Floats:
    """Rate in each bin, in Mbit/s, of a counter that is straight between its samples.

    For rates of several flows in common bins. A flow without a sample has delivered nothing.
    """
    if not len(time_ns):
        return np.zeros(edges_ns.size - 1)
    return _mbps(*increases_in_bins(time_ns, received_bytes, edges_ns, Between.STRAIGHT))


def counted_from_ns(time_ns: Integers, counts: Integers, start_ns: int) -> tuple[Integers, Floats]:
    """A counter with a sample of zero at the flow's start, where that lies before the first sample."""
    times, values = np.asarray(time_ns, np.int64), np.asarray(counts, np.float64)
    if times.size and start_ns < times[0]:
        return np.insert(times, 0, start_ns), np.insert(values, 0, 0.0)
    return times, values


def _mbps(received_bytes: Floats, lengths_ns: Integers) -> Floats:
    rates: Floats = received_bytes * 8e3 / lengths_ns
    return rates
