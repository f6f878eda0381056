"""Lines over time, as drawings have them."""

from dataclasses import dataclass
from enum import Enum

import numpy as np

from airtcp.metrics.arrays import Floats


class Join(Enum):
    """What holds between two values of a line; the value is matplotlib's word for it."""

    STRAIGHT = "default"
    """Not known: a straight line leads the eye (samples)."""
    SINCE = "steps-pre"
    """The later value (a mean over the time since the earlier one)."""
    UNTIL = "steps-post"
    """The earlier value (a state that is recorded whenever it changes)."""
    NONE = "points"
    """Nothing: the values are drawn as points."""


@dataclass(frozen=True)
class Line:
    """Values at times, which are in order; a value that is not known is NaN.

    A `dashed` line goes with the one before it, whose name it has. `name` is what the line is of (a flow, a
    queue): what has one name has one look in every panel; `node` is where that is, if it has a place. Of
    several things together `spread` has what their values lie between, below and above each value.
    """

    label: str
    times_s: tuple[float, ...]
    values: tuple[float, ...]
    dashed: bool = False
    join: Join = Join.STRAIGHT
    name: str = ""
    node: str = ""
    spread: tuple[tuple[float, ...], tuple[float, ...]] | None = None

    @property
    def look_name(self) -> str:
        """By what it gets its look."""
        return self.name or self.label


def values_in(line: Line, start_s: float, stop_s: float) -> Floats:
    """The values of a line in a window, for a distribution: those at its times, each once."""
    times, values = np.asarray(line.times_s), np.asarray(line.values, dtype=np.float64)
    if line.join is Join.SINCE:
        # The first stands at both ends of its time; a bin belongs to the window in which it ends.
        times, values = times[1:], values[1:]
        return values[(times > start_s) & (times <= stop_s)]
    return values[(times >= start_s) & (times <= stop_s)]
