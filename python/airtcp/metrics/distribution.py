"""The empirical distribution of a sample, and its quantiles; values that never came count as infinite.

Definitions of RFC 2330 section 11.3: F(x) is the share of the sample that is at most x, and the p-quantile
is the least value with F(x) >= p, so it is always a value of the sample and lies on the drawn curve.
Packets that were lost have an infinite delay (RFC 7679 section 5.1), so the curve of a sample with losses
ends below 1 and its high quantiles are infinite.
"""

from dataclasses import dataclass

import numpy as np

from airtcp.metrics.arrays import Floats

# p * n is not exact (0.07 * 100 is above 7): a share this close to a step of F is that step.
_STEP_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Ecdf:
    """The steps of F: at each of `values`, in rising order and each once, F rises to the share beside it."""

    values: Floats
    shares: Floats


def ecdf(values: Floats, lost: int = 0) -> Ecdf:
    """The empirical distribution; `lost` values more are infinite. A `nan` among the values is a
    `ValueError`.

    An empty sample gives no steps.
    """
    ordered = _checked(values, lost)
    total = ordered.size + lost
    at, counts = np.unique(ordered, return_counts=True)
    return Ecdf(at, np.cumsum(counts) / max(1, total))


def quantile(values: Floats, probability: float, lost: int = 0) -> float:
    """The least value with F(value) >= `probability`; infinite among the `lost`, `nan` of nothing."""
    if not 0 <= probability <= 1:
        raise ValueError(f"{probability} is not a probability")
    ordered = np.sort(_checked(values, lost))
    total = ordered.size + lost
    if total == 0:
        return float("nan")
    place = max(0, int(np.ceil(probability * total - _STEP_TOLERANCE)) - 1)
    return float(ordered[place]) if place < ordered.size else float("inf")


def _checked(values: Floats, lost: int) -> Floats:
    sample = np.asarray(values, np.float64)
    if np.any(np.isnan(sample)) or lost < 0:
        raise ValueError("a value of the sample is not a number" if lost >= 0 else f"{lost} values are lost")
    return sample
