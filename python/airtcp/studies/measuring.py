"""What figures, tables and claims need of each run, read off it once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from airtcp.data.read_once import open_once
from airtcp.errors import AirtcpError
from airtcp.metrics.arrays import Floats
from airtcp.report.run_report import out_of_control, run_warnings
from airtcp.studies.cases import Case
from airtcp.studies.quantities.catalogue import quantity
from airtcp.studies.quantities.quantity import Lines
from airtcp.studies.quantities.view import View
from airtcp.studies.reading import Study
from airtcp.studies.study_file import MetricFile


class MetricError(AirtcpError):
    """A metric that can't be told of what the scenario makes: no fault of the run."""


@dataclass
class Measured:
    """What was read off a run, by the names of metrics; flows that were not in control and why; warnings."""

    folder: Path
    numbers: dict[str, float] = field(default_factory=dict)
    samples: dict[str, Floats] = field(default_factory=dict)
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
        names[figure.part] += [figure.y, figure.least, figure.most, figure.deviation]
    for table in study.tables:
        names[table.part] += [*table.metrics, table.rtt, table.base_rtt, table.used, table.capacity]
    for claim in study.claims:
        names[claim.part] += [claim.metric, claim.expected]
    chosen = {part: tuple(dict.fromkeys(name for name in each if name)) for part, each in names.items()}
    for name in dict.fromkeys(name for each in chosen.values() for name in each):
        quantity(study.metric(name), f"{place or study.folder}: metric {name}")
    return chosen


def measure_all(study: Study, ends: Sequence[tuple[Case, Path]]) -> dict[Path, Measured]:
    """Reads every run once, whatever the number of parts it is in."""
    metrics = wanted(study)
    needed: dict[Path, dict[str, None]] = {}
    for case, folder in ends:
        needed.setdefault(folder, {}).update(dict.fromkeys(metrics[case.part]))
    return {folder: measure(study, folder, tuple(names)) for folder, names in needed.items()}


def measure(study: Study, folder: Path, names: Sequence[str]) -> Measured:
    """These metrics of one run."""
    run = open_once(folder)
    measured = Measured(folder)
    measured.out_of_control = out_of_control(run)
    measured.warnings = tuple(run_warnings(run))
    for name in names:
        _read_off(measured, name, View(run, study.metric(name)))
    return measured


def _read_off(measured: Measured, name: str, view: View) -> None:
    place = f"metric {name} of {view.run.folder}"
    found = quantity(view.arguments, place)
    try:
        if found.number is not None:
            measured.numbers[name] = found.number(view)
        elif found.samples is not None:
            measured.samples[name] = found.samples(view)
        elif found.lines is not None:
            measured.lines[name] = found.lines(view)
    except ValueError as error:
        raise MetricError(str(error), place, "Change the metric or what the scenario samples") from None
