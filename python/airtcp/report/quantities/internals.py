"""What congestion controls tell of themselves (inet_diag): BBR, Vegas and its kin, DCTCP."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from airtcp.plots.time_series import Line
from airtcp.report.quantities.lines import seconds
from airtcp.report.run_view import RunView

if TYPE_CHECKING:
    import polars


def told(kind: str, column: str, scale: float) -> Callable[[RunView], list[Line]]:
    """A number that congestion controls of this kind tell; NaN while they do not know it."""
    return lambda view: [_line(label, frame, column, scale) for label, frame in _of_kind(view, kind)]


def told_two(kind: str, first: str, second: tuple[str, str], scale: float) -> Callable[[RunView], list[Line]]:
    """Two such numbers; the second, a column and what it is called, is dashed."""

    def lines(view: RunView) -> list[Line]:
        made = []
        for label, frame in _of_kind(view, kind):
            made.append(_line(label, frame, first, scale))
            name = f"{label.split(' (')[0]} {second[1]}"
            made.append(_line(name, frame, second[0], scale, dashed=True))
        return made

    return lines


def _of_kind(view: RunView, kind: str) -> list[tuple[str, "polars.DataFrame"]]:
    """Label and numbers of the flows whose congestion control is of this kind."""
    view.series("flows", "cc_kind", "cc_info")
    made = []
    for flow in view.flows:
        frame = view.internals(flow)
        own = frame.filter(frame["kind"] == kind)
        if len(own):
            made.append((view.flow_label(flow), own))
    return made


def _line(label: str, frame: "polars.DataFrame", column: str, scale: float, dashed: bool = False) -> Line:
    values = np.array([np.nan if value is None else value * scale for value in frame[column]])
    return Line(label, seconds(frame), tuple(values.tolist()), dashed=dashed)
