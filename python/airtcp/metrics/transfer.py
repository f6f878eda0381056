"""The time a transfer takes.

Transfer time: from the start of a flow (its connection's first SYN is sent) to the receiver's TCP having
delivered the last byte to its socket, in order. taank-peng: "time taken to transfer" of iperf, and the rate
`N * MSS / T` from the N data segments received (MSS 1448 bytes), which `segments_rate_mbps` computes.
"""

from dataclasses import dataclass

import numpy as np

from airtcp.metrics.arrays import Integers
from airtcp.metrics.counter import as_counter


@dataclass(frozen=True)
class Transfer:
    """How long a transfer took and its mean goodput; `late_s`: it may have ended up to this earlier.

    `late_s` is the time since the sample before; it is near zero where the end itself was sampled.
    """

    seconds: float
    late_s: float
    goodput_mbps: float


def transfer_time(
    time_ns: Integers, received_bytes: Integers, size_bytes: int, start_ns: int
) -> Transfer | None:
    """The transfer of `size_bytes` that began at `start_ns`; `None` if the samples do not reach its end.

    The end is the first sample with all bytes there.
    """
    if size_bytes <= 0:
        raise ValueError(f"a transfer of {size_bytes} bytes")
    times, counts = as_counter(time_ns, received_bytes)
    place = int(np.searchsorted(counts, size_bytes, side="left"))
    if place == counts.size:
        return None
    end_ns, before_ns = int(times[place]), int(times[place - 1]) if place else start_ns
    if end_ns <= start_ns:
        raise ValueError(f"all bytes were there at {end_ns} ns, before the start at {start_ns} ns")
    seconds = (end_ns - start_ns) / 1e9
    return Transfer(seconds, (end_ns - max(before_ns, start_ns)) / 1e9, size_bytes * 8e-6 / seconds)


def seconds_until(start_ns: int, finished_ns: int | None) -> float:
    """From a flow's start to the receiver having its last byte, in s; `nan`: it did not end."""
    return float("nan") if finished_ns is None else (finished_ns - start_ns) / 1e9


def transfer_rate_mbps(received_bytes: int, seconds: float) -> float:
    """Bytes of a transfer per its time, in Mbit/s; `nan` of one that did not end.

    taank-peng's `N * MSS / T` is the same where segments are full.
    """
    return received_bytes * 8e-6 / seconds if seconds > 0 else float("nan")


def segments_rate_mbps(segments: int, mss_bytes: int, seconds: float) -> float:
    """taank-peng's throughput: data segments received, times their size, per transfer time, in Mbit/s."""
    if seconds <= 0:
        raise ValueError(f"a transfer of {seconds} s")
    return segments * mss_bytes * 8e-6 / seconds
