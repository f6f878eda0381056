"""How long answers, pages and bursts take.

**Completion time**: from asking for a transfer to its last byte at the application that asked; of a burst,
from the start of its writing to its last byte at the receiver. Of a web page it is its **page load time**:
from the request for its main object (of a connection's first page, from the start of the connection) to the
last byte of its last embedded object, parsing included. That is the model of 3GPP TR 25.892, and what W3C's
Navigation Timing measures as `loadEventStart - navigationStart`, without name resolution and rendering.

**Time to first byte**: likewise to the first byte.

A transfer without an end (it was under way when the run ended) is censored: mean and quantiles are those of
the product-limit estimate (`metrics/survival.py`), and known to be larger than a value where that does not
reach them.
"""

from dataclasses import dataclass

import numpy as np

from airtcp.metrics.arrays import Booleans, Floats, Integers
from airtcp.metrics.survival import Estimate, Sample, statistic


@dataclass(frozen=True)
class Completions:
    """Completion times in ms, of the completed and the unfinished; `nan` where there is none."""

    completed: int
    unfinished: int
    mean_ms: Estimate
    median_ms: Estimate
    p95_ms: Estimate
    max_ms: Estimate
    first_byte_ms: float


def completions(
    asked_ns: Integers, first_byte_ns: Integers, end_ns: Integers, watched_until_ns: int
) -> Completions:
    """The transfers of a flow in numbers; a negative time has not come until `watched_until_ns`.

    `first_byte_ms` is the mean of those that had a first byte.
    """
    sample = transfer_times(asked_ns, end_ns, watched_until_ns)
    if np.any(sample.known < 0):
        raise ValueError("a transfer ended before it was asked for")
    begun = first_byte_ns >= 0
    first_ms = (first_byte_ns[begun] - asked_ns[begun]) / 1e6
    return Completions(
        completed=int(sample.known.size),
        unfinished=sample.under_way,
        mean_ms=statistic(sample, "mean"),
        median_ms=statistic(sample, "median"),
        p95_ms=statistic(sample, "p95"),
        max_ms=statistic(sample, "most"),
        first_byte_ms=float(np.mean(first_ms)) if first_ms.size else float("nan"),
    )


def times_taken(asked_ns: Integers, end_ns: Integers, watched_until_ns: int) -> tuple[Floats, Booleans]:
    """Completion times in ms, and which are only known to be longer: transfers under way (a negative end)
    took at least until `watched_until_ns`.
    """
    begun, ended = asked_ns.astype(np.float64), end_ns.astype(np.float64)
    under_way = ended < 0
    watched = np.maximum((watched_until_ns - begun) / 1e6, 0.0)
    return np.where(under_way, watched, (ended - begun) / 1e6), under_way


def transfer_times(asked_ns: Integers, end_ns: Integers, watched_until_ns: int) -> Sample:
    """The times of `times_taken` as a sample: those under way are censored."""
    times, at_least = times_taken(asked_ns, end_ns, watched_until_ns)
    return Sample(times[~at_least], times[at_least])
