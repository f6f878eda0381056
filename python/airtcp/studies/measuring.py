"""What figures, tables and claims need of each run, read off it once."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np

from airtcp.data.read_once import open_once
from airtcp.metrics.survival import NOTHING, Estimate, Sample, pooled, statistic
from airtcp.quantities.flows import out_of_control
from airtcp.quantities.metric_file import MetricFile
from airtcp.quantities.metric_view import MetricView
from airtcp.quantities.quantity import Lines, MetricError, Values
from airtcp.quantities.registry import quantity_of
from airtcp.report.run_report import run_warnings
from airtcp.studies.cases import Case
from airtcp.studies.study import Study
from airtcp.studies.study_file import DISTRIBUTIONS

# Suffix of a column that marks a metric of which only a lower bound is known.
AT_LEAST = "_at_least"


@dataclass
class Measured:
    """What was read off a run, by the names of metrics; flows that were not in control and why; warnings."""

    folder: Path
    numbers: dict[str, float] = field(default_factory=dict)
    at_least: set[str] = field(default_factory=set)
    """Names of the numbers that are lower bounds."""
    samples: dict[str, Sample] = field(default_factory=dict)
    values: dict[str, Values] = field(default_factory=dict)
    lines: dict[str, Lines] = field(default_factory=dict)
    out_of_control: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def is_doubtful(self, metric: MetricFile) -> bool:
        """Whether the congestion control of a flow that the metric is about was not in control."""
        return any(fnmatchcase(flow, metric.flows) for flow in self.out_of_control)


def wanted(study: Study, place: str = "") -> dict[str, tuple[str, ...]]:
    """The metrics that figures, tables and claims of each part name; an unknown quantity is an error."""
    names: dict[str, list[str]] = {part: [] for part in study.parts}
    for figure in study.figures:
        names[figure.part] += [*figure.metrics, figure.least, figure.most, figure.deviation]
    for table in study.tables:
        names[table.part] += [*table.metrics, table.rtt, table.base_rtt, table.used, table.capacity]
    for claim in study.claims:
        names[claim.part] += [claim.metric, claim.expected]
    chosen = {part: tuple(dict.fromkeys(name for name in each if name)) for part, each in names.items()}
    for name in dict.fromkeys(name for each in chosen.values() for name in each):
        quantity_of(study.metric(name), f"{place or study.folder}: metric {name}")
    return chosen


def measure_all(study: Study, ends: Sequence[tuple[Case, Path]]) -> dict[Path, Measured]:
    """Reads every run once, whatever the number of parts it is in."""
    metrics = wanted(study)
    needed: dict[Path, dict[str, None]] = {}
    for case, folder in ends:
        needed.setdefault(folder, {}).update(dict.fromkeys(metrics[case.part]))
    drawn = distributions_of(study)
    return {folder: measure(study, folder, tuple(names), drawn) for folder, names in needed.items()}


def distributions_of(study: Study) -> frozenset[str]:
    """The metrics of which figures show distributions."""
    shown = (name for figure in study.figures if figure.kind in DISTRIBUTIONS for name in figure.metrics)
    return frozenset(
        name for name in shown if quantity_of(study.metric(name), f"metric {name}").values is not None
    )


def numbers_of(study: Study) -> frozenset[str]:
    """The metrics of which tables, claims or figures show a number of each run."""
    names: list[str] = [name for claim in study.claims for name in (claim.metric, claim.expected)]
    for table in study.tables:
        names += [*table.metrics, table.rtt, table.base_rtt, table.used, table.capacity]
    for figure in study.figures:
        names += [figure.least, figure.most, figure.deviation]
        names += [] if figure.kind in DISTRIBUTIONS else figure.metrics
    return frozenset(names)


def measure(
    study: Study, folder: Path, names: Sequence[str], drawn: Collection[str] = frozenset()
) -> Measured:
    """Metrics of one run; of those that are `drawn` as distributions all values are kept."""
    run, numbers = open_once(folder), numbers_of(study)
    measured = Measured(folder)
    measured.out_of_control = out_of_control(run)
    measured.warnings = tuple(run_warnings(run))
    for name in names:
        is_number = name not in drawn or name in numbers
        _read_off(measured, name, MetricView(run, study.metric(name)), _Forms(name in drawn, is_number))
    return measured


@dataclass(frozen=True)
class _Forms:
    """The forms needed of a metric that has values: these, its number, or both."""

    values: bool
    number: bool


def _across(samples: Sequence[Sample], asked: MetricFile) -> Estimate:
    """The statistic of all values, or of what each has."""
    name = asked.statistic or "mean"
    if asked.across == "pooled":
        return statistic(pooled(samples), name)
    found = [each for each in (statistic(sample, name) for sample in samples) if not math.isnan(each.value)]
    if not found:
        return NOTHING
    if asked.across == "mean":
        return Estimate(float(np.mean([each.value for each in found])), any(e.at_least for e in found))
    choose = min if asked.across == "least" else max
    chosen = choose(found, key=lambda each: each.value)
    # A larger one may be hidden behind any that is only a bound.
    return Estimate(chosen.value, any(e.at_least for e in found) if choose is max else chosen.at_least)


def _read_off(measured: Measured, name: str, view: MetricView, forms: _Forms) -> None:
    place = f"metric {name} of {view.run.folder}"
    found = quantity_of(view.arguments, place)
    own = found.number if not view.arguments.statistic else None
    try:
        if own is not None:
            measured.numbers[name] = own(view)
        if found.values is not None and (forms.values or own is None):
            values = found.values(view)
            if forms.values:
                measured.values[name] = values
            if own is None and forms.number:
                estimate = _across(list(values.values()), view.arguments)
                measured.numbers[name] = estimate.value
                if estimate.at_least:
                    measured.at_least.add(name)
        if found.samples is not None:
            measured.samples[name] = found.samples(view)
        if found.lines is not None:
            measured.lines[name] = found.lines(view)
    except ValueError as error:
        raise MetricError(str(error), place, "Change the metric or what the scenario samples") from None
