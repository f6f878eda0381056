"""One-way delays of packets and datagrams, and which of them were lost."""

from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from airtcp.metrics.datagrams import loss_in_bins, payload_rate_mbps
from airtcp.metrics.survival import Sample
from airtcp.quantities.latency import arrived, begun_in, stream_sample
from airtcp.quantities.line import Line, arrived_line
from airtcp.quantities.metric_view import MetricView
from airtcp.quantities.quantity import Drawing, Quantity, Values
from airtcp.quantities.run_view import RunView

if TYPE_CHECKING:
    import polars

DATA, ACKS = 0, 1


def drawn_delay(direction: int) -> Callable[[RunView], list[Line]]:
    """The delay in ms of each packet that arrived."""

    def lines(view: RunView) -> list[Line]:
        made = []
        for _, label, frame in view.flow_rows("delays", "direction", "delay_ns"):
            sent = frame.filter(frame["direction"] == direction)
            made.append(arrived_line(label, sent, "delay_ns"))
        return made

    return lines


def plotted_delay(direction: int) -> Callable[[RunView], Values]:
    """The delays in ms of the packets of each flow that were sent in the window."""

    def packets(view: RunView) -> Values:
        made = {}
        for _, label, frame in view.flow_rows("delays", "direction", "delay_ns"):
            sent = begun_in(frame.filter(frame["direction"] == direction), (view.start_ns, view.stop_ns))
            made[label] = arrived(sent, "delay_ns", view.run.end_ns)
        return made

    return packets


def packet_delay(direction: int) -> Callable[[MetricView], Values]:
    """One-way delays in ms of the packets of TCP flows."""

    def values(view: MetricView) -> Values:
        from polars import col

        frame = view.in_span(view.run.series("delays")).filter(col("direction") == direction)
        return {
            view.flow_name(n): arrived(frame.filter(col("flow") == n), "delay_ns", view.run.end_ns)
            for n in view.flows
        }

    return values


def drawn_datagram_delay(view: RunView) -> list[Line]:
    """The one-way delay in ms of each datagram that was received."""
    view.series("datagrams")
    names = [stream["name"] for stream in view.run.plan["datagrams"]]
    return [arrived_line(name, view.run.stream_datagrams(n), "delay_ns") for n, name in enumerate(names)]


def plotted_datagram_delay(view: RunView) -> Values:
    """The delays in ms of the datagrams of each stream that were sent in the window."""
    view.series("datagrams")
    span = view.start_ns, view.stop_ns
    return {
        str(stream["name"]): stream_sample(view.run, number, span)
        for number, stream in enumerate(view.run.plan["datagrams"])
    }


def streams(view: MetricView) -> Iterator[tuple[str, "polars.DataFrame"]]:
    """Name and datagrams of each chosen stream, of those sent in the span."""
    for number, stream in enumerate(view.run.plan.get("datagrams", ())):
        if fnmatchcase(stream["name"], view.arguments.flows):
            yield str(stream["name"]), view.in_span(view.run.stream_datagrams(number))


def datagram_delay(view: MetricView) -> Values:
    """One-way delays in ms of datagrams."""
    return {name: arrived(frame, "delay_ns", view.run.end_ns) for name, frame in streams(view)}


def datagram_loss(view: MetricView) -> Values:
    """Share of the datagrams sent in each whole bin of the span that never arrived."""
    edges, found = view.edges_ns(), {}
    for name, frame in streams(view):
        sent_ns, delays = frame["time_ns"].to_numpy(), frame["delay_ns"].to_numpy()
        found[name] = Sample(loss_in_bins(sent_ns, delays, edges))
    return found


def datagram_throughput(view: MetricView) -> float:
    """Payload that the chosen streams (`flows`) delivered in the span, in Mbit/s."""
    from polars import col

    span_ns = view.stop_ns - view.start_ns
    if span_ns <= 0 or "datagrams" not in view.run.recorded:
        return float("nan")
    frame = view.run.series("datagrams").filter(col("delay_ns") >= 0)
    arrived = frame.filter((col("time_ns") + col("delay_ns")).is_between(view.start_ns, view.stop_ns))
    counts: dict[int, int] = dict(arrived.group_by("stream").len().rows())
    total_bytes = sum(
        counts.get(n, 0) * int(stream["payload_bytes"])
        for n, stream in enumerate(view.run.plan["datagrams"])
        if fnmatchcase(stream["name"], view.arguments.flows)
    )
    return payload_rate_mbps(total_bytes, span_ns)


_DELAYS, _DATAGRAMS = ("delays",), ("datagrams",)

QUANTITIES = {
    "delay": Quantity(
        "one-way delay",
        "ms",
        "one-way delay of each packet with data",
        _DELAYS,
        values=packet_delay(DATA),
        drawing=Drawing("One-way delay\n[ms]", drawn_delay(DATA), packets=plotted_delay(DATA)),
    ),
    "ack_delay": Quantity(
        "one-way delay of ACKs",
        "ms",
        "one-way delay of each ACK",
        _DELAYS,
        values=packet_delay(ACKS),
        drawing=Drawing("ACKs' delay\n[ms]", drawn_delay(ACKS), packets=plotted_delay(ACKS)),
    ),
    "datagram_delay": Quantity(
        "delay of datagrams",
        "ms",
        "one-way delay of each datagram of a `[[udp]]` or `[[voip]]`",
        _DATAGRAMS,
        values=datagram_delay,
        drawing=Drawing("Datagrams'\ndelay [ms]", drawn_datagram_delay, packets=plotted_datagram_delay),
    ),
    "datagram_loss": Quantity(
        "loss of datagrams",
        "",
        "share of the datagrams sent in each `bin` that were lost",
        _DATAGRAMS,
        4,
        values=datagram_loss,
    ),
    "datagram_throughput": Quantity(
        "throughput of datagrams",
        "Mbit/s",
        "payload that the streams named by `flows` delivered in the span",
        _DATAGRAMS,
        number=datagram_throughput,
    ),
}
