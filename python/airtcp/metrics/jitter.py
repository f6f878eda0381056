"""How much the one-way delay of a stream varies: jitter, in three definitions.

* **Interarrival jitter** (RFC 3550, 6.4.1): J += (|D| - J) / 16 with each datagram received, in the order of
  arrival, where D is the difference between its delay and that of the one before. It is one number, the value
  after the last datagram, as RTCP reports it: it says most about the end of the stream.
* **Inter-packet delay variation, IPDV** (RFC 3393; RFC 5481, 4.1): the delay of a datagram less that of the
  one that was sent before it. Here its absolute value, which needs no clocks that agree.
* **Packet delay variation, PDV** (RFC 5481, 4.2): the delay of a datagram less the least delay of the stream.
  Its 99th percentile is the buffer with which a receiver plays 99 % of what arrives in time (RFC 5481, 3.2).

Of a datagram that was not received the delay is undefined (RFC 3393, 4.1), so it has no PDV, and the IPDV of
it and of the one after it is undefined. They are left out of both distributions: loss is a number of its own.
"""

import numpy as np

from airtcp.metrics.arrays import Floats, Integers

# RFC 3550, 6.4.1: the gain of the estimate.
JITTER_GAIN = 1 / 16


def interarrival_jitter_ms(sent_ns: Integers, delay_ns: Integers) -> float:
    """The estimate of RFC 3550 after the last datagram; a negative delay is of one not received.

    `nan` of less than two.
    """
    there = delay_ns >= 0
    sent_ns, delay_ns = sent_ns[there], delay_ns[there]
    if sent_ns.size < 2:
        return float("nan")
    by_arrival = np.argsort(sent_ns + delay_ns, kind="stable")
    jitter = 0.0
    for difference in (np.abs(np.diff(delay_ns[by_arrival])) / 1e6).tolist():
        jitter += (difference - jitter) * JITTER_GAIN
    return jitter


def ipdv_ms(delay_ns: Integers) -> tuple[Integers, Floats]:
    """Of each datagram that arrived, as the one sent before it did: its place and the absolute IPDV.

    The delays are in the order of sending; a negative one is of a datagram that was not received.
    """
    there = delay_ns >= 0
    places = 1 + np.flatnonzero(there[1:] & there[:-1])
    return places, np.abs(delay_ns[places] - delay_ns[places - 1]) / 1e6


def pdv_ms(delay_ns: Integers) -> tuple[Integers, Floats]:
    """Of each datagram that arrived: its place and the PDV; delays as in `ipdv_ms`."""
    places = np.flatnonzero(delay_ns >= 0)
    received = delay_ns[places]
    return places, (received - received.min(initial=np.iinfo(np.int64).max)) / 1e6
