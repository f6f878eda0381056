"""Lines over time of several things as one line."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from airtcp.metrics.arrays import Floats
from airtcp.quantities.line import Join, Line

# Of the lines at each time: the median, between these.
QUARTILES = (25, 75)


def pooled_line(lines: Sequence[Line], label: str, name: str, adds: bool) -> Line:
    """The lines of a group as one: the points of all, or at each time the sum (`adds`), or else the median,
    with the quartiles as its spread. A line counts from its first value to its last.
    """
    drawn = [line for line in lines if line.times_s]
    named = replace(lines[0], label=label, name=name, node="")
    if not drawn or len(lines) == 1:
        return named
    if drawn[0].join is Join.NONE:
        return _all_points(drawn, named)
    times = np.unique(np.concatenate([np.asarray(line.times_s) for line in drawn]))
    values = np.stack([values_at(line, times) for line in drawn])
    told = replace(named, times_s=tuple(times.tolist()), join=drawn[0].join)
    some = ~np.isnan(values).all(axis=0)
    if adds:
        total = np.where(some, np.nansum(values, axis=0), np.nan)
        return replace(told, values=tuple(total.tolist()))
    low, middle, high = np.full((3, times.size), np.nan)
    low[some], middle[some], high[some] = np.nanpercentile(
        values[:, some], (QUARTILES[0], 50, QUARTILES[1]), axis=0
    )
    spread = tuple(low.tolist()), tuple(high.tolist())
    return replace(told, values=tuple(middle.tolist()), spread=spread)


def _all_points(lines: Sequence[Line], named: Line) -> Line:
    times = np.concatenate([np.asarray(line.times_s) for line in lines])
    values = np.concatenate([np.asarray(line.values, np.float64) for line in lines])
    order = np.argsort(times, kind="stable")
    return replace(named, times_s=tuple(times[order].tolist()), values=tuple(values[order].tolist()))


def values_at(line: Line, times_s: Floats) -> Floats:
    """A line's values at these times; NaN before its first and after its last."""
    own, values = np.asarray(line.times_s), np.asarray(line.values, np.float64)
    inside = (times_s >= own[0]) & (times_s <= own[-1])
    if line.join is Join.SINCE:
        # The first value stands at both ends of its time, of which the first is the end of the time before.
        inside &= (times_s > own[0]) | (times_s == times_s[0])
    if line.join is Join.STRAIGHT:
        found = np.interp(times_s, own, values)
    elif line.join is Join.SINCE:
        found = values[np.minimum(np.searchsorted(own, times_s, side="left"), own.size - 1)]
    else:
        found = values[np.maximum(np.searchsorted(own, times_s, side="right") - 1, 0)]
    return np.where(inside, found, np.nan)
