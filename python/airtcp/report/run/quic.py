"""QUIC connections of programs: each end, as its log (qlog) tells."""

from collections.abc import Sequence
from dataclasses import dataclass

from airtcp.data.run_folder import Run
from airtcp.quantities.forms import weighted
from airtcp.quantities.quic import QUANTITIES
from airtcp.quantities.run_view import RunView
from airtcp.report.table import Table, number


@dataclass(frozen=True)
class QuicRecord:
    """An end of a QUIC connection whose program wrote a log. Means are over time, from its first event to its
    last."""

    connection: str
    """Its name: that of the program, numbered where it has several."""
    node: str
    """Node of the program; empty if the log's place does not tell it."""
    vantage_point: str
    """Which end it is: `client` or `server`."""
    implementation: str
    """The name that the log gives its writer."""
    file: str
    """The log, by its path in the run folder."""
    packets_sent: int
    """QUIC packets that it sent."""
    packets_lost: int
    """Those of them that it deemed lost."""
    packets_received: int
    """QUIC packets that it received."""
    mean_cwnd_bytes: float
    """Mean of its congestion window; `null` if its log does not tell it, as of the next two."""
    mean_in_flight_bytes: float
    """Mean of its bytes in flight."""
    mean_srtt_ms: float
    """Mean of its smoothed RTT."""


def quic_records(run: Run) -> list[QuicRecord]:
    """Each end, in the order in which they began."""
    if "quic" not in run.recorded:
        return []
    view = RunView(run)
    cwnd, in_flight, srtt = (_means(name, view) for name in ("quic_cwnd", "quic_inflight", "quic_srtt"))
    return [
        QuicRecord(
            connection=end["name"],
            node=end["node"],
            vantage_point=end["vantage_point"],
            implementation=end["implementation"],
            file=end["file"],
            packets_sent=end["packets_sent"],
            packets_lost=end["packets_lost"],
            packets_received=end["packets_received"],
            mean_cwnd_bytes=cwnd.get(end["name"], float("nan")) * 1e3,
            mean_in_flight_bytes=in_flight.get(end["name"], float("nan")) * 1e3,
            mean_srtt_ms=srtt.get(end["name"], float("nan")),
        )
        for end in run.quic_connections
    ]


def _means(name: str, view: RunView) -> dict[str, float]:
    """The mean over time of a quantity, of each end that has it."""
    quantity = QUANTITIES[name]
    assert quantity.entities is not None
    found = view.entities(quantity.entities)
    return {entity.name: weighted(quantity, entity, view).mean for entity in found}


def quic_table(ends: Sequence[QuicRecord]) -> Table:
    """A row for each end."""
    counts = ("sent", "lost", "received")
    columns = ("connection", "end", "node", *counts, "cwnd kB", "in flight kB", "SRTT ms")
    table = Table(
        "QUIC connections (packets; means over time, by the logs of programs)", columns, left=("end",)
    )
    for end in ends:
        kilobytes = (number(value / 1e3) for value in (end.mean_cwnd_bytes, end.mean_in_flight_bytes))
        packets = (str(count) for count in (end.packets_sent, end.packets_lost, end.packets_received))
        what = " ".join(word for word in (end.implementation, end.vantage_point) if word)
        table.add(end.connection, what, end.node or "-", *packets, *kilobytes, number(end.mean_srtt_ms))
    return table
