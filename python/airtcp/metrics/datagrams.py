"""Loss, delay and jitter of a stream of datagrams.

* **Lost** (RFC 3550, 6.4.1 and A.3): those not received up to the last one, by sequence, that was received.
  What was sent after it may have been on its way when the run ended: it is **unsettled**, neither lost nor
  received.
* **One-way delay** (RFC 7679): from the application's sending to the receiver's host. Mean and least are of
  what was received. The 95th percentile and the most are of all that was sent, by the estimate of
  `metrics/survival.py`: lost ones never come (RFC 7679, section 5.1), unsettled ones take longer than they
  have taken.
* **Jitter** in the definitions of `metrics/jitter.py`.
"""

from dataclasses import dataclass

import numpy as np

from airtcp.metrics.arrays import Floats, Integers
from airtcp.metrics.delay import arrival_times
from airtcp.metrics.jitter import interarrival_jitter_ms, ipdv_ms, pdv_ms
from airtcp.metrics.survival import Estimate, Sample, statistic


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
    max_ms: Estimate
    jitter_ms: float
    """The estimate of RFC 3550."""
    ipdv: Sample
    """In ms, absolute."""
    pdv: Sample
    """In ms."""


def stream(sent_ns: Integers, delay_ns: Integers, end_ns: int) -> Stream:
    """The datagrams in the order of their sequence numbers, in a run that ended at `end_ns`; a negative
    delay is of one not received.
    """
    sample = arrival_times(sent_ns, delay_ns, end_ns)
    received = sample.known
    return Stream(
        sent=sample.size,
        received=int(received.size),
        lost=sample.lost,
        unsettled=sample.under_way,
        loss_share=sample.missing,
        mean_ms=float(np.mean(received)) if received.size else float("nan"),
        min_ms=float(np.min(received)) if received.size else float("nan"),
        p95_ms=statistic(sample, "p95"),
        max_ms=statistic(sample, "most"),
        jitter_ms=interarrival_jitter_ms(sent_ns, delay_ns),
        ipdv=Sample(ipdv_ms(delay_ns)[1]),
        pdv=Sample(pdv_ms(delay_ns)[1]),
    )


def loss_in_bins(sent_ns: Integers, delay_ns: Integers, edges_ns: Integers) -> tuple[Integers, Floats]:
    """Share of the datagrams sent in each bin that were lost, and where the bin begins; bins in which none
    was sent are left out.

    Sent before the last one that was received and itself not received is lost.
    """
    last_ns = sent_ns[delay_ns >= 0].max(initial=0)
    is_lost = (delay_ns < 0) & (sent_ns < last_ns)
    sent, lost = (np.histogram(times, edges_ns)[0] for times in (sent_ns, sent_ns[is_lost]))
    shares: Floats = lost[sent > 0] / sent[sent > 0]
    return edges_ns[:-1][sent > 0], shares
