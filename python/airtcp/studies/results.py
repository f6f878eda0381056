"""The runs of a study as values by levels of factors: means over seeds with their intervals."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from airtcp.metrics.arrays import Floats
from airtcp.metrics.summary import Summary, summarise
from airtcp.metrics.survival import Sample, pooled
from airtcp.quantities.named_number import NamedNumber
from airtcp.quantities.quantity import Values, with_unit
from airtcp.quantities.registry import quantity_of
from airtcp.studies.cases import Case
from airtcp.studies.measuring import Measured
from airtcp.studies.reference import Reference
from airtcp.studies.study import Study, part_levels
from airtcp.studies.study_file import Level, Where

Key = tuple[Level, ...]
_Of = TypeVar("_Of")


@dataclass(frozen=True)
class Value:
    """One value with its interval, and the runs it rests on; `doubtful`: a flow of the metric was not in
    control."""

    summary: Summary
    runs: tuple[Path, ...]
    doubtful: bool
    at_least: bool = False
    """Whether only a lower bound of some run is known."""

    @property
    def mean(self) -> float:
        """The mean over seeds."""
        return self.summary.mean

    @property
    def half(self) -> float | None:
        """Half of its interval, the wider side; `None` without one."""
        bars = self.summary.error_bars
        return None if bars is None else max(bars)


@dataclass(frozen=True)
class Results:
    """Every case with the run it ended in, and what was read off the runs."""

    study: Study
    ends: Sequence[tuple[Case, Path]]
    measured: Mapping[Path, Measured]
    reference: Reference | None = None

    @property
    def seeds(self) -> int:
        """How many seeds were run."""
        return len({case.seed for case, _ in self.ends})

    @property
    def factors(self) -> list[str]:
        """Every factor that a run has a level of."""
        return list(dict.fromkeys(name for case, _ in self.ends for name in case.levels))

    def chosen(self, part: str, where: Where) -> list[tuple[Case, Path]]:
        """The cases of a part with these levels."""
        return [
            (case, folder)
            for case, folder in self.ends
            if case.part == part and all(_fits(case.levels[name], level) for name, level in where.items())
        ]

    def levels(self, part: str, factor: str, where: Where) -> list[Level]:
        """The levels of a factor that were run, in the study's order."""
        there = {case.levels[factor] for case, _ in self.chosen(part, where)}
        return [level for level in part_levels(self.study, part, factor) if level in there]

    def values(self, part: str, metric: str, where: Where, keep: Sequence[str]) -> dict[Key, Value]:
        """A metric for each combination of the levels of `keep`; other factors' levels are averaged.

        The average is taken for each seed first, so that the interval is over seeds.
        """
        groups: dict[Key, list[tuple[Case, Path]]] = {}
        for case, folder in self.chosen(part, where):
            groups.setdefault(tuple(case.levels[name] for name in keep), []).append((case, folder))
        return {key: self._value(metric, ends) for key, ends in groups.items()}

    def _value(self, metric: str, ends: Sequence[tuple[Case, Path]]) -> Value:
        by_seed: dict[int, list[float]] = {}
        for case, folder in ends:
            by_seed.setdefault(case.seed, []).append(self.measured[folder].numbers[metric])
        means = [float(np.mean(values)) for values in by_seed.values()]
        folders = tuple(dict.fromkeys(folder for _, folder in ends))
        asked = self.study.metric(metric)
        doubtful = any(self.measured[folder].is_doubtful(asked) for folder in folders)
        at_least = any(metric in self.measured[folder].at_least for folder in folders)
        return Value(summarise(means), folders, doubtful, at_least)

    def sample(self, part: str, metric: str, where: Where) -> Sample:
        """All values of all chosen runs together."""
        return pooled(each for own in self.samples(part, metric, where) for each in own.values())

    def samples(self, part: str, metric: str, where: Where) -> list[Values]:
        """The values of each chosen run, by what has them."""
        return [self.measured[folder].values[metric] for _, folder in self.chosen(part, where)]

    def ratios(self, part: str, metric: str, where: Where) -> Floats:
        """Ours over the reference's, of each chosen case that both have."""
        if self.reference is None:
            return np.empty(0)
        both = [
            (self.measured[folder].numbers[metric], self.reference.value(case, metric))
            for case, folder in self.chosen(part, where)
        ]
        return np.array([ours / other for ours, other in both if ours > 0 and other > 0])

    def number(self, metric: str) -> NamedNumber:
        """What a metric is."""
        asked = self.study.metric(metric)
        return NamedNumber(metric, asked, quantity_of(asked, f"metric {metric}"))

    def label(self, metric: str) -> str:
        """A metric as it is shown, with its unit."""
        return with_unit(self.metric_name(metric), self.number(metric).unit)

    def metric_name(self, metric: str) -> str:
        """The metric's label, else its quantity's, with its own name where several metrics share that."""
        asked = self.study.metric(metric)
        text = self.number(metric).label
        if asked.label:
            return text
        alike = [
            name
            for name, other in self.study.metrics.items()
            if (other.of, other.statistic, other.across) == (asked.of, asked.statistic, asked.across)
            and not other.label
        ]
        return f"{text}, {metric}" if metric != asked.of and len({*alike, metric}) > 1 else text

    def warnings(self) -> list[str]:
        """What the runs warn of, each once."""
        return sorted({warning for one in self.measured.values() for warning in one.warnings})


def _fits(level: Level, chosen: Level | list[Level]) -> bool:
    return level in chosen if isinstance(chosen, list) else level == chosen


def combined(*wheres: Where) -> Where:
    """Chosen levels of several; later ones stand."""
    merged: Where = {}
    for where in wheres:
        merged.update(where)
    return merged


def free_factors(factors: Iterable[str], *taken: Iterable[str]) -> list[str]:
    """The factors that none of `taken` names."""
    gone = {name for each in taken for name in each}
    return [name for name in factors if name not in gone]


def grouped(values: Mapping[Key, _Of]) -> dict[Key, dict[Level, _Of]]:
    """Values by the last factor's levels, for every combination of the others."""
    groups: dict[Key, dict[Level, _Of]] = {}
    for key, value in values.items():
        groups.setdefault(key[:-1], {})[key[-1]] = value
    return groups


def named(study: Study, factors: Sequence[str], key: Key) -> str:
    """A combination of levels in words."""
    return " ".join(study.label(factor, level) for factor, level in zip(factors, key, strict=True))


def missing_levels(results: Results, part: str, where: Where) -> Iterator[str]:
    """Levels that `where` names and no run has."""
    for factor, chosen in where.items():
        there = {case.levels[factor] for case, _ in results.ends if case.part == part}
        for level in chosen if isinstance(chosen, list) else [chosen]:
            if level not in there:
                yield f"{factor} = {level}"
