"""Loss, delay and jitter of a stream of datagrams.

* **Lost** (RFC 3550, 6.4.1 and A.3): those not received up to the last one, by sequence, that was received.
  What was sent after it may have been on its way when the run ended: it is **unsettled**, neither lost nor
  received.
* **One-way delay** (RFC 7679): from the application's sending to the receiver's host. Mean, least and most
  are of what was received; quantiles are of received and lost ones, which never come: a quantile among the
  lost is known to be larger than every delay that was seen (RFC 7679, section 5.1).
* **Jitter** (interarrival jitter, RFC 3550, 6.4.1): J += (|D| - J) / 16 with each datagram received, in the
  order of arrival, where D is the difference between its delay and that of the one before. The value after
  the last one is reported, as RTCP does.
"""

from dataclasses import dataclass

import numpy as np

from airtcp.metrics.arrays import Floats, Integers
from airtcp.metrics.survival import NOTHING, Estimate, Survival

# RFC 3550, 6.4.1: the gain of the estimate.
JITTER_GAIN = 1 / 16


@dataclass(frozen=True)
class Stream:
    """A stream in numbers; `nan` where nothing was received (the jitter: less than two)."""

    sent: int
    received: int
    lost: int
    unsettled: int
    loss_share: float
    mean_ms: float
    min_ms: float
    p95_ms: Estimate
    max_ms: float
    jitter_ms: float


def stream(sent_ns: Integers, delay_ns: Integers) -> Stream:
    """The datagrams in the order of their sequence numbers; a negative delay is of one not received."""
    there = np.flatnonzero(delay_ns >= 0)
    nothing = float("nan")
    if not there.size:
        nothings = {"mean_ms": nothing, "min_ms": nothing, "max_ms": nothing, "jitter_ms": nothing}
        sent = int(delay_ns.size)
        return Stream(sent, 0, 0, sent, loss_share=nothing, p95_ms=NOTHING, **nothings)
    settled = int(there[-1]) + 1
    lost = settled - int(there.size)
    delays_ms = delay_ns[there] / 1e6
    return Stream(
        sent=int(delay_ns.size),
        received=int(there.size),
        lost=lost,
        unsettled=int(delay_ns.size) - settled,
        loss_share=lost / settled,
        mean_ms=float(np.mean(delays_ms)),
        min_ms=float(np.min(delays_ms)),
        p95_ms=Survival(delays_ms, np.full(lost, np.inf)).quantile(0.95),
        max_ms=float(np.max(delays_ms)),
        jitter_ms=_jitter_ms(sent_ns[there], delay_ns[there]),
    )


def _jitter_ms(sent_ns: Integers, delay_ns: Integers) -> float:
    if sent_ns.size < 2:
        return float("nan")
    by_arrival = np.argsort(sent_ns + delay_ns, kind="stable")
    differences_ms = np.abs(np.diff(delay_ns[by_arrival])) / 1e6
    jitter = 0.0
    for difference in differences_ms.tolist():
        jitter += (difference - jitter) * JITTER_GAIN
    return jitter


def loss_in_bins(sent_ns: Integers, delay_ns: Integers, edges_ns: Integers) -> Floats:
    """Share of the datagrams sent in each bin that were lost; bins in which none was sent are left out.

    Sent before the last one that was received and itself not received is lost.
    """
    last_ns = sent_ns[delay_ns >= 0].max(initial=0)
    is_lost = (delay_ns < 0) & (sent_ns < last_ns)
    sent, lost = (np.histogram(times, edges_ns)[0] for times in (sent_ns, sent_ns[is_lost]))
    shares: Floats = lost[sent > 0] / sent[sent > 0]
    return shares


def payload_rate_mbps(payload_bytes: int, span_ns: int) -> float:
    """Payload that arrived in a span, in Mbit/s; `nan` in an empty span."""
    return payload_bytes * 8e3 / span_ns if span_ns > 0 else float("nan")
