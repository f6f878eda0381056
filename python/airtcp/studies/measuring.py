"""What figures, tables and claims need of each run, read off it once."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from airtcp.data.read_once import open_once
from airtcp.quantities.flows import out_of_control
from airtcp.quantities.forms import lines, number, values
from airtcp.quantities.metric_file import MetricFile
from airtcp.quantities.quantity import Lines, MetricError, Values
from airtcp.quantities.registry import quantity_of
from airtcp.quantities.run_view import RunView
from airtcp.report.run.warnings import run_warnings
from airtcp.studies.cases import Case
from airtcp.studies.study import Study
from airtcp.studies.study_file import DISTRIBUTIONS, TIME
from airtcp.studies.wanted_metrics import wanted

# Suffix of a column that marks a metric of which only a lower bound is known.
AT_LEAST = "_at_least"


@dataclass
class Measured:
    """What was read off a run, by the names of metrics; flows that were not in control and why; warnings."""

    folder: Path
    numbers: dict[str, float] = field(default_factory=dict)
    at_least: set[str] = field(default_factory=set)
    """Names of the numbers that are lower bounds."""
    values: dict[str, Values] = field(default_factory=dict)
    lines: dict[str, Lines] = field(default_factory=dict)
    out_of_control: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def is_doubtful(self, metric: MetricFile) -> bool:
        """Whether the congestion control of a flow that the metric is about was not in control."""
        return any(metric.is_about(flow) for flow in self.out_of_control)


def measure_all(study: Study, ends: Sequence[tuple[Case, Path]]) -> dict[Path, Measured]:
    """Reads every run once, whatever the number of parts it is in."""
    metrics = wanted(study)
    needed: dict[Path, dict[str, None]] = {}
    for case, folder in ends:
        needed.setdefault(folder, {}).update(dict.fromkeys(metrics[case.part]))
    drawn = drawn_of(study)
    return {folder: measure(study, folder, tuple(names), drawn) for folder, names in needed.items()}


@dataclass(frozen=True)
class Drawn:
    """The metrics of which figures show distributions, and those of which they show lines over time."""

    values: frozenset[str] = frozenset()
    lines: frozenset[str] = frozenset()

    @property
    def names(self) -> frozenset[str]:
        """Both."""
        return self.values | self.lines


NOTHING_DRAWN = Drawn()


def drawn_of(study: Study) -> Drawn:
    """What the figures of a study show beside numbers."""

    def shown(kinds: Collection[str]) -> frozenset[str]:
        figures = (figure for figure in study.figures if figure.kind in kinds)
        return frozenset(name for figure in figures for name in figure.metrics)

    return Drawn(shown(DISTRIBUTIONS), shown((TIME,)))


def numbers_of(study: Study) -> frozenset[str]:
    """The metrics of which tables, claims or figures show a number of each run."""
    names: list[str] = [name for claim in study.claims for name in (claim.metric, claim.expected)]
    for table in study.tables:
        names += [*table.metrics, table.rtt, table.base_rtt, table.used, table.capacity]
    for figure in study.figures:
        names += [figure.least, figure.most, figure.deviation]
        names += [] if figure.kind in (*DISTRIBUTIONS, TIME) else figure.metrics
    return frozenset(names)


def measure(study: Study, folder: Path, names: Sequence[str], drawn: Drawn = NOTHING_DRAWN) -> Measured:
    """These metrics of one run; of those that are `drawn` values or lines are kept."""
    run, numbers = open_once(folder), numbers_of(study)
    measured = Measured(folder)
    measured.out_of_control = out_of_control(run)
    measured.warnings = tuple(run_warnings(run))
    for name in names:
        view = RunView.of_metric(run, study.metric(name))
        _read_off(measured, name, view, drawn, name not in drawn.names or name in numbers)
    return measured


def _read_off(measured: Measured, name: str, view: RunView, drawn: Drawn, is_number: bool) -> None:
    place = f"metric {name} of {view.run.folder}"
    found = quantity_of(view.arguments, place)
    try:
        if name in drawn.values:
            measured.values[name] = values(found, view)
        if name in drawn.lines:
            measured.lines[name] = lines(found, view)
        if is_number:
            estimate = number(found, view)
            measured.numbers[name] = estimate.value
            if estimate.at_least:
                measured.at_least.add(name)
    except ValueError as error:
        raise MetricError(str(error), place, "Change the metric or what the scenario samples") from None
