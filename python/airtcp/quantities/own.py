"""A metric of the user's own: a function of a Python file that takes a run."""

import hashlib
import importlib.util
import math
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from airtcp.errors import AirtcpError, suggestion
from airtcp.input_file import TEXT_BYTES_MOST, read_input
from airtcp.metrics.survival import Sample
from airtcp.quantities.metric_file import MetricFile
from airtcp.quantities.quantity import MetricError, Override, Quantity, Values
from airtcp.quantities.run_view import RunView

_HOW = 'Write python = "FILE.py:FUNCTION", with a function that takes a run'


def own_quantity(metric: MetricFile, place: str) -> Quantity:
    """The quantity of a metric with `python`: a number of a run; with a `statistic` its values.

    A file that can't be read, and a function that is not there or fails, is a `MetricError`.
    """
    file, name = file_and_function(metric.python, place)
    function = _function(file, _digest(file, place), name, place)
    label = metric.label or name.replace("_", " ")
    meaning = f"{name} of {file.name}"
    why = "a function of the user's own"
    if metric.statistic:
        values = Override(why, values=lambda view: _values(function, view, place))
        return Quantity(label, metric.unit, meaning, override=values, least=-math.inf)
    number = Override(why, lambda view: _number(function, view, place))
    return Quantity(label, metric.unit, meaning, digits=3, override=number, least=-math.inf)


def file_and_function(text: str, place: str) -> tuple[Path, str]:
    """The two parts of `FILE.py:FUNCTION`."""
    file, _, name = text.rpartition(":")
    if not file or not name.isidentifier():
        raise MetricError(f'"{text}" does not name a function', place, _HOW)
    return Path(file), name


def _digest(file: Path, place: str) -> str:
    try:
        return hashlib.sha256(read_input(file, TEXT_BYTES_MOST)).hexdigest()
    except OSError as error:
        raise MetricError(f"{file} can't be read: {error.strerror}", place, _HOW) from None


@cache
def _function(file: Path, digest: str, name: str, place: str) -> Callable[[Any], Any]:
    # A file that changed while a program runs is another module.
    module_name = f"airtcp_own_{digest[:16]}"
    spec = importlib.util.spec_from_file_location(module_name, file)
    if spec is None or spec.loader is None:
        raise MetricError(f"{file} is not a Python file", place, _HOW)
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise _failed(f"{file} fails", error, place) from error
    function = getattr(module, name, None)
    if not callable(function):
        known = [
            each for each in vars(module) if callable(getattr(module, each)) and not each.startswith("_")
        ]
        hint = suggestion(name, known)
        raise MetricError(f"{file} has no function {name}", place, f"D{hint[1:]}" if hint else _HOW)
    return function  # type: ignore[no-any-return]


def _called(function: Callable[[Any], Any], view: RunView, place: str) -> Any:
    try:
        return function(view.run)
    except AirtcpError:
        raise
    except Exception as error:
        raise _failed(f"the function fails with {view.run.folder}", error, place) from error


def _failed(what: str, error: Exception, place: str) -> MetricError:
    return MetricError(f"{what}: {type(error).__name__}: {error}", place, "Correct the function")


def _number(function: Callable[[Any], Any], view: RunView, place: str) -> float:
    found = _called(function, view, place)
    try:
        return float("nan") if found is None else float(found)
    except (TypeError, ValueError):
        remedy = "Return a number or None; with statistic = ... an array"
        what = f"the function returns {found!r:.60}, which is not a number"
        raise MetricError(what, place, remedy) from None


def _values(function: Callable[[Any], Any], view: RunView, place: str) -> Values:
    found = _called(function, view, place)
    try:
        every = np.asarray(found, np.float64).reshape(-1)
    except (TypeError, ValueError):
        what = f"the function returns {found!r:.60}, which is not an array of numbers"
        raise MetricError(
            what, place, "Return a list or array, with infinity for a value that never came"
        ) from None
    known = np.isfinite(every)
    return {"": Sample(every[known], np.full(int(np.isposinf(every).sum()), np.inf))}
