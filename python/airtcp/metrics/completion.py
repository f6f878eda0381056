"""How long answers, pages and bursts take.

**Completion time**: from asking for a transfer to its last byte at the application that asked; of a burst,
from the start of its writing to its last byte at the receiver. Of a web page it is its **page load time**:
from the request for its main object (of a connection's first page, from the start of the connection) to the
last byte of its last embedded object, parsing included. That is the model of 3GPP TR 25.892, and what W3C's
Navigation Timing measures as `loadEventStart - navigationStart`, without name resolution and rendering.

**Time to first byte**: likewise to the first byte.

A transfer without an end (it was under way when the run ended) counts as infinite in quantiles, and in
nothing else.
"""

from dataclasses import dataclass

import numpy as np

from airtcp.metrics.arrays import Integers
from airtcp.metrics.distribution import quantile


@dataclass(frozen=True)
class Completions:
    """Completion times in ms; `nan` where nothing was completed."""

    completed: int
    unfinished: int
    mean_ms: float
    median_ms: float
    p95_ms: float
    max_ms: float
    first_byte_ms: float


def completions(asked_ns: Integers, first_byte_ns: Integers, end_ns: Integers) -> Completions:
    """The transfers of a flow in numbers; a negative time has not come. `first_byte_ms` is a mean."""
    done = end_ns >= 0
    times_ms = (end_ns[done] - asked_ns[done]) / 1e6
    if np.any(times_ms < 0):
        raise ValueError("a transfer ended before it was asked for")
    begun = first_byte_ns >= 0
    first_ms = (first_byte_ns[begun] - asked_ns[begun]) / 1e6
    unfinished = int(np.count_nonzero(~done))
    nothing = float("nan")
    return Completions(
        completed=int(times_ms.size),
        unfinished=unfinished,
        mean_ms=float(np.mean(times_ms)) if times_ms.size else nothing,
        median_ms=quantile(times_ms, 0.5, unfinished),
        p95_ms=quantile(times_ms, 0.95, unfinished),
        max_ms=float(np.max(times_ms)) if times_ms.size else nothing,
        first_byte_ms=float(np.mean(first_ms)) if first_ms.size else nothing,
    )
