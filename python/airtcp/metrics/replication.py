"""Several runs of one experiment: the mean with Student's interval.

`summary` says more: it looks at whether Student's interval fits.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from airtcp.metrics.summary import CONFIDENCE, student_interval


@dataclass(frozen=True)
class Estimate:
    """A mean over replications and half the width of its 95 % confidence interval (`None` for one run)."""

    mean: float
    half_width: float | None
    count: int


def estimate(values: Sequence[float]) -> Estimate:
    """Student's interval for the mean of independent replications (different seeds)."""
    if not values:
        raise ValueError("no values")
    sample = np.asarray(values, np.float64)
    if sample.size == 1:
        return Estimate(float(sample[0]), None, 1)
    low, high = student_interval(sample, CONFIDENCE)
    return Estimate(float(sample.mean()), (high - low) / 2, int(sample.size))
