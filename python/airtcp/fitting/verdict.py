"""What a model may be used for: predicted values against measured ones, case by case.

A case is predicted if the predicted mean is within `NEAR` of the measured one, the limit of `airtcp
compare`; or within `FAR` of it, and the difference is one that repetitions have too (95 % by Welch's t-test;
a single measured run is held against the spread of the predicted ones). So a few runs that vary much do not
make a bad prediction a good one. A model is for

* **absolute values** of a quantity if every case is predicted;
* its **order** if, of all pairs of cases whose measured values are further apart than `NEAR`, as many are in
  the measured order as in the opposite one so that their difference, over their number, is at least
  `TAU_LEAST` (Kendall's tau of these pairs, Biometrika 30, 1938), and there are `PAIRS_LEAST` of them;
* **nothing** of it otherwise.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from airtcp.metrics.normality import all_equal
from airtcp.metrics.summary import Summary, summarise
from airtcp.report.comparison.comparison import Comparison
from airtcp.report.comparison.matching import Key

NEAR, FAR = 0.1, 0.25
# Nine pairs in the measured order for each one that is not.
TAU_LEAST = 0.8
PAIRS_LEAST = 3
CONFIDENCE = 0.95

Use = Literal["absolute values", "order", "nothing"]


@dataclass(frozen=True)
class Residual:
    """One value of one case: predicted and measured, and whether the difference is one of repetitions."""

    key: Key
    value: str
    predicted: Summary
    measured: Summary
    repeatable: bool | None
    """Whether repetitions differ as much; `None` where nothing was repeated."""

    @property
    def ratio(self) -> float:
        """Predicted over measured."""
        return self.predicted.mean / self.measured.mean if self.measured.mean else math.nan

    @property
    def near(self) -> bool:
        """Whether the ratio is within the limit."""
        return self._within(NEAR)

    def _within(self, limit: float) -> bool:
        return bool(1 / (1 + limit) <= self.ratio <= 1 + limit)

    @property
    def is_predicted(self) -> bool:
        """Whether the model predicts the value."""
        repeated = bool(self.repeatable) and self._within(FAR)
        return self.near or repeated or self.predicted.mean == self.measured.mean


@dataclass(frozen=True)
class Verdict:
    """What the model may be used for, of one quantity, and the numbers behind it."""

    value: str
    use: Use
    cases: int
    predicted: int
    near: int
    pairs: int
    tau: float


def residuals(found: Comparison) -> list[Residual]:
    """The residual of every value of every case that both sides have."""
    made = []
    for value in found.names.values:
        for key in found.matched:
            ours = [row.values[value] for row in found.our_cases[key].rows if value in row.values]
            theirs = [row.values[value] for row in found.their_cases[key].rows if value in row.values]
            if ours and theirs:
                same = _repeatable(ours, theirs)
                made.append(Residual(key, value, summarise(ours), summarise(theirs), same))
    return made


def verdicts(every: Sequence[Residual]) -> list[Verdict]:
    """What the model may be used for, of each quantity."""
    values = dict.fromkeys(one.value for one in every)
    return [_verdict(value, [one for one in every if one.value == value]) for value in values]


def _repeatable(ours: Sequence[float], theirs: Sequence[float]) -> bool | None:
    from scipy import stats

    first, second = np.asarray(ours), np.asarray(theirs)
    scale = float(np.abs(np.append(first, second)).max())
    if min(first.size, second.size) > 1:
        if all_equal(first, scale) and all_equal(second, scale):
            return all_equal(np.append(first, second), scale)
        ours_, theirs_ = ((side.mean(), side.std(ddof=1), side.size) for side in (first, second))
        test = stats.ttest_ind_from_stats(*ours_, *theirs_, equal_var=False)
        return bool(test.pvalue >= 1 - CONFIDENCE)
    if first.size == 1 and second.size == 1:
        return None
    many, one = (first, second) if first.size > 1 else (second, first)
    # Whether a further run of the same kind may be as far off as the single one.
    half = stats.t.ppf(0.5 + CONFIDENCE / 2, many.size - 1) * many.std(ddof=1) * math.sqrt(1 + 1 / many.size)
    return bool(abs(one[0] - many.mean()) <= half)


def _verdict(value: str, every: Sequence[Residual]) -> Verdict:
    pairs = [
        (a, b)
        for a, b in combinations(every, 2)
        if max(a.measured.mean, b.measured.mean) > (1 + NEAR) * min(a.measured.mean, b.measured.mean)
    ]
    signs = [
        np.sign(a.measured.mean - b.measured.mean) * np.sign(a.predicted.mean - b.predicted.mean)
        for a, b in pairs
    ]
    tau = float(np.mean(signs)) if signs else math.nan
    predicted = sum(one.is_predicted for one in every)
    use: Use = "nothing"
    if predicted == len(every):
        use = "absolute values"
    elif len(pairs) >= PAIRS_LEAST and tau >= TAU_LEAST:
        use = "order"
    return Verdict(value, use, len(every), predicted, sum(one.near for one in every), len(pairs), tau)
