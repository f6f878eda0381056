"""What congestion controls report of themselves (inet_diag): BBR, Vegas and its relatives, DCTCP."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from airtcp.quantities.line import Line, seconds
from airtcp.quantities.quantity import Drawing, Quantity
from airtcp.quantities.run_view import RunView

if TYPE_CHECKING:
    import polars


def reported(kind: str, column: str, scale: float) -> Callable[[RunView], list[Line]]:
    """A number that congestion controls of this kind report; NaN while they do not know it."""
    return lambda view: [_line(label, frame, column, scale) for label, frame in _of_kind(view, kind)]


def reported_pair(
    kind: str, first: str, second: tuple[str, str], scale: float
) -> Callable[[RunView], list[Line]]:
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


_SERIES = ("flows",)

QUANTITIES = {
    "bbr_bw": Quantity(
        "BBR's bandwidth",
        "Mbit/s",
        "BBR's estimate of the bottleneck's rate",
        _SERIES,
        drawing=Drawing("BBR bw\n[Mbit/s]", reported("bbr", "bandwidth_bps", 1e-6)),
    ),
    "bbr_min_rtt": Quantity(
        "BBR's least RTT",
        "ms",
        "BBR's estimate of the path's RTT",
        _SERIES,
        drawing=Drawing("BBR min RTT\n[ms]", reported("bbr", "min_rtt_us", 1e-3)),
    ),
    "bbr_gains": Quantity(
        "BBR's gains",
        "",
        "pacing gain and, dashed, cwnd gain",
        _SERIES,
        drawing=Drawing("BBR gains", reported_pair("bbr", "pacing_gain", ("cwnd_gain", "cwnd gain"), 1.0)),
    ),
    "vegas_rtt": Quantity(
        "RTT of Vegas",
        "ms",
        "RTT as Vegas and its relatives see it and, dashed, the least",
        _SERIES,
        drawing=Drawing("Vegas RTT\n[ms]", reported_pair("vegas", "rtt_us", ("min_rtt_us", "least"), 1e-3)),
    ),
    "dctcp_alpha": Quantity(
        "DCTCP's alpha",
        "",
        "share of marked bytes as DCTCP sees it",
        _SERIES,
        drawing=Drawing("DCTCP alpha", reported("dctcp", "alpha", 1.0)),
    ),
}
