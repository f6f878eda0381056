"""A prediction: a model fitted to a part of the measured runs, held against the others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from airtcp.execution.executors.executor import Job
from airtcp.fitting.fit import Fit, fit
from airtcp.fitting.measured import check_measured
from airtcp.fitting.model import Model
from airtcp.fitting.parts import Parts
from airtcp.fitting.search import Step, unreported
from airtcp.fitting.settings import settings_of
from airtcp.fitting.verdict import Residual, Verdict, residuals, verdicts
from airtcp.fitting.virtual_runs import VirtualRuns
from airtcp.quantities.named_number import numbers_named
from airtcp.report.comparison.comparison import Comparison, compare_sides
from airtcp.report.comparison.runs import RunSides
from airtcp.report.comparison.side import Side

# What is predicted if nothing else is asked for.
VALUES = ("throughput", "rtt", "rtt_p50_ms", "rtt_p95_ms", "jain_index", "retransmits")
FIRST_SEED = 501


@dataclass(frozen=True)
class Question:
    """What a prediction is asked for: runs of each measured setting, and names of quantities.

    Without `values` it is those of `VALUES` that both predicted and measured runs have.
    """

    seeds: int
    values: Sequence[str] = ()


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
    question: Question,
    step: Step = unreported,
) -> Prediction:
    """Predicts measured runs by a model without unknowns.

    Measured runs that can't be read, and values that are no quantities or that a side does not have, are
    `AirtcpError`s.
    """
    numbers = numbers_named(question.values or VALUES, "--values")
    values = [one.name for one in numbers]
    settings = settings_of(measured)
    if question.values:
        check_measured(numbers, settings)
    jobs = [
        Job(setting.label, model.plan({}, setting, FIRST_SEED + seed, observed=True))
        for setting in settings
        for seed in range(question.seeds)
    ]
    step("prediction", len(jobs))
    folders = [folder for folder in runs.folders(jobs) if folder is not None]
    theirs = [folder for setting in settings for folder in setting.folders]
    sides = RunSides(values)
    here, there = sides.read(*folders), sides.read(*theirs)
    # No seed is on both sides: predicted and measured runs are no pairs.
    other = _numbered(sides.side(Path("measured"), there, made=True), first=1)
    ours = _numbered(sides.side(Path("predicted"), here, made=True), first=1 + len(other.rows))
    by = [key for key in other.keys if key in ours.keys and len(other.levels(key)) > 1]
    if not question.values:
        values = [value for value in values if value in ours.values and value in other.values]
    found = compare_sides(ours, other, by, values)
    every = residuals(found)
    return Prediction(None, {}, found, tuple(every), tuple(verdicts(every)), question.seeds)


def fit_and_predict(
    model: Model, parts: Parts, runs: VirtualRuns, question: Question, step: Step = unreported
) -> Prediction:
    """Fits a model to the first part, and predicts the other one.

    Of parameters that are not identifiable the prediction has the values that the search ended at.
    """
    found = fit(model, parts.chosen, runs, step)
    known = model.fixed({one.parameter.path: one.parameter.kind.written(one.value) for one in found.found})
    return replace(predict(known, parts.rest, runs, question, step), fit=found)


def _numbered(side: Side, first: int) -> Side:
    """The side with repetitions numbered from `first` on.

    Repetitions of a measurement may have the seed of their scenario, all of them.
    """
    return replace(side, rows=tuple(replace(row, seed=n) for n, row in enumerate(side.rows, start=first)))
