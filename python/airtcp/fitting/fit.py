"""A fit: from measured runs and a model with unknowns to values, intervals and what is not identifiable."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from airtcp.fitting.first_estimate import First, first_estimates
from airtcp.fitting.identifiability import advice, judge, lacks_width
from airtcp.fitting.measured import Measured, measured_of
from airtcp.fitting.model import Model
from airtcp.fitting.parameters import Parameter
from airtcp.fitting.regression import Estimate, Local
from airtcp.fitting.search import Search, Step, unreported
from airtcp.fitting.settings import Setting, settings_of
from airtcp.fitting.statistics import is_count
from airtcp.fitting.virtual_runs import Experiment, VirtualRuns
from airtcp.metrics.arrays import Floats

# Of a statistic: a difference that many errors do not explain, and that matters.
ERRORS_LEAST, RELATIVE_LEAST = 4.0, 0.05


@dataclass(frozen=True)
class Found:
    """A parameter: its value and interval in the base unit, where the search began, and why it is refused.

    Of a refused one the value is that which the search ended at, by which the others are conditioned.
    """

    parameter: Parameter
    value: float
    low: float
    high: float
    source: str
    refused: str

    @property
    def identifiable(self) -> bool:
        """Whether the measurements determine it."""
        return not self.refused

    def texts(self) -> tuple[str, str, str]:
        """Value and ends of the interval as a scenario has them."""
        value, low, high = (
            str(self.parameter.kind.written(each)) for each in (self.value, self.low, self.high)
        )
        return value, low, high


@dataclass(frozen=True)
class Conditional:
    """A refused parameter that is determined if these others, also refused, have these values."""

    found: Found
    given: tuple[Found, ...]


@dataclass(frozen=True)
class Misfit:
    """A statistic that the model does not reproduce: its name, and measured over modelled."""

    name: str
    ratio: float


@dataclass(frozen=True)
class Fit:
    """What a fit found; `misfit` is the weighted sum of squares over that of virtual runs."""

    model: Model
    settings: tuple[Setting, ...]
    found: tuple[Found, ...]
    conditionals: tuple[Conditional, ...]
    advice: tuple[str, ...]
    misfit: float
    misfit_usual: float
    misfits: tuple[Misfit, ...]
    computed: int
    failed: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Whether every parameter is identifiable."""
        return all(one.identifiable for one in self.found)

    @property
    def explains(self) -> bool:
        """Whether the measured runs could be runs of the model."""
        return self.misfit <= self.misfit_usual


def fit(model: Model, measured_places: Sequence[Path], runs: VirtualRuns, step: Step = unreported) -> Fit:
    """Estimates the unknowns of a model from measured runs; errors of files and runs are `AirtcpError`s."""
    settings = tuple(settings_of(measured_places))
    measured = measured_of(settings)
    first = first_estimates(model, settings)
    search = Search(Experiment(model, settings, measured.names), measured, runs, step)
    local, estimate = search.find(first)
    reasons = judge(search, local, estimate)
    whole = _State(search, local, estimate)
    found = {
        one.path: _found(one, (estimate.axes[n], estimate.half_widths[n]), begin, reasons[n])
        for n, (one, begin) in enumerate(zip(model.parameters, first, strict=True))
    }
    conditionals: list[Conditional] = []
    state = _conditioned(whole, measured, found, conditionals)
    lacking = [one.parameter for one in found.values() if one.refused]
    return Fit(
        model,
        settings,
        tuple(found.values()),
        tuple(conditionals),
        tuple(advice(lacking)),
        state.estimate.misfit,
        state.estimate.misfit_usual,
        tuple(_misfits(state.search, state.local, state.estimate)),
        runs.computed,
        tuple(runs.failed),
    )


@dataclass(frozen=True)
class _State:
    """A search that has ended."""

    search: Search
    local: Local
    estimate: Estimate


def _conditioned(
    whole: _State, measured: Measured, found: dict[str, Found], conditionals: list[Conditional]
) -> _State:
    """Searches again with refused parameters fixed, one after another, until the intervals of all are narrow.

    Identifiable parameters get the values of the last search, which has a narrow design around them, and
    refused ones that are then determined become conditionals.
    """
    state, given = whole, list[Found]()
    while True:
        parameters = state.search.experiment.model.parameters
        wide = [n for n, one in enumerate(parameters) if lacks_width(one, state.estimate, n)]
        if not wide or len(parameters) == 1:
            break
        worst = max(wide, key=lambda n: state.estimate.half_widths[n])
        fixed = parameters[worst]
        if not found[fixed.path].refused:
            found[fixed.path] = replace(found[fixed.path], refused=lacks_width(fixed, state.estimate, worst))
        value = fixed.kind.value(fixed.clipped(state.estimate.axes[worst]))
        found[fixed.path] = replace(found[fixed.path], value=value)
        given.append(found[fixed.path])
        kept = [n for n in range(len(parameters)) if n != worst]
        begins = [First(float(state.estimate.axes[n]), "", True) for n in kept]
        model = state.search.experiment.model.fixed({fixed.path: fixed.text(state.estimate.axes[worst])})
        experiment = replace(state.search.experiment, model=model)
        search = Search(experiment, measured, state.search.runs, state.search.step)
        state = _State(search, *search.find(begins))
    if given:
        _update(whole, state, found, given, conditionals)
    return state


def _update(
    whole: _State, last: _State, found: dict[str, Found], given: list[Found], conditionals: list[Conditional]
) -> None:
    every = [one.path for one in whole.search.experiment.model.parameters]
    kept = [every.index(one.path) for one in last.search.experiment.model.parameters]
    extra = _extra_variance(whole.estimate, kept)
    for n, one in enumerate(last.search.experiment.model.parameters):
        before = found[one.path]
        wider = float(extra[n]) if before.identifiable else 0.0
        half = float(np.hypot(last.estimate.half_widths[n], 2 * np.sqrt(wider)))
        begin = First(0.0, before.source, True)
        now = _found(one, (last.estimate.axes[n], half), begin, before.refused)
        found[one.path] = now
        if now.refused and not lacks_width(one, last.estimate, n):
            conditionals.append(Conditional(now, tuple(given)))


def _extra_variance(estimate: Estimate, kept: Sequence[int]) -> Floats:
    """What the variance of the kept parameters loses when the others are fixed."""
    information = estimate.information + np.eye(estimate.axes.size)
    both = np.diag(np.linalg.inv(information))[list(kept)]
    more: Floats = np.maximum(0.0, both - np.diag(np.linalg.inv(information[np.ix_(kept, kept)])))
    return more


def _found(one: Parameter, place: tuple[float, float], first: First, refused: str) -> Found:
    """The parameter at a place of its axis with a half-width."""
    axis, half = one.clipped(place[0]), place[1]
    value, low, high = (one.kind.value(one.clipped(each)) for each in (axis, axis - half, axis + half))
    if one.kind.noun:
        # Whole numbers: the ends are those outside, since a step of one may be as wide as the interval.
        value, low, high = round(value), max(1, np.floor(low)), np.ceil(high)
    return Found(one, float(value), float(low), float(high), first.source, refused)


def _misfits(search: Search, local: Local, found: Estimate) -> list[Misfit]:
    """The statistics whose difference neither noise nor the parameters explain, the largest first."""
    errors = np.abs(found.residuals) * np.sqrt(local.weights * search.measured.repetitions)
    names = search.experiment.labels
    return [
        Misfit(names[k], float(np.exp(found.residuals[k])))
        for k in np.argsort(-errors)
        if errors[k] >= ERRORS_LEAST and abs(found.residuals[k]) >= RELATIVE_LEAST and not is_count(names[k])
    ]
