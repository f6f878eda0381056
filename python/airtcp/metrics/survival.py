"""Times of which some are only known to be longer than what was seen: censored times.

A page that still loads when a run ends takes longer than it has taken. To leave it out would make the slow
ones count less; to call it infinite would say what is not known. The **product-limit estimate** of Kaplan and
Meier (J. Am. Stat. Assoc. 53, 1958) uses both kinds: at each time t at which d transfers ended, of n that had
neither ended nor been lost from sight before, the share S of those still under way falls by the factor 1 - d
/ n. Where nothing is censored it is the empirical distribution.

* The **p-quantile** is the least time at which the share of those that have ended, 1 - S, is at least p. If
  the estimate ends below p, all that is known is that it is longer than the longest time that was seen.
* The **mean** is the area under S up to the longest time that was seen (restricted mean). If S does not come
  down to 0 it is a lower bound of the mean.

What was lost for good, as a datagram, is censored at infinity: it never comes.
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from airtcp.metrics.arrays import Floats
from airtcp.metrics.distribution import Ecdf, ecdf, quantile

# As for quantiles of a sample: p * n is not exact.
_STEP_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Estimate:
    """A number; `at_least`: it is only known to be larger than this. `nan` where nothing is known."""

    value: float
    at_least: bool = False


NOTHING = Estimate(math.nan)


@dataclass(frozen=True)
class Sample:
    """Values of one thing. `censored`: what is only known to be larger; infinite: it never came (a lost
    packet).
    """

    known: Floats
    censored: Floats = field(default_factory=lambda: np.empty(0))

    @property
    def size(self) -> int:
        """How many there are of both."""
        return int(self.known.size + self.censored.size)

    @property
    def lost(self) -> int:
        """How many never came."""
        return int(np.isinf(self.censored).sum())

    @property
    def under_way(self) -> int:
        """How many had not come when the run ended, and may have come later."""
        return int(self.censored.size) - self.lost

    @property
    def missing(self) -> float:
        """The share that never came, of those of which that is known; `nan` of none."""
        known = self.known.size + self.lost
        return self.lost / known if known else math.nan

    @cached_property
    def survival(self) -> "Survival":
        """The product-limit estimate."""
        return Survival(self.known, self.censored)

    def quantile(self, probability: float) -> Estimate:
        """The least value that a share of at least `probability` does not exceed; `NOTHING` of no value.

        Every percentile on a screen, in a figure or in a file is this one. Values of an uncensored sample may
        be negative.
        """
        if self.censored.size:
            return self.survival.quantile(probability)
        return Estimate(quantile(self.known, probability))

    def distribution(self) -> Ecdf:
        """The steps of the share of values that are at most x, which `quantile` reads."""
        return self.survival.distribution() if self.censored.size else ecdf(self.known)


def pooled(samples: Iterable[Sample]) -> Sample:
    """All of them together."""
    every = [Sample(np.empty(0)), *samples]
    known = np.concatenate([each.known for each in every])
    return Sample(known, np.concatenate([each.censored for each in every]))


# `p` and a percentage, as p95 or p99.9; or one of the words.
PERCENTILE = re.compile(r"p(\d{1,2}(?:\.\d+)?|100)")
STATISTICS = ("mean", "median", "least", "most", "deviation", "missing")


def statistic(sample: Sample, name: str) -> Estimate:
    """A statistic by its name: one of `STATISTICS`, or a percentile such as `p95`.

    With censored values `deviation` is not known, and `missing` is the share of infinite ones. An unknown
    name is a `ValueError`.
    """
    match = PERCENTILE.fullmatch(name)
    if match is None and name not in STATISTICS:
        raise ValueError(
            f'there is no statistic "{name}"; known: {", ".join(STATISTICS)}, or a percentile such as p95'
        )
    if not sample.size:
        return NOTHING
    if name == "missing":
        return Estimate(sample.missing)
    if name == "deviation":
        apart = sample.known.size > 1 and not sample.censored.size
        return Estimate(float(np.std(sample.known, ddof=1))) if apart else NOTHING
    if name == "least":
        return Estimate(float(sample.known.min())) if sample.known.size else NOTHING
    if not sample.censored.size and name == "mean":
        return Estimate(float(np.mean(sample.known)))
    if name == "mean":
        return sample.survival.mean()
    share = 0.5 if name == "median" else 1.0 if match is None else float(match[1]) / 100
    return sample.quantile(share)


class Survival:
    """The product-limit estimate of a sample."""

    def __init__(self, ended: Floats, censored: Floats) -> None:
        """`ended`: times of those that ended; `censored`: of the others, how long they were watched.

        A negative time, or one that is not a number, is a `ValueError`.
        """
        for times in (ended, censored):
            if np.any(np.isnan(times)) or np.any(times < 0):
                raise ValueError("a time is negative or no number")
        self._ended = np.sort(np.asarray(ended, np.float64))
        watched = np.sort(np.concatenate([self._ended, np.asarray(censored, np.float64)]))
        self._longest = float(watched[np.isfinite(watched)].max(initial=-math.inf))
        self._times, deaths = np.unique(self._ended, return_counts=True)
        # A time censored at the very moment of an end was still under way then.
        at_risk = watched.size - np.searchsorted(watched, self._times, side="left")
        self._shares: Floats = np.cumprod(1 - deaths / np.maximum(at_risk, 1)).astype(np.float64)

    def quantile(self, probability: float) -> Estimate:
        """The time until which a share of `probability` has ended."""
        if not 0 <= probability <= 1:
            raise ValueError(f"{probability} is not a probability")
        reached = np.flatnonzero(1 - self._shares >= probability - _STEP_TOLERANCE)
        if reached.size:
            return Estimate(float(self._times[reached[0]]))
        return self._beyond()

    def distribution(self) -> Ecdf:
        """The steps of the share that has ended, 1 - S: at each time of an end, the share from then on."""
        return Ecdf(self._times, 1 - self._shares)

    def mean(self) -> Estimate:
        """The mean, restricted to the longest time that was seen."""
        if not math.isfinite(self._longest):
            return NOTHING
        edges = np.concatenate([[0.0], self._times, [self._longest]])
        levels = np.concatenate([[1.0], self._shares])
        left = float(levels[-1]) > _STEP_TOLERANCE
        return Estimate(float(np.sum(np.diff(edges) * levels)), at_least=left)

    def most(self) -> Estimate:
        """The longest time."""
        return self.quantile(1.0)

    def _beyond(self) -> Estimate:
        return Estimate(self._longest, at_least=True) if math.isfinite(self._longest) else NOTHING
