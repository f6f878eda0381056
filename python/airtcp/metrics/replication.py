"""Several runs of one experiment: means with confidence."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


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
    mean = float(np.mean(values))
    if len(values) == 1:
        return Estimate(mean, None, 1)
    error = float(np.std(values, ddof=1)) / math.sqrt(len(values))
    return Estimate(mean, student_quantile(0.975, len(values) - 1) * error, len(values))


def student_quantile(probability: float, freedom: int) -> float:
    """The quantile of Student's t distribution, by integration of its density and bisection; for p >= 0.5."""
    if not 0.5 <= probability < 1 or freedom < 1:
        raise ValueError("the probability must be from 0.5 to below 1, the degrees of freedom at least 1")
    log_scale = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - 0.5 * math.log(freedom * math.pi)

    def upper_half(t: float) -> float:
        # Simpson's rule over [0, atan(t)]: with x = tan(u) the integrand stays bounded.
        u = np.linspace(0.0, math.atan(t), 4001)
        values = np.exp(log_scale - (freedom + 1) / 2 * np.log1p(np.tan(u) ** 2 / freedom)) / np.cos(u) ** 2
        step = u[1] - u[0]
        return float(
            step / 3 * (values[0] + values[-1] + 4 * values[1:-1:2].sum() + 2 * values[2:-1:2].sum())
        )

    low, high = 0.0, 1.0
    while 0.5 + upper_half(high) < probability:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if 0.5 + upper_half(middle) < probability else (low, middle)
    return (low + high) / 2
