"""MPTCP connections of programs: what all subflows of one carry together.

Each subflow is a flow of its own.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from airtcp.data.run_folder import Run
from airtcp.metrics.arrays import Integers
from airtcp.metrics.throughput import goodput_bps
from airtcp.quantities.entity import Entity, Kind, Span
from airtcp.quantities.goodput import UNITS, delivered
from airtcp.quantities.quantity import Quantity
from airtcp.quantities.run_view import RunView

if TYPE_CHECKING:
    import polars

# "Not known" of a counter that Linux 6.1 does not have.
_UNKNOWN = 2**64 - 1


def connection_goodput_mbps(run: Run, connection: int) -> float:
    """Goodput of a direction over its own time; `nan` where it was not sampled."""
    if "mptcp" not in run.recorded:
        return math.nan
    report, rows = run.connections[connection], run.part("mptcp", "connection", connection)
    start_ns = report["connected_ns"]
    stop_ns = run.end_ns if report["finished_ns"] is None else min(run.end_ns, report["finished_ns"])
    if start_ns >= stop_ns:
        return math.nan
    counter = delivered(rows, report, start_ns)
    return float(goodput_bps([counter], np.array([start_ns, stop_ns]))[0]) / 1e6


def _connections(view: RunView) -> "Iterator[tuple[Mapping[str, Any], Span, polars.DataFrame]]":
    """Report, time and rows of each direction that `flows` chooses."""
    view.series("mptcp")
    for number, report in enumerate(view.run.connections):
        if view.arguments.is_about(report["name"]):
            end_ns = view.run.end_ns if report["finished_ns"] is None else report["finished_ns"]
            rows = view.run.part("mptcp", "connection", number)
            yield report, (report["connected_ns"], end_ns), rows


def _received(view: RunView) -> list[Entity]:
    made = []
    for report, alive_ns, rows in _connections(view):
        made.append(Entity(report["name"], *delivered(rows, report, alive_ns[0]), alive_ns=alive_ns))
    return made


def _column(column: str) -> Callable[[RunView], list[Entity]]:
    def entities(view: RunView) -> list[Entity]:
        made = []
        for report, alive_ns, rows in _connections(view):
            values: Integers = rows[column].to_numpy()
            if values.size and values[0] == _UNKNOWN:
                continue
            times_ns, counts = rows["time_ns"].to_numpy(), values.astype(np.int64)
            made.append(Entity(report["name"], times_ns, counts, alive_ns=alive_ns))
        return made

    return entities


_MPTCP = ("mptcp",)

QUANTITIES = {
    "mptcp_throughput": Quantity(
        "Throughput of MPTCP connections",
        "Mbit/s",
        "goodput of each MPTCP connection of programs at its receiver, in order of all subflows; "
        "`throughput` is that of each subflow. `flows` chooses connections by their names",
        _MPTCP,
        entities=_received,
        kind=Kind.RATE,
        across="sum",
        scale=8e-6,
        units=UNITS,
        higher_is_better=True,
    ),
    "mptcp_subflows": Quantity(
        "Subflows of MPTCP connections",
        "",
        "subflows that the sender of each connection has; number: mean over time",
        _MPTCP,
        1,
        entities=_column("subflows"),
    ),
    "mptcp_reinjected": Quantity(
        "Reinjected by MPTCP",
        "Mbit/s",
        "bytes that each connection sent again on any subflow, beside the retransmissions of TCP; Linux 6.1 "
        "does not count them",
        _MPTCP,
        entities=_column("bytes_reinjected"),
        kind=Kind.RATE,
        across="sum",
        scale=8e-6,
        busy_only=True,
    ),
}
