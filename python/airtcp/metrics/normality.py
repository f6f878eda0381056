"""Whether a sample may come from a normal distribution."""

from collections.abc import Sequence

import numpy as np

from airtcp.metrics.arrays import Floats

SIGNIFICANCE = 0.05
# The test of Shapiro and Wilk is defined from here on.
COUNT_LEAST = 3
# Differences of this share of the largest value come from rounding, not from the runs.
_ROUNDING = 1e-12


def normality_p(values: Floats | Sequence[float]) -> float | None:
    """The p-value of Shapiro and Wilk's test (Biometrika 52, 1965) that the sample is from a normal
    distribution.

    `None` if there are fewer than three values, or all are equal: then the test does not exist.
    """
    from scipy import stats

    sample = np.asarray(values, np.float64)
    if sample.size < COUNT_LEAST or all_equal(sample):
        return None
    # Sorted and scaled: neither the order of the runs nor the unit can change a digit.
    scaled = np.sort((sample - sample.mean()) / sample.std())
    return float(stats.shapiro(scaled).pvalue)


def not_normal(values: Floats | Sequence[float]) -> bool:
    """Whether the test rejects a normal distribution at 5 %; without a test nothing is rejected."""
    p = normality_p(values)
    return p is not None and p < SIGNIFICANCE


def all_equal(values: Floats, size: float | None = None) -> bool:
    """Whether the values differ by no more than rounding does.

    `size` is that of the numbers the values were computed from, where it is not that of the values
    (differences).
    """
    most = float(np.max(np.abs(values)))
    return float(np.max(values) - np.min(values)) <= _ROUNDING * max(most, size or 0.0)
