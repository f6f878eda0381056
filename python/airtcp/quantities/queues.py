"""Queues in queueing disciplines, in mac80211 and in radios; what waits in them, what they drop and mark.

**What a queue is.** A discipline that holds packets itself, so that each packet waits in one queue. By the
agent's report of the disciplines at the run's end: every one but `noqueue`, and but those that an inner one
of the same interface (a higher handle) repeats: `netem` and `tbf` over another kind, which wait for a delay
or a rate, and parents whose counts are those of their children. Of an interface that the report does not name
(a real machine's, or one that was gone by then) rows decide: a discipline whose backlog is always that of an
inner one is no queue.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from airtcp.data.run_folder import Run
from airtcp.quantities.entity import Entity, Kind
from airtcp.quantities.quantity import Quantity
from airtcp.quantities.radios import radio_column
from airtcp.quantities.run_view import RunView

if TYPE_CHECKING:
    import polars

# In tc's words they may hold packets for a delay or a rate, and count what their inner queue counts again.
OUTER = ("netem", "tbf")

# Node, interface and handle.
QdiscPlace = tuple[str, str, int]


def queue_places(run: Run) -> set[QdiscPlace]:
    """Node, interface and handle of each queue, as far as the agent's report names them."""
    interfaces: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for qdisc in run.agent["qdiscs"]:
        interfaces.setdefault((qdisc["node"], qdisc["interface"]), []).append(qdisc)
    return {
        (*place, handle_of(qdisc)) for place, own in interfaces.items() for qdisc in _reported_queues(own)
    }


def handle_of(qdisc: Mapping[str, Any]) -> int:
    """The handle of a reported discipline."""
    return int(qdisc["handle"].rstrip(":"), 16)


def _reported_queues(qdiscs: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Those of one interface's disciplines that are queues, from the innermost."""
    kept: list[Mapping[str, Any]] = []
    for qdisc in sorted(qdiscs, key=handle_of, reverse=True):
        outer = qdisc["kind"] in OUTER and any(inner["kind"] not in OUTER for inner in kept)
        if qdisc["kind"] != "noqueue" and not outer and not _repeats(qdisc, kept):
            kept.append(qdisc)
    return kept


def _repeats(qdisc: Mapping[str, Any], inner: Sequence[Mapping[str, Any]]) -> bool:
    """Whether what a discipline counted is what the inner ones counted together."""
    counted = [[each[key] for key in ("packets", "bytes", "drops")] for each in inner]
    own = [qdisc[key] for key in ("packets", "bytes", "drops")]
    return any(own) and own == [sum(column) for column in zip(*counted, strict=True)]


def qdisc_parts(run: Run) -> "dict[tuple[int, ...], polars.DataFrame]":
    """The rows of each queueing discipline, with names, by numbers of node and interface, and handle."""
    return run.parts("qdiscs", "node", "interface", "handle", named=True)


def queue_rows(view: RunView) -> "Iterator[tuple[Entity, polars.DataFrame]]":
    """Each queue among the queueing disciplines, without values, and its rows."""
    view.series("qdiscs")
    reported = queue_places(view.run)
    named = {(qdisc["node"], qdisc["interface"]) for qdisc in view.run.agent["qdiscs"]}
    interfaces: dict[tuple[str, str], list[polars.DataFrame]] = {}
    for own in qdisc_parts(view.run).values():
        interface = own["interface_name"][0] or f"interface {own['interface'][0]}"
        interfaces.setdefault((own["node_name"][0], interface), []).append(own)
    for place, every in interfaces.items():
        if place in named:
            kept = [own for own in _inner_first(every) if (*place, own["handle"][0]) in reported]
        else:
            kept = _without_repeats(every)
        kinds = [own["qdisc"][0] or "qdisc" for own in kept]
        for own, kind in zip(kept, kinds, strict=True):
            handle = f" {own['handle'][0]:x}:"
            label = f"{' '.join(place)} {kind}{handle if kinds.count(kind) > 1 else ''}"
            times_ns = own["time_ns"].to_numpy()
            name = f"{' '.join(place)}{handle}"
            yield Entity(name, times_ns, times_ns, label, *place, series="qdiscs"), own


def _inner_first(handles: "Sequence[polars.DataFrame]") -> "list[polars.DataFrame]":
    return sorted(handles, key=lambda part: part["handle"][0], reverse=True)


def _without_repeats(handles: "Sequence[polars.DataFrame]") -> "list[polars.DataFrame]":
    kept: list[polars.DataFrame] = []
    column = "backlog_packets"
    for own in _inner_first(handles):
        if not any(own[column].equals(inner[column]) for inner in kept):
            kept.append(own)
    return kept


def of_qdiscs(column: str) -> Callable[[RunView], list[Entity]]:
    """A column of each queue among the queueing disciplines."""
    return lambda view: [replace(queue, values=rows[column].to_numpy()) for queue, rows in queue_rows(view)]


def of_radios_and_qdiscs(of_radio: str, of_qdisc: str) -> Callable[[RunView], list[Entity]]:
    """Columns of radios and of queueing disciplines; of the series of which there is one."""

    def entities(view: RunView) -> list[Entity]:
        made = []
        if view.has("air"):
            radios = radio_column(of_radio)(view)
            made += [replace(radio, label=f"{radio.name} radio", series="air") for radio in radios]
        if view.has("qdiscs") or not made:
            made += of_qdiscs(of_qdisc)(view)
        return made

    return entities


# The series that show queues, and whose queues they are.
_SOURCES = (("air", "radios"), ("qdiscs", "queueing disciplines"))
_QDISCS = ("qdiscs",)

QUANTITIES = {
    "queue": Quantity(
        "Waiting in qdiscs",
        "packets",
        "packets in each queueing discipline of the chosen interfaces that is a queue; number: in all of "
        "them together, mean over time",
        _QDISCS,
        1,
        entities=of_qdiscs("backlog_packets"),
        across="sum",
        busy_only=True,
    ),
    "queue_kb": Quantity(
        "Bytes waiting in qdiscs",
        "kB",
        "kilobytes (1000 bytes) in each queueing discipline that is a queue; number: in all of them together",
        _QDISCS,
        entities=of_qdiscs("backlog_bytes"),
        across="sum",
        scale=1e-3,
        busy_only=True,
    ),
    "backlog": Quantity(
        "Backlog",
        "packets",
        "packets in radios and in queueing disciplines; number: in all of them together, mean over time",
        ("air", "qdiscs"),
        1,
        entities=of_radios_and_qdiscs("queue_packets", "backlog_packets"),
        across="sum",
        busy_only=True,
        sources=_SOURCES,
    ),
    "mac80211_packets": Quantity(
        "Waiting in mac80211",
        "packets",
        "packets in mac80211's queues of each radio; number: in all of them together, mean over time",
        ("radio_queues",),
        1,
        entities=radio_column("backlog_packets", "radio_queues"),
        across="sum",
        busy_only=True,
    ),
    "radio_packets": Quantity(
        "Waiting in radios",
        "packets",
        "packets in each radio; number: in all of them together, mean over time",
        ("air",),
        1,
        entities=radio_column("queue_packets"),
        across="sum",
        busy_only=True,
    ),
    "drop_rate": Quantity(
        "Drops",
        "1/s",
        "packets that radios and queueing disciplines dropped per second; number: all of them together",
        ("air", "qdiscs"),
        1,
        entities=of_radios_and_qdiscs("dropped", "drops"),
        kind=Kind.RATE,
        across="sum",
        busy_only=True,
        sources=_SOURCES,
    ),
    "marks": Quantity(
        "ECN marks",
        "1/s",
        "packets that queueing disciplines marked with ECN's congestion experienced per second; number: all "
        "of them together",
        _QDISCS,
        1,
        entities=of_qdiscs("marks"),
        kind=Kind.RATE,
        across="sum",
        busy_only=True,
    ),
}
