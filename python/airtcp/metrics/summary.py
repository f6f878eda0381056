"""A few runs of one experiment (different seeds) in numbers, with a confidence interval that says what it
is.

The interval is of the **mean of independent runs**:

* *Student's t*: mean +- t * sd / sqrt(n); exact for normal values, and the usual choice.
* *Bootstrap, BCa* (bias-corrected and accelerated: Efron, JASA 82, 1987; 9999 resamples, fixed seed): where
  the test of Shapiro and Wilk rejects a normal distribution at 5 % and there are at least 8 values. With
  fewer, a bootstrap is too narrow: of exponential values whose normality was rejected, intervals that say
  95 % held the mean in 76 % of 600 trials with n = 3 and 88 % with n = 5, Student's in 91 % and 92 %; from
  n = 8 on both differ by 1 %. So Student's t is kept there, and the method says so.
* *None*, and why: for no value or one, for infinite ones, and where all values are equal. Equal values are
  what runs give in which the seed decides nothing; the interval is then that value, and more runs would not
  say more.

`method` names which it was, so that error bars can.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from airtcp.metrics.arrays import Floats
from airtcp.metrics.normality import all_equal, not_normal

CONFIDENCE = 0.95
BOOTSTRAP_COUNT_LEAST = 8
BOOTSTRAP_RESAMPLES = 9999
BOOTSTRAP_SEED = 1

STUDENT = "Student's t"
STUDENT_NOT_NORMAL = f"Student's t; not normal, but fewer than {BOOTSTRAP_COUNT_LEAST} values"
BOOTSTRAP = "bootstrap, BCa"
BOOTSTRAP_PERCENTILE = "bootstrap, percentiles"
NO_VALUES = "none: no values"
ONE_VALUE = "none: one value"
INFINITE = "none: a value is infinite"
EQUAL = "none: all values are equal"


@dataclass(frozen=True)
class Summary:
    """Count, mean, standard deviation (n - 1), least, most, and the interval of the mean with its method.

    `missing` counts values that were no numbers (`nan`, `None`); they are in nothing else. Without a value
    all is `nan`, of one value `sd` is. `low` and `high` are `None` where there is no interval.
    """

    count: int
    missing: int
    mean: float
    sd: float
    min: float
    max: float
    low: float | None
    high: float | None
    method: str
    confidence: float = CONFIDENCE

    @property
    def error_bars(self) -> tuple[float, float] | None:
        """How far the interval reaches below and above the mean; a bootstrap's need not be the same."""
        if self.low is None or self.high is None:
            return None
        return self.mean - self.low, self.high - self.mean

    def caption(self) -> str:
        """What the error bars are, for a caption."""
        if self.low is None or self.method == EQUAL:
            return f"no confidence interval ({self.method.removeprefix('none: ')})"
        return f"{self.confidence * 100:g} % confidence interval of the mean ({self.method})"


def summarise(values: Sequence[float | None] | Floats, confidence: float = CONFIDENCE) -> Summary:
    """The values of replications in numbers; their order changes nothing."""
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence of {confidence}")
    given = np.asarray(values, np.float64)
    sample = np.sort(given[~np.isnan(given)])
    missing = int(given.size - sample.size)
    if sample.size == 0:
        nothing = float("nan")
        return Summary(0, missing, nothing, nothing, nothing, nothing, None, None, NO_VALUES, confidence)
    finite = bool(np.all(np.isfinite(sample)))
    low, high, method = _interval(sample, confidence) if finite else (None, None, INFINITE)
    return Summary(
        count=int(sample.size),
        missing=missing,
        mean=_mean(sample),
        sd=float(sample.std(ddof=1)) if finite and sample.size > 1 else float("nan"),
        min=float(sample[0]),
        max=float(sample[-1]),
        low=low,
        high=high,
        method=method,
        confidence=confidence,
    )


def _mean(sample: Floats) -> float:
    # The mean of equal values can be off by a rounding, and so outside of least and most.
    with np.errstate(invalid="ignore"):  # infinite ones of both signs have no mean
        return float(np.clip(sample.mean(), sample[0], sample[-1]))


def _interval(sample: Floats, confidence: float) -> tuple[float | None, float | None, str]:
    if sample.size == 1:
        return None, None, ONE_VALUE
    if all_equal(sample):
        return float(sample[0]), float(sample[-1]), EQUAL
    if not not_normal(sample):
        return *student_interval(sample, confidence), STUDENT
    if sample.size < BOOTSTRAP_COUNT_LEAST:
        return *student_interval(sample, confidence), STUDENT_NOT_NORMAL
    return _bootstrap_interval(sample, confidence)


def student_interval(sample: Floats, confidence: float) -> tuple[float, float]:
    """Student's interval of the mean of two values or more."""
    from scipy import stats

    quantile = float(stats.t.ppf((1 + confidence) / 2, sample.size - 1))
    half = quantile * float(sample.std(ddof=1)) / float(np.sqrt(sample.size))
    return float(sample.mean()) - half, float(sample.mean()) + half


def _bootstrap_interval(sample: Floats, confidence: float) -> tuple[float, float, str]:
    from scipy import stats

    def interval(method: Literal["BCa", "percentile"]) -> tuple[float, float]:
        found = stats.bootstrap(
            [sample],
            np.mean,
            confidence_level=confidence,
            n_resamples=BOOTSTRAP_RESAMPLES,
            method=method,
            rng=np.random.default_rng(BOOTSTRAP_SEED),
        ).confidence_interval
        return float(found.low), float(found.high)

    low, high = interval("BCa")
    if np.isfinite(low) and np.isfinite(high):
        return low, high, BOOTSTRAP
    # BCa does not exist for some samples; percentiles always do.
    return *interval("percentile"), BOOTSTRAP_PERCENTILE
