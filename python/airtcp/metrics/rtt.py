"""Round-trip times of echo requests."""

from dataclasses import dataclass

import numpy as np

from airtcp.metrics.arrays import Integers


@dataclass(frozen=True)
class RoundTrips:
    """Round-trip times in ms (`nan` if nothing was answered), and requests without an answer."""

    mean_ms: float
    min_ms: float
    max_ms: float
    answered: int
    lost: int


def round_trips(time_ns: Integers, rtt_ns: Integers, start_ns: int, stop_ns: int) -> RoundTrips:
    """Of the requests sent at or after `start_ns` and before `stop_ns`; a negative `rtt_ns` is a lost one."""
    chosen = rtt_ns[(time_ns >= start_ns) & (time_ns < stop_ns)]
    answered = chosen[chosen >= 0] / 1e6
    if answered.size == 0:
        return RoundTrips(float("nan"), float("nan"), float("nan"), 0, int(chosen.size))
    return RoundTrips(
        mean_ms=float(np.mean(answered)),
        min_ms=float(np.min(answered)),
        max_ms=float(np.max(answered)),
        answered=int(answered.size),
        lost=int(chosen.size - answered.size),
    )
