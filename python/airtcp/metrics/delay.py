"""Delays: round trips, queueing delay, one-way delays with losses.

* **Round-trip time (RTT)**: from a packet's departure to its answer's arrival (RFC 2681; ping, and
  `srtt_us` of tcp_info smoothed as RFC 6298 says).
* **One-way delay**: from a packet's entry into the sender's device queue to the receiver's network layer
  (RFC 7679, with these two places). A packet that never arrived has an infinite one.
* **Base RTT**: the least RTT seen on a path while its route did not change: the RTT without any queue. TCP
  Vegas' `baseRTT` (Brakmo, O'Malley, Peterson, SIGCOMM 1994) and the base delay of LEDBAT (RFC 6817) are
  defined so. On Wi-Fi it holds the shortest wait for the medium; the mean RTT of an idle network is longer
  by the mean of backoffs.
* **Queueing delay**: RTT less base RTT. It holds everything that was not there in the best case: queues,
  waiting for the medium, retries of the MAC.

Delays come as ns, where a negative one is a packet that did not arrive, and leave as ms. Packets sent after
the last one that arrived may have been on their way when the run ended: they are no losses.
"""

import numpy as np

from airtcp.metrics.arrays import Booleans, Floats, Integers
from airtcp.metrics.survival import Sample

NS_PER_MS = 1e6


def base_rtt_ns(rtt_ns: Integers) -> int | None:
    """The base RTT of a path: the least of all its round trips, idle or not; `None` if nothing was
    answered.
    """
    answered = np.asarray(rtt_ns, np.int64)
    answered = answered[answered >= 0]
    return int(answered.min()) if answered.size else None


def queueing_delay_ns(rtt_ns: Integers, base_ns: int) -> Integers:
    """RTT less base RTT, of every packet; a lost one stays -1.

    An RTT below the base is a `ValueError`: then the base is not the least, and every delay would be too
    short.
    """
    rtt = np.asarray(rtt_ns, np.int64)
    if np.any((rtt >= 0) & (rtt < base_ns)):
        least_ns = int(rtt[rtt >= 0].min())
        raise ValueError(f"a round trip of {least_ns} ns is shorter than the base RTT, {base_ns} ns")
    above: Integers = np.where(rtt >= 0, rtt - base_ns, -1)
    return above


def arrivals(sent_ns: Integers, delay_ns: Integers, end_ns: int) -> tuple[Floats, Booleans]:
    """Delays in ms of packets in the order in which they were sent, and which are only known to be longer.

    A negative delay is of a packet that never arrived. Those sent after the last that arrived may have been
    on their way when the run ended at `end_ns`: they took at least until then. The others were lost: infinite
    (RFC 7679, section 5.1).
    """
    times = delay_ns.astype(np.float64) / NS_PER_MS
    there = np.flatnonzero(times >= 0)
    is_lost = np.arange(times.size) < (int(there[-1]) if there.size else -1)
    passed = np.maximum(0.0, (end_ns - sent_ns.astype(np.float64)) / NS_PER_MS)
    missing = times < 0
    return np.where(missing, np.where(is_lost, np.inf, passed), times), missing


def arrival_times(sent_ns: Integers, delay_ns: Integers, end_ns: int) -> Sample:
    """The delays of `arrivals` as a sample: what is only known to be longer is censored."""
    times, at_least = arrivals(sent_ns, delay_ns, end_ns)
    return Sample(times[~at_least], times[at_least])
