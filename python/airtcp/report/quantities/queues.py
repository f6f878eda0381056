"""Quantities of queues: in the radios and in the kernel's queueing disciplines."""

from typing import TYPE_CHECKING

from airtcp.data.series_file import in_time
from airtcp.plots.time_series import Line
from airtcp.report.quantities.lines import column_rates, values_line
from airtcp.report.quantities.radios import radio_rows
from airtcp.report.queues import OUTER
from airtcp.report.run_view import RunView

if TYPE_CHECKING:
    import polars


def backlog_packets(view: RunView) -> list[Line]:
    """Packets that wait in radios and in queueing disciplines."""
    lines = []
    if view.has("air"):
        lines += [values_line(name, frame, "queue_packets", 1.0) for name, frame in _radios(view)]
    if view.has("qdiscs") or not lines:
        column = "backlog_packets"
        lines += [values_line(name, frame, column, 1.0) for name, frame in _qdiscs(view, column)]
    return lines


def backlog_kilobytes(view: RunView) -> list[Line]:
    """Kilobytes (1000 bytes) that wait in queueing disciplines."""
    column = "backlog_bytes"
    return [values_line(name, frame, column, 1e-3) for name, frame in _qdiscs(view, column)]


def drops(view: RunView) -> list[Line]:
    """Packets dropped per second by radios and queueing disciplines."""
    lines = []
    if view.has("air"):
        bin_ns = view.bin_ns("air")
        lines += [column_rates(name, frame, "dropped", bin_ns, 1.0) for name, frame in _radios(view)]
    if view.has("qdiscs") or not lines:
        lines += _qdisc_rates(view, "drops")
    return lines


def marks(view: RunView) -> list[Line]:
    """Packets marked with ECN's congestion experienced per second by queueing disciplines."""
    return _qdisc_rates(view, "marks")


def _qdisc_rates(view: RunView, column: str) -> list[Line]:
    rows = _qdiscs(view, column)
    return [column_rates(name, frame, column, view.bin_ns("qdiscs"), 1.0) for name, frame in rows]


def _radios(view: RunView) -> list[tuple[str, "polars.DataFrame"]]:
    return [(f"{name} radio", frame) for name, frame in radio_rows(view)]


def queue_rows(view: RunView) -> list[tuple[str, "polars.DataFrame"]]:
    """Name and rows of the queueing disciplines that are queues, each packet in one of them."""
    return _qdiscs(view, "backlog_packets")


def _qdiscs(view: RunView, column: str) -> list[tuple[str, "polars.DataFrame"]]:
    """Name and rows of the queueing disciplines that are queues.

    A parent's books hold its children's packets, and netem's also those that only wait for its delay. So of
    netem over tbf over a queue the queue is shown, and of others none that repeats what an inner one says.
    """
    view.series("qdiscs")
    frame = in_time(view.run.named("qdiscs"))
    kept: list[tuple[str, polars.DataFrame]] = []
    for _, rows in frame.group_by("node", "interface", maintain_order=True):
        inner = _queues(rows, column)
        kinds = [own["qdisc"][0] or "qdisc" for own in inner]
        for own, kind in zip(inner, kinds, strict=True):
            more = f" {own['handle'][0]:x}:" if kinds.count(kind) > 1 else ""
            interface = own["interface_name"][0] or f"interface {own['interface'][0]}"
            kept.append((f"{own['node_name'][0]} {interface} {kind}{more}", own))
    return kept


def _queues(rows: "polars.DataFrame", column: str) -> "list[polars.DataFrame]":
    """The rows of each handle of one interface, from the innermost, which has the highest handle."""
    told: list[polars.DataFrame] = []
    parts = rows.partition_by("handle", maintain_order=True)
    for own in sorted(parts, key=lambda part: part["handle"][0], reverse=True):
        outer = own["qdisc"][0] in OUTER and any(inner["qdisc"][0] not in OUTER for inner in told)
        if not outer and not any(own[column].equals(inner[column]) for inner in told):
            told.append(own)
    return told
