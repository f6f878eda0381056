"""MPTCP connections of programs: what all subflows of one carry together.

Each subflow is a flow of its own.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from airtcp.data.run_folder import Run
from airtcp.metrics.arrays import Integers
from airtcp.metrics.throughput import Throughput, counted_from_ns
from airtcp.quantities.entity import Entity, Kind, Span
from airtcp.quantities.flows import throughput_between
from airtcp.quantities.goodput import UNITS
from airtcp.quantities.quantity import Quantity
from airtcp.quantities.run_view import RunView

if TYPE_CHECKING:
    import polars

# "Not known" of a counter that Linux 6.1 does not have.
_UNKNOWN = 2**64 - 1


def connection_throughput(run: Run, connection: int) -> Throughput | None:
    """Goodput of a direction, as `flow_throughput` has that of a flow."""
    report, rows = run.connections[connection], run.part("mptcp", "connection", connection)
    start_ns = report["connected_ns"]
    stop_ns = run.end_ns if report["finished_ns"] is None else min(run.end_ns, report["finished_ns"])
    return throughput_between(rows, start_ns, stop_ns)


def _connections(view: RunView) -> "Iterator[tuple[str, Span, polars.DataFrame]]":
    """Name, time and rows of each direction that `flows` chooses."""
    view.series("mptcp")
    for number, report in enumerate(view.run.connections):
        if view.arguments.is_about(report["name"]):
            end_ns = view.run.end_ns if report["finished_ns"] is None else report["finished_ns"]
            rows = view.run.part("mptcp", "connection", number)
            yield report["name"], (report["connected_ns"], end_ns), rows


def _received(view: RunView) -> list[Entity]:
    made = []
    for name, alive_ns, rows in _connections(view):
        times_ns, counts = rows["time_ns"].to_numpy(), rows["bytes_received"].to_numpy().astype(np.int64)
        counter = counted_from_ns(times_ns, counts, alive_ns[0])
        made.append(Entity(name, *counter, alive_ns=alive_ns))
    return made


def _column(column: str) -> Callable[[RunView], list[Entity]]:
    def entities(view: RunView) -> list[Entity]:
        made = []
        for name, alive_ns, rows in _connections(view):
            values: Integers = rows[column].to_numpy()
            if values.size and values[0] == _UNKNOWN:
                continue
            made.append(Entity(name, rows["time_ns"].to_numpy(), values.astype(np.int64), alive_ns=alive_ns))
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
