"""Two congestion controls (or any two things) compared on common seeds.

Runs with one seed meet the same fading, backoffs and start times, so the difference within a seed has far
less variance than the two sets of runs. Tests are two-sided, on the differences:

* *paired t*: the usual choice; exact if differences are normal.
* *Wilcoxon's signed rank* (Biometrics Bulletin 1, 1945; zeros ranked as Pratt, JASA 54, 1959, does): where
  Shapiro and Wilk's test rejects normal differences at 5 % and there are at least 6 seeds; with fewer it
  can't reach 5 % whatever the data (its least p is 2 / 2^n). Exact, ties and zeros included, up to 60
  seeds; by the normal approximation beyond.
* *None*: of one seed there is no test. Of differences that are all equal neither test exists: if they are
  all 0 there is no difference (p = 1); if not, every seed says the same (p = 0, the limit of the t test).

The interval is that of the mean difference, by `summary`, with its own method; it may disagree with
Wilcoxon's test, which looks at ranks, in close cases.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from airtcp.metrics.arrays import Floats
from airtcp.metrics.normality import all_equal, not_normal
from airtcp.metrics.summary import Summary, summarise

WILCOXON_COUNT_LEAST = 6
# 2^60 assignments of signs can be counted in 64 bits.
EXACT_COUNT_MOST = 60

PAIRED_T = "paired t"
WILCOXON = "Wilcoxon's signed rank"
ONE_SEED = "none: one seed"
NO_SEEDS = "none: no seeds"
NO_DIFFERENCE = "none: no difference in any seed"
SAME_DIFFERENCE = "none: the same difference in every seed"


class UnpairedSeeds(ValueError):
    """Seeds that a side has no number for, though they are among the seeds of one of them; by the side's
    name.
    """

    def __init__(self, missing: Mapping[str, tuple[int, ...]]) -> None:
        self.missing = dict(missing)
        named = (f"{name} has no number for seed {', '.join(map(str, missing[name]))}" for name in missing)
        super().__init__("; ".join(named))


@dataclass(frozen=True)
class Paired:
    """Means of both, the difference (first less second) with its interval, and the test.

    `p_value` is `None` without a test. `direction` is the sign of what the test looked at: of the mean
    difference, or of the sum of signed ranks.
    """

    first_mean: float
    second_mean: float
    difference: Summary
    p_value: float | None
    test: str
    direction: int

    def differs(self, p_value: float | None, significance: float) -> bool:
        """Whether, with this (perhaps adjusted) p-value, one of both is larger.

        Not so if ranks point the other way than means: then the test did not confirm what the means say.
        """
        agrees = self.direction != 0 and self.direction == np.sign(self.difference.mean)
        return p_value is not None and p_value <= significance and bool(agrees)


def compare_pairs(first: Mapping[int, float], second: Mapping[int, float]) -> Paired:
    """Compares two sets of values by seed; `UnpairedSeeds` if a seed has no number on a side."""
    seeds = paired_seeds({"the first": first, "the second": second})
    here = np.array([first[seed] for seed in seeds], np.float64)
    there = np.array([second[seed] for seed in seeds], np.float64)
    differences = here - there
    size = float(np.max(np.abs([*here, *there]), initial=0.0))
    p_value, test, direction = _test(differences, size)
    first_mean, second_mean = (float(side.mean()) if side.size else float("nan") for side in (here, there))
    return Paired(first_mean, second_mean, summarise(differences), p_value, test, direction)


@dataclass(frozen=True)
class CommonSeeds:
    """Seeds that all sides have a number for, and those that some have; both in rising order."""

    seeds: tuple[int, ...]
    left_out: tuple[int, ...]


def common_seeds(sides: Mapping[str, Mapping[int, float]]) -> CommonSeeds:
    """Which seeds can be compared; one whose value is `nan` on a side is not there. Infinite is a
    `ValueError`.
    """
    if any(np.isinf(value) for side in sides.values() for value in side.values()):
        raise ValueError("a value is infinite")
    every = sorted({seed for side in sides.values() for seed in side})
    seeds = tuple(seed for seed in every if not any(_absent(side, seed) for side in sides.values()))
    return CommonSeeds(seeds, tuple(seed for seed in every if seed not in seeds))


def paired_seeds(sides: Mapping[str, Mapping[int, float]]) -> tuple[int, ...]:
    """The seeds that all sides have; `UnpairedSeeds` with the sides' names if there are others."""
    common = common_seeds(sides)
    missing = {
        name: lacking
        for name, side in sides.items()
        if (lacking := tuple(seed for seed in common.left_out if _absent(side, seed)))
    }
    if missing:
        raise UnpairedSeeds(missing)
    return common.seeds


def _absent(side: Mapping[int, float], seed: int) -> bool:
    return seed not in side or bool(np.isnan(side[seed]))


def _test(differences: Floats, size: float) -> tuple[float | None, str, int]:
    from scipy import stats

    if differences.size < 2:
        return None, ONE_SEED if differences.size else NO_SEEDS, 0
    mean_sign = int(np.sign(differences.mean()))
    if all_equal(np.append(differences, 0.0), size):
        return 1.0, NO_DIFFERENCE, 0
    if all_equal(differences, size):
        return 0.0, SAME_DIFFERENCE, mean_sign
    if differences.size >= WILCOXON_COUNT_LEAST and not_normal(differences):
        ranks = stats.rankdata(np.abs(differences)) * np.sign(differences)
        return _wilcoxon_p(np.sort(differences)), WILCOXON, int(np.sign(ranks.sum()))
    return float(stats.ttest_1samp(differences, 0.0).pvalue), PAIRED_T, mean_sign


def _wilcoxon_p(differences: Floats) -> float:
    """Two-sided, from the exact distribution of the sum of signed ranks where there are not too many."""
    from scipy import stats

    if differences.size > EXACT_COUNT_MOST:
        return float(stats.wilcoxon(differences, zero_method="pratt", method="approx").pvalue)
    # Ties have ranks of halves; twice the ranks are whole numbers. Zeros have a rank but no sign.
    signed = differences != 0
    ranks = np.rint(2 * stats.rankdata(np.abs(differences))).astype(np.int64)[signed]
    total, seen = int(ranks.sum()), int(ranks[differences[signed] > 0].sum())
    # ways[s]: how many assignments of signs give positive ranks that sum to s.
    ways = np.zeros(total + 1, np.int64)
    ways[0] = 1
    for rank in ranks.tolist():
        ways[rank:] += ways[:-rank].copy()
    far = np.abs(2 * np.arange(total + 1) - total) >= abs(2 * seen - total)
    return float(ways[far].sum() / ways.sum())
