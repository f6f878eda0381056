"""The empirical distribution of a sample of which every value is known, and its quantiles.

Definitions of RFC 2330 section 11.3: F(x) is the share of the sample that is at most x, and the p-quantile
is the least value with F(x) >= p, so it is always a value of the sample and lies on the drawn curve. Samples
with lost packets, or with some that were under way at the end, are those of `metrics/survival.py`.
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


def ecdf(values: Floats) -> Ecdf:
    """The empirical distribution. A `nan` among the values is a `ValueError`.

    An empty sample gives no steps.
    """
    ordered = _checked(values)
    at, counts = np.unique(ordered, return_counts=True)
    return Ecdf(at, np.cumsum(counts) / max(1, ordered.size))


def quantile(values: Floats, probability: float) -> float:
    """The least value with F(value) >= `probability`; `nan` of nothing."""
    if not 0 <= probability <= 1:
        raise ValueError(f"{probability} is not a probability")
    ordered = np.sort(_checked(values))
    if ordered.size == 0:
        return float("nan")
    place = max(0, int(np.ceil(probability * ordered.size - _STEP_TOLERANCE)) - 1)
    return float(ordered[place])


def _checked(values: Floats) -> Floats:
    sample = np.asarray(values, np.float64)
    if np.any(np.isnan(sample)):
        raise ValueError("a value of the sample is not a number")
    return sample
