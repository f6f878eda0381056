"""What was measured, in numbers: the mean of each statistic over repetitions, and how much they differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from airtcp.errors import AirtcpError
from airtcp.fitting.settings import Setting, runs_of
from airtcp.fitting.statistics import numbers_of
from airtcp.metrics.arrays import Floats
from airtcp.quantities.named_number import NamedNumber
from airtcp.quantities.run_view import RunView


@dataclass(frozen=True)
class Measured:
    """Means, variances within a setting (`nan` of one run) and repetitions of every statistic."""

    names: tuple[tuple[str, ...], ...]
    means: Floats
    variances: Floats
    repetitions: Floats


def measured_of(settings: Sequence[Setting], compared: Sequence[NamedNumber] = ()) -> Measured:
    """The statistics of the measured runs, with these numbers; those that not every repetition has are left
    out. A number that none is left of is an `AirtcpError`.
    """
    check_measured(compared, settings)
    names, means, variances, repetitions = [], [], [], []
    for setting in settings:
        runs = [numbers_of(folder, compared) for folder in setting.folders]
        common = tuple(name for name in runs[0] if all(name in run for run in runs))
        if not common:
            remedy = "Measure longer, with flows that are sampled or with pings"
            raise AirtcpError("holds nothing that a fit could match", str(setting.folders[0]), remedy)
        values = np.array([[run[name] for name in common] for run in runs])
        names.append(common)
        means.append(values.mean(axis=0))
        several = len(runs) > 1
        variances.append(values.var(axis=0, ddof=1) if several else np.full(len(common), np.nan))
        repetitions.append(np.full(len(common), float(len(runs))))
    for one in compared:
        if not any(one.label in known for known in names):
            why = "logarithms are compared, and in no setting every run has a number above 0"
            raise _without(one, why, settings[0].folders[0])
    return Measured(
        tuple(names), np.concatenate(means), np.concatenate(variances), np.concatenate(repetitions)
    )


def check_measured(numbers: Sequence[NamedNumber], settings: Sequence[Setting]) -> None:
    """A number that no measured run has is an `AirtcpError`, which says why."""
    views = [RunView.while_flows_ran(run) for run in runs_of(settings)]
    for number in numbers:
        reasons = [number.of(view).why for view in views]
        if all(reasons):
            raise _without(number, reasons[0], views[0].run.folder)


def _without(number: NamedNumber, why: str, folder: Path) -> AirtcpError:
    return AirtcpError(f'"{number.name}" can\'t be compared: {why}', str(folder), "Leave it out of --values")
