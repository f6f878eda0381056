"""Lines over time as compact columns of whole numbers, which `assets/series.js` reads back.

Times are microseconds, values are multiples of a power of ten; both are stored as differences from the one
before, which are small and compress well. `null` is a value that is not known.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airtcp.plots.time_series import Panel, line_looks, named
from airtcp.quantities.line import Join, Line

US_PER_S = 1e6
# Of the largest value of a line: finer than a screen shows.
DIGITS = 4

Column = list[int | None]


def columns_of(panels: Sequence[Panel], end_s: float, points_most: int) -> dict[str, Any]:
    """The panels for the browser; lines with the same times share one column of them."""
    times: dict[bytes, int] = {}
    stored: list[list[int]] = []
    made: list[dict[str, Any]] = []
    looks = line_looks(panels)
    for panel in panels:
        lines = []
        for line in panel.lines:
            if line.values:
                at_us, values = _thinned(line, points_most)
                key = at_us.tobytes()
                if key not in times:
                    times[key] = len(stored)
                    stored.append(_steps(at_us))
                look = {} if panel.stacked else {"look": looks[line.look_name]}
                name = line.label if line.dashed else named(line)
                lines.append({"label": name, "x": times[key], **_values(values), **_look(line), **look})
        if lines:
            label = f"{panel.title}\n{panel.value_label}".strip().replace("\n", " ")
            made.append({"label": label, "stacked": panel.stacked, "lines": lines})
    return {"end_s": end_s, "times": stored, "panels": made}


def _thinned(line: Line, points_most: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    values = np.asarray(line.values, dtype=np.float64)
    times = np.asarray(line.times_s, dtype=np.float64)
    kept = envelope(values, points_most)
    at_us = np.rint(times[kept] * US_PER_S).astype(np.int64)
    # Two values at one time are a jump: the browser keeps one of them, unless the second comes later.
    places = np.arange(at_us.size)
    return np.maximum.accumulate(at_us - places) + places, values[kept]


def _values(values: NDArray[np.float64]) -> dict[str, Any]:
    """The column, and its number of decimals."""
    known = ~np.isnan(values)
    known_values = values[known]
    largest = float(np.abs(known_values).max(initial=0.0))
    decimals = DIGITS - 1 - math.floor(math.log10(largest)) if largest > 0 else 0
    whole = (known_values == np.rint(known_values)).all()
    decimals = 0 if whole else decimals
    scaled = np.rint(np.where(known, values, 0.0) * 10.0**decimals).astype(np.int64)
    if known.all():
        return {"decimals": decimals, "y": _steps(scaled)}
    column: Column = []
    before = 0
    for value, is_known in zip(scaled.tolist(), known.tolist(), strict=True):
        column.append(value - before if is_known else None)
        before = value if is_known else before
    return {"decimals": decimals, "y": column}


def _steps(values: NDArray[np.int64]) -> list[int]:
    """Each value less the one before; the first as it is."""
    steps = values.copy()
    steps[1:] -= values[:-1]
    column: list[int] = steps.tolist()
    return column


def _look(line: Line) -> dict[str, bool | str]:
    look: dict[str, bool | str] = {"dashed": True} if line.dashed else {}
    if line.join is Join.NONE:
        return {**look, "points": True}
    return look if line.join is Join.STRAIGHT else {**look, "join": line.join.name.lower()}


def envelope(values: NDArray[np.float64], most: int) -> NDArray[np.intp]:
    """Places of at most `most` of the values: the least and the largest of equal parts, and both ends.

    What is kept are samples themselves, so no time and no value is made up, and no peak is lost. NaN (no
    value) is kept only where a whole part has nothing else.
    """
    if most < 4:
        raise ValueError(f"{most} points can't show a line")
    count = values.size
    if count <= most:
        return np.arange(count)
    parts = (most - 2) // 2
    size = -(-(count - 2) // parts)
    # Filled up with NaN to whole parts, so that all are looked at at once.
    filled = np.full(parts * size, np.nan)
    filled[: count - 2] = values[1:-1]
    whole = filled.reshape(parts, size)
    unknown = np.isnan(whole)
    low = np.argmin(np.where(unknown, np.inf, whole), axis=1)
    high = np.argmax(np.where(unknown, -np.inf, whole), axis=1)
    starts = 1 + size * np.arange(parts)
    inner = np.column_stack((starts + np.minimum(low, high), starts + np.maximum(low, high))).ravel()
    # In order: what is the same stands side by side.
    found = np.concatenate([[0], inner[inner < count], [count - 1]])
    kept: NDArray[np.intp] = found[np.concatenate([[True], found[1:] > found[:-1]])]
    return kept
