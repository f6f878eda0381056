"""A prediction: a model fitted to a part of the measured runs, held against the others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from airtcp.data.read_once import open_once
from airtcp.execution.executors.executor import Job
from airtcp.fitting.fit import Fit, fit
from airtcp.fitting.model import Model
from airtcp.fitting.parts import Parts
from airtcp.fitting.search import Step, unreported
from airtcp.fitting.settings import settings_of
from airtcp.fitting.verdict import Residual, Verdict, residuals, verdicts
from airtcp.fitting.virtual_runs import VirtualRuns
from airtcp.quantities.run_view import RunView
from airtcp.report.comparison.comparison import Comparison, compare_sides
from airtcp.report.comparison.runs import RunSides
from airtcp.report.comparison.side import Row, Side

# Values beside those of reports.
QUANTILES = {"rtt_p50_ms": 0.5, "rtt_p95_ms": 0.95}
VALUES = ("throughput", "rtt", *QUANTILES, "jain_index", "retransmits")
FIRST_SEED = 501


@dataclass(frozen=True)
class Prediction:
    """What was predicted: `fit` is that of the part which the model was fitted to, `None` if it was known."""

    fit: Fit | None
    fitted_on: Mapping[str, str]
    comparison: Comparison
    residuals: tuple[Residual, ...]
    verdicts: tuple[Verdict, ...]
    seeds: int


def predict(
    model: Model,
    measured: Sequence[Path],
    runs: VirtualRuns,
    seeds: int,
    step: Step = unreported,
) -> Prediction:
    """Predicts measured runs by a model without unknowns, with so many seeds for each setting."""
    settings = settings_of(measured)
    jobs = [
        Job(setting.label, model.plan({}, setting, FIRST_SEED + seed, observed=True))
        for setting in settings
        for seed in range(seeds)
    ]
    step("prediction", len(jobs))
    folders = [folder for folder in runs.folders(jobs) if folder is not None]
    theirs = [folder for setting in settings for folder in setting.folders]
    sides = RunSides()
    here, there = sides.read(*folders), sides.read(*theirs)
    # No seed is on both sides: predicted and measured runs are no pairs.
    other = _prepared(sides.side(Path("measured"), there, made=True), first=1)
    ours = _prepared(sides.side(Path("predicted"), here, made=True), first=1 + len(other.rows))
    by = [key for key in other.keys if key in ours.keys and len(other.levels(key)) > 1]
    values = [value for value in VALUES if value in ours.values and value in other.values]
    found = compare_sides(ours, other, by, values)
    every = residuals(found)
    return Prediction(None, {}, found, tuple(every), tuple(verdicts(every)), seeds)


def fit_and_predict(
    model: Model, parts: Parts, runs: VirtualRuns, seeds: int, step: Step = unreported
) -> Prediction:
    """Fits a model to the first part, and predicts the other one.

    Of parameters that are not identifiable the prediction has the values that the search ended at.
    """
    found = fit(model, parts.chosen, runs, step)
    known = model.fixed({one.parameter.path: one.parameter.kind.written(one.value) for one in found.found})
    return replace(predict(known, parts.rest, runs, seeds, step), fit=found)


def _prepared(side: Side, first: int) -> Side:
    """The side with quantiles of ping's round-trip times, and repetitions numbered from `first` on."""
    # Repetitions of a measurement may have the seed of their scenario, all of them: they are numbered here.
    numbered = (replace(row, seed=number) for number, row in enumerate(side.rows, start=first))
    rows = tuple(_row_with_quantiles(row) for row in numbered)
    more = [name for name in QUANTILES if any(name in row.values for row in rows)]
    return replace(side, values=(*side.values, *more), rows=rows)


def _row_with_quantiles(row: Row) -> Row:
    run = open_once(Path(row.place))
    if "pings" not in run.recorded:
        return row
    begin, end = RunView.while_flows_ran(run).span
    trips = run.series("pings")
    chosen = trips.filter((trips["time_ns"] >= begin) & (trips["time_ns"] <= end) & (trips["rtt_ns"] >= 0))
    if not chosen.height:
        return row
    rtts = chosen["rtt_ns"].to_numpy() / 1e6
    return replace(
        row, values={**row.values, **{name: float(np.quantile(rtts, q)) for name, q in QUANTILES.items()}}
    )
