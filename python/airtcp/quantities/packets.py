"""One-way delays of packets and datagrams, and which of them were lost."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from airtcp.metrics.arrays import Floats, Integers
from airtcp.metrics.datagrams import loss_in_bins
from airtcp.metrics.jitter import ipdv_ms, pdv_ms
from airtcp.quantities.entity import Entity, Kind
from airtcp.quantities.latency import packets, stream_times
from airtcp.quantities.quantity import Quantity
from airtcp.quantities.run_view import RunView

DATA, ACKS = 0, 1


def packet_delays(direction: int) -> Callable[[RunView], list[Entity]]:
    """One-way delays in ms of the packets of TCP flows."""

    def entities(view: RunView) -> list[Entity]:
        made = []
        for flow, frame in view.flow_rows("delays", "direction", "delay_ns"):
            sent = packets("", frame.filter(frame["direction"] == direction), "delay_ns", view.run.end_ns)
            own = view.flow_entity(flow, sent.times_ns, sent.values)
            made.append(replace(own, at_least=sent.at_least))
        return made

    return entities


def _streams(view: RunView) -> Iterator[int]:
    """The numbers of the chosen streams; a run without any has no series of them."""
    if view.run.plan.get("datagrams"):
        view.series("datagrams")
    for number, stream in enumerate(view.run.plan.get("datagrams", ())):
        if view.arguments.is_about(stream["name"]):
            yield number


def datagram_delays(view: RunView) -> list[Entity]:
    """One-way delays in ms of datagrams of the chosen streams (`flows`)."""
    return [stream_times(view.run, stream) for stream in _streams(view)]


def variations(
    of: Callable[[Integers], tuple[Integers, Floats]],
) -> Callable[[RunView], list[Entity]]:
    """How the delay of datagrams of the chosen streams varies, in ms, by the time of sending."""

    def entities(view: RunView) -> list[Entity]:
        made = []
        for stream in _streams(view):
            frame = view.run.stream_datagrams(stream)
            places, values = of(frame["delay_ns"].to_numpy().astype(np.int64))
            name = str(view.run.plan["datagrams"][stream]["name"])
            made.append(Entity(name, frame["time_ns"].to_numpy()[places], values))
        return made

    return entities


def datagram_losses(view: RunView) -> list[Entity]:
    """Share of the datagrams sent in each whole bin of the span that never arrived."""
    made, edges_ns = [], view.edges_ns()
    for stream in _streams(view):
        frame = view.run.stream_datagrams(stream)
        sent_ns, delay_ns = frame["time_ns"].to_numpy(), frame["delay_ns"].to_numpy()
        starts_ns, shares = loss_in_bins(sent_ns, delay_ns, edges_ns)
        made.append(Entity(str(view.run.plan["datagrams"][stream]["name"]), starts_ns, shares))
    return made


def datagrams_received(view: RunView) -> list[Entity]:
    """Payload octets that each chosen stream delivered, by the time of arrival."""
    made = []
    for stream in _streams(view):
        planned, frame = view.run.plan["datagrams"][stream], view.run.stream_datagrams(stream)
        delays = frame["delay_ns"].to_numpy()
        times_ns = np.sort((frame["time_ns"].to_numpy() + delays)[delays >= 0])
        payload = int(planned["payload_bytes"]) * np.arange(1, times_ns.size + 1)
        made.append(Entity(str(planned["name"]), times_ns, payload))
    return made


_DELAYS, _DATAGRAMS = ("delays",), ("datagrams",)

QUANTITIES = {
    "delay": Quantity(
        "One-way delay",
        "ms",
        "one-way delay of each packet with data",
        _DELAYS,
        entities=packet_delays(DATA),
        kind=Kind.EVENT,
    ),
    "ack_delay": Quantity(
        "One-way delay of ACKs",
        "ms",
        "one-way delay of each ACK",
        _DELAYS,
        entities=packet_delays(ACKS),
        kind=Kind.EVENT,
    ),
    "datagram_delay": Quantity(
        "Delay of datagrams",
        "ms",
        "one-way delay of each datagram of a `[[udp]]` or `[[voip]]`",
        _DATAGRAMS,
        entities=datagram_delays,
        kind=Kind.EVENT,
    ),
    "ipdv": Quantity(
        "Jitter (IPDV)",
        "ms",
        "by how much the delay of each datagram of a `[[udp]]` or `[[voip]]` differs from that of the one "
        "before (RFC 5481, 4.1), if both arrived; statistics such as `p95` are percentiles of the jitter",
        _DATAGRAMS,
        entities=variations(ipdv_ms),
        kind=Kind.EVENT,
        higher_is_better=False,
    ),
    "pdv": Quantity(
        "Delay variation (PDV)",
        "ms",
        "delay of each datagram that arrived above the least delay of its stream (RFC 5481, 4.2); `p99` is "
        "the buffer with which 99 % of them are played in time",
        _DATAGRAMS,
        entities=variations(pdv_ms),
        kind=Kind.EVENT,
        higher_is_better=False,
    ),
    "datagram_loss": Quantity(
        "Loss of datagrams",
        "",
        "share of the datagrams sent in each `bin` that were lost",
        _DATAGRAMS,
        4,
        entities=datagram_losses,
        kind=Kind.EVENT,
        most=1.0,
    ),
    "datagram_throughput": Quantity(
        "Throughput of datagrams",
        "Mbit/s",
        "payload that the streams named by `flows` delivered in the span",
        _DATAGRAMS,
        entities=datagrams_received,
        kind=Kind.RATE,
        across="sum",
        scale=8e-6,
    ),
}
