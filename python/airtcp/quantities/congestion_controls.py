"""What congestion controls report of themselves (inet_diag): BBR, Vegas and its relatives, DCTCP."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from airtcp.metrics.arrays import Floats
from airtcp.quantities.entity import Companion, Entity
from airtcp.quantities.quantity import Quantity
from airtcp.quantities.run_view import RunView

if TYPE_CHECKING:
    import polars


def reported(
    kind: str, column: str, beside: tuple[str, str] | None = None
) -> Callable[[RunView], list[Entity]]:
    """A number that congestion controls of this kind report; NaN while they do not know it.

    `beside` is the column of a second one, and what it is called.
    """

    def entities(view: RunView) -> list[Entity]:
        view.series("flows", "cc_kind", "cc_info")
        made = []
        for flow in view.tcp_flows:
            frame = view.internals(flow)
            own = frame.filter(frame["kind"] == kind)
            if len(own):
                made.append(view.flow_entity(flow, own["time_ns"].to_numpy(), _values(own, column)))
                if beside is not None:
                    second = Companion(f"{view.flow_name(flow)} {beside[1]}", _values(own, beside[0]))
                    made[-1] = replace(made[-1], companion=second)
        return made

    return entities


def _values(frame: "polars.DataFrame", column: str) -> Floats:
    return np.array([np.nan if value is None else value for value in frame[column]], np.float64)


_SERIES = ("flows",)

QUANTITIES = {
    "bbr_bw": Quantity(
        "BBR's bandwidth",
        "Mbit/s",
        "BBR's estimate of the bottleneck's rate",
        _SERIES,
        entities=reported("bbr", "bandwidth_bps"),
        scale=1e-6,
    ),
    "bbr_min_rtt": Quantity(
        "BBR's least RTT",
        "ms",
        "BBR's estimate of the path's RTT",
        _SERIES,
        entities=reported("bbr", "min_rtt_us"),
        scale=1e-3,
    ),
    "bbr_gains": Quantity(
        "BBR's gains",
        "",
        "pacing gain and, dashed, cwnd gain",
        _SERIES,
        entities=reported("bbr", "pacing_gain", ("cwnd_gain", "cwnd gain")),
    ),
    "vegas_rtt": Quantity(
        "RTT of Vegas",
        "ms",
        "RTT as Vegas and its relatives see it and, dashed, the least",
        _SERIES,
        entities=reported("vegas", "rtt_us", ("min_rtt_us", "least")),
        scale=1e-3,
    ),
    "dctcp_alpha": Quantity(
        "DCTCP's alpha",
        "",
        "share of marked bytes as DCTCP sees it",
        _SERIES,
        entities=reported("dctcp", "alpha"),
        most=1.0,
    ),
}
