"""What was measured, in numbers: the mean of each statistic over repetitions, and how much they differ."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from airtcp.errors import AirtcpError
from airtcp.fitting.settings import Setting
from airtcp.fitting.statistics import numbers_of
from airtcp.metrics.arrays import Floats


@dataclass(frozen=True)
class Measured:
    """Means, variances within a setting (`nan` of one run) and repetitions of every statistic."""

    names: tuple[tuple[str, ...], ...]
    means: Floats
    variances: Floats
    repetitions: Floats


def measured_of(settings: Sequence[Setting]) -> Measured:
    """The statistics of the measured runs; those that not every repetition has are left out."""
    names, means, variances, repetitions = [], [], [], []
    for setting in settings:
        runs = [numbers_of(folder) for folder in setting.folders]
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
    return Measured(
        tuple(names), np.concatenate(means), np.concatenate(variances), np.concatenate(repetitions)
    )
