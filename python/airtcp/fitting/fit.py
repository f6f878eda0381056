"""A fit: from measured runs and a model with unknowns to values, intervals and what is not identifiable."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from airtcp.fitting.first_estimate import First, first_estimates
from airtcp.fitting.identifiability import AS_GOOD, HALF_MOST, WITH_OTHERS, advice, judge, lacks_width
from airtcp.fitting.measured import Measured, measured_of
from airtcp.fitting.model import Model
from airtcp.fitting.parameters import Parameter
from airtcp.fitting.recorded_signal import varying
from airtcp.fitting.regression import Estimate, Local
from airtcp.fitting.search import Search, Step, unreported
from airtcp.fitting.settings import Setting, settings_of
from airtcp.fitting.statistics import is_count
from airtcp.fitting.virtual_runs import Experiment, VirtualRuns
from airtcp.quantities.named_number import numbers_named

# Of a statistic: a difference that many errors do not explain, and that matters.
ERRORS_LEAST, RELATIVE_LEAST = 4.0, 0.05
# How far refused parameters are moved to see what depends on them, in steps of the axis: to the end of their
# range, by a factor of 20, or of 2.7 where the model does not fit after that.
END_STEPS = (math.inf, 3.0, 1.0)
# A design around places that are nearly known.
RADIUS_BEGUN = 0.1


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
    varying: tuple[str, ...] = ()
    """Signals that the model has as constants, and that are none."""
    not_compared: tuple[str, ...] = ()
    """Labels of numbers that were asked for, and that no virtual run has."""

    @property
    def complete(self) -> bool:
        """Whether every parameter is identifiable."""
        return all(one.identifiable for one in self.found)

    @property
    def explains(self) -> bool:
        """Whether the measured runs could be runs of the model."""
        return self.misfit <= self.misfit_usual


def fit(
    model: Model,
    measured_places: Sequence[Path],
    runs: VirtualRuns,
    step: Step = unreported,
    values: Sequence[str] = (),
) -> Fit:
    """Estimates the unknowns of a model from measured runs; errors of files and runs are `AirtcpError`s.

    `values` names quantities (docs/reference/quantities.md) that are compared beside the usual statistics.
    """
    compared = numbers_named(values, "--values")
    settings = tuple(settings_of(measured_places))
    model = replace(model.recorded(settings, runs.place.store), compared=compared)
    if not model.parameters:
        return Fit(model, settings, (), (), (), 0.0, 0.0, (), 0, ())
    measured = measured_of(settings, compared)
    first = first_estimates(model, settings)
    search = Search(Experiment(model, settings, measured.names), measured, runs, step)
    local, estimate = search.find(first)
    reasons = judge(search, local, estimate)
    whole = _State(search, local, estimate)
    found = {
        one.path: _found(one, (estimate.axes[n], estimate.half_widths[n]), begin.source, reasons[n])
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
        tuple(text for one in model.parameters if (text := varying(one.path, model.tables, settings))),
        _not_compared(whole.search),
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
        fixed = found[parameters[worst].path]
        reason = fixed.refused or lacks_width(fixed.parameter, state.estimate, worst)
        place = (state.estimate.axes[worst], state.estimate.half_widths[worst])
        fixed = _found(fixed.parameter, place, fixed.source, reason)
        found[fixed.parameter.path] = fixed
        given.append(fixed)
        state = _fixed(state, measured, {fixed.parameter.path: fixed.parameter.clipped(place[0])})
    if given:
        ends = _ends(whole, state, measured, given)
        _update(state, ends, found, given, conditionals)
    return state


def _fixed(state: _State, measured: Measured, places: Mapping[str, float]) -> _State:
    """A search with these parameters fixed, that begins where the state ended."""
    parameters = state.search.experiment.model.parameters
    begins = [
        First(float(axis), "", True)
        for one, axis in zip(parameters, state.estimate.axes, strict=True)
        if one.path not in places
    ]
    values = {one.path: one.text(places[one.path]) for one in parameters if one.path in places}
    experiment = replace(state.search.experiment, model=state.search.experiment.model.fixed(values))
    search = Search(experiment, measured, state.search.runs, state.search.step)
    return _State(search, *search.find(begins, RADIUS_BEGUN))


def _ends(whole: _State, last: _State, measured: Measured, given: Sequence[Found]) -> list[_State]:
    """Searches with the refused parameters at the ends of what is plausible, where the fit is as good.

    What is identifiable may still depend on them a little, and not linearly (a delay that may be zero).
    """
    found = []
    for sign in (-1, 1):
        for size in END_STEPS:
            places = {
                one.parameter.path: one.parameter.clipped(one.parameter.kind.axis(one.value) + sign * size)
                for one in given
            }
            begin = _State(whole.search, whole.local, _begun(whole, last))
            state = _fixed(begin, measured, places)
            limit = max(state.estimate.misfit_usual, AS_GOOD * last.estimate.misfit)
            if state.estimate.misfit <= limit:
                found.append(state)
                break
    return found


def _begun(whole: _State, last: _State) -> Estimate:
    """The first estimate, with the places of the last one for what that has."""
    axes = whole.estimate.axes.copy()
    paths = [one.path for one in whole.search.experiment.model.parameters]
    for one, axis in zip(last.search.experiment.model.parameters, last.estimate.axes, strict=True):
        axes[paths.index(one.path)] = axis
    return replace(whole.estimate, axes=axes)


def _update(
    last: _State, ends: Sequence[_State], found: dict[str, Found], given: list[Found],
    conditionals: list[Conditional],
) -> None:  # fmt: skip
    for n, one in enumerate(last.search.experiment.model.parameters):
        before = found[one.path]
        now = _found(
            one, (last.estimate.axes[n], last.estimate.half_widths[n]), before.source, before.refused
        )
        if before.refused:
            if not lacks_width(one, last.estimate, n):
                conditionals.append(Conditional(now, tuple(given)))
            found[one.path] = now
            continue
        others = [_found(one, (end.estimate.axes[n], end.estimate.half_widths[n]), "", "") for end in ends]
        low, high = (min(each.low for each in (now, *others)), max(each.high for each in (now, *others)))
        if one.kind.axis(high) - one.kind.axis(low) > 2 * HALF_MOST:
            now = replace(now, refused=WITH_OTHERS)
            conditionals.append(Conditional(now, tuple(given)))
        found[one.path] = replace(now, low=low, high=high)


def _found(one: Parameter, place: tuple[float, float], source: str, refused: str) -> Found:
    """The parameter at a place of its axis with a half-width."""
    axis, half = one.clipped(place[0]), place[1]
    value, low, high = (one.kind.value(one.clipped(each)) for each in (axis, axis - half, axis + half))
    if one.kind.noun:
        # Whole numbers: the ends are those outside, since a step of one may be as wide as the interval.
        value, low, high = round(value), max(1, np.floor(low)), np.ceil(high)
    return Found(one, float(value), float(low), float(high), source, refused)


def _not_compared(search: Search) -> tuple[str, ...]:
    """The labels of the numbers asked for that no virtual run has."""
    known = np.flatnonzero(np.isfinite(np.array(search.rows)).any(axis=0)).tolist()
    names = [name for names in search.experiment.names for name in names]
    seen = {names[place] for place in known}
    return tuple(one.label for one in search.experiment.model.compared if one.label not in seen)


def _misfits(search: Search, local: Local, found: Estimate) -> list[Misfit]:
    """The statistics whose difference neither noise nor the parameters explain, the largest first."""
    errors = np.abs(found.residuals) * np.sqrt(local.weights * search.measured.repetitions)
    names = search.experiment.labels
    return [
        Misfit(names[k], float(np.exp(found.residuals[k])))
        for k in np.argsort(-errors)
        if errors[k] >= ERRORS_LEAST and abs(found.residuals[k]) >= RELATIVE_LEAST and not is_count(names[k])
    ]
