"""Queues: in radios and in the kernel's queueing disciplines."""

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import numpy as np

from airtcp.data.run_folder import Run
from airtcp.metrics.arrays import Floats
from airtcp.metrics.bins import Between, increases_in_bins
from airtcp.metrics.survival import Sample
from airtcp.quantities.line import Line, column_rates, values_line
from airtcp.quantities.metric_view import MetricView
from airtcp.quantities.quantity import Drawing, Quantity, Values
from airtcp.quantities.radios import radio_rows
from airtcp.quantities.run_view import RunView

if TYPE_CHECKING:
    import polars

# In tc's words they may hold packets for a delay or a rate, and count what their inner queue counts again.
OUTER = ("netem", "tbf")

# Node, interface and handle.
QdiscPlace = tuple[str, str, int]


def innermost(run: Run) -> set[QdiscPlace]:
    """Node, interface and handle of each queueing discipline that is a queue itself."""
    return {
        (qdisc["node"], qdisc["interface"], int(qdisc["handle"].rstrip(":"), 16))
        for qdisc in run.agent["qdiscs"]
        if qdisc["kind"] != "noqueue" and not _has_inner(run, qdisc)
    }


def _has_inner(run: Run, qdisc: Mapping[str, Any]) -> bool:
    place = (qdisc["node"], qdisc["interface"])
    others = (other for other in run.agent["qdiscs"] if (other["node"], other["interface"]) == place)
    return qdisc["kind"] in OUTER and any(other["kind"] not in (*OUTER, "noqueue") for other in others)


def qdisc_parts(run: Run) -> "dict[tuple[int, ...], polars.DataFrame]":
    """The rows of each queueing discipline, with names, by numbers of node and interface, and handle."""
    return run.parts("qdiscs", "node", "interface", "handle", named=True)


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


def drop_rate(view: RunView) -> list[Line]:
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

    A parent counts its children's packets, and netem also those that only wait for its delay. So of
    netem over tbf over a queue the queue is shown, and of others none that repeats what an inner one says.
    """
    view.series("qdiscs")
    interfaces: dict[tuple[int, int], list[polars.DataFrame]] = {}
    for (node, number, _), own in qdisc_parts(view.run).items():
        interfaces.setdefault((node, number), []).append(own)
    kept: list[tuple[str, polars.DataFrame]] = []
    for handles in interfaces.values():
        inner = _own_queues(handles, column)
        kinds = [own["qdisc"][0] or "qdisc" for own in inner]
        for own, kind in zip(inner, kinds, strict=True):
            more = f" {own['handle'][0]:x}:" if kinds.count(kind) > 1 else ""
            interface = own["interface_name"][0] or f"interface {own['interface'][0]}"
            kept.append((f"{own['node_name'][0]} {interface} {kind}{more}", own))
    return kept


def _own_queues(handles: "Sequence[polars.DataFrame]", column: str) -> "list[polars.DataFrame]":
    """The rows of each handle of one interface, from the innermost, which has the highest handle."""
    kept_rows: list[polars.DataFrame] = []
    for own in sorted(handles, key=lambda part: part["handle"][0], reverse=True):
        outer = own["qdisc"][0] in OUTER and any(inner["qdisc"][0] not in OUTER for inner in kept_rows)
        if not outer and not any(own[column].equals(inner[column]) for inner in kept_rows):
            kept_rows.append(own)
    return kept_rows


def sampled_queues(view: MetricView) -> Iterator[tuple[str, "polars.DataFrame"]]:
    """Each queueing discipline of the chosen interfaces that is a queue: its name and samples of the span."""
    from polars import col

    samples = view.run.qdiscs.filter(col("time_ns").is_between(view.start_ns, view.stop_ns))
    samples = samples.drop_nulls(["node_name", "interface_name"])
    inner = innermost(view.run)
    for key, frame in samples.group_by("node_name", "interface_name", "handle", maintain_order=True):
        named = view.has_node(str(key[0])) and fnmatchcase(str(key[1]), view.arguments.interface)
        if named and key in inner:
            yield f"{key[0]} {key[1]} {key[2]:x}:", frame.sort("time_ns")


def queue(view: MetricView) -> Values:
    """Packets that wait, at every sample."""
    return {
        name: Sample(frame["backlog_packets"].to_numpy().astype(np.float64))
        for name, frame in sampled_queues(view)
    }


def drops_in_bins(view: MetricView) -> Values:
    """Packets dropped in each whole bin of the span."""
    found = {}
    for name, frame in sampled_queues(view):
        times, counts = frame["time_ns"].to_numpy(), frame["drops"].to_numpy()
        found[name] = Sample(increases_in_bins(times, counts, view.edges_ns(), Between.LAST_SAMPLE)[0])
    return found


def _backlogs(view: MetricView) -> Floats:
    from polars import col

    samples = view.run.qdiscs.filter(col("time_ns").is_between(view.start_ns, view.stop_ns))
    names = zip(samples["node_name"].to_list(), samples["interface_name"].to_list(), strict=True)
    chosen = [view.has_node(n) and fnmatchcase(i, view.arguments.interface) for n, i in names]
    return np.asarray(samples["backlog_packets"].to_numpy()[np.array(chosen, bool)], np.float64)


def queue_mean(view: MetricView) -> float:
    """Mean of the packets that wait in a queueing discipline of the chosen interfaces."""
    backlogs = _backlogs(view)
    return float(backlogs.mean()) if backlogs.size else float("nan")


def queue_most(view: MetricView) -> float:
    """Most of them."""
    backlogs = _backlogs(view)
    return float(backlogs.max()) if backlogs.size else float("nan")


# The series that show queues, and whose queues they are.
_SOURCES = (("air", "radios"), ("qdiscs", "queueing disciplines"))
_QDISCS = ("qdiscs",)

QUANTITIES = {
    "queue": Quantity(
        "backlog",
        "packets",
        "packets in each queueing discipline of the chosen interfaces that is a queue itself, at every "
        "sample",
        _QDISCS,
        1,
        values=queue,
    ),
    "queue_mean": Quantity(
        "mean queue",
        "packets",
        "mean of the backlogs of all queueing disciplines of the chosen interfaces",
        _QDISCS,
        1,
        number=queue_mean,
    ),
    "queue_most": Quantity("longest queue", "packets", "largest of the same", _QDISCS, 0, number=queue_most),
    "drops": Quantity(
        "drops per bin",
        "packets",
        "packets that each queueing discipline of the chosen interfaces dropped in each `bin`",
        _QDISCS,
        1,
        values=drops_in_bins,
    ),
    "backlog": Quantity(
        "backlog of radios and queueing disciplines",
        "packets",
        "packets in radios and queueing disciplines",
        ("air", "qdiscs"),
        drawing=Drawing("Queue\n[packets]", backlog_packets, busy_only=True, sources=_SOURCES),
    ),
    "queue_kb": Quantity(
        "backlog in kilobytes",
        "kB",
        "kilobytes (1000 bytes) in queueing disciplines",
        _QDISCS,
        drawing=Drawing("Queue [kB]", backlog_kilobytes, busy_only=True),
    ),
    "drop_rate": Quantity(
        "drops per second",
        "1/s",
        "packets that radios and queueing disciplines dropped per second",
        ("air", "qdiscs"),
        drawing=Drawing(
            "Drops [1/s]", drop_rate, rate_of=("air", "qdiscs"), busy_only=True, sources=_SOURCES
        ),
    ),
    "marks": Quantity(
        "ECN marks per second",
        "1/s",
        "packets that queueing disciplines marked with ECN's congestion experienced per second",
        _QDISCS,
        drawing=Drawing("ECN marks\n[1/s]", marks, rate_of=_QDISCS, busy_only=True),
    ),
}
