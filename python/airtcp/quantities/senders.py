"""The state of senders (`tcp_info`): windows, round-trip times, timeouts, rates, and what limited them."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from airtcp.metrics.arrays import Floats, Integers
from airtcp.metrics.control import LIMITERS, in_flight
from airtcp.metrics.convergence import settling
from airtcp.metrics.means import mean_of_known
from airtcp.metrics.rto import timeouts_so_far
from airtcp.quantities.entity import Companion, Entity, Kind
from airtcp.quantities.line import Join
from airtcp.quantities.quantity import Override, Quantity
from airtcp.quantities.run_view import RunView

if TYPE_CHECKING:
    import polars

# Linux's TCP_INFINITE_SSTHRESH (include/net/tcp.h): no slow start threshold yet.
NO_THRESHOLD = 0x7FFF_FFFF
# "No limit" is the largest number of 64 bits (sk_pacing_rate, ~0UL).
NO_PACING_BPS = 2**62

Read = Callable[[RunView], list[Entity]]


def _sampled(read: "Callable[[polars.DataFrame], Floats | Integers]") -> Read:
    """What is read off the samples of each flow."""
    return lambda view: [
        view.flow_entity(flow, frame["time_ns"].to_numpy(), read(frame))
        for flow, frame in view.flow_rows("flows")
    ]


def _column(column: str) -> Read:
    """A column of the samples, as it is."""
    return _sampled(lambda frame: frame[column].to_numpy())


def _column_if_known(column: str) -> Read:
    """A column of the samples in which 0 means that there is no value yet."""
    return _sampled(lambda frame: _known(frame, column))


def _known(frame: "polars.DataFrame", column: str) -> Floats:
    values = frame[column].to_numpy().astype(np.float64)
    return np.where(values > 0, values, np.nan)


def _window(frame: "polars.DataFrame", flow: Entity) -> Entity:
    """A flow with ssthresh beside cwnd."""
    threshold = frame["ssthresh"].to_numpy().astype(np.float64)
    threshold[threshold >= NO_THRESHOLD] = np.nan
    if np.all(np.isnan(threshold)):
        return flow
    return replace(flow, companion=Companion(f"{flow.name} ssthresh", threshold))


def drawn_window(view: RunView) -> list[Entity]:
    """cwnd and ssthresh: at each ACK if ACKs were recorded, else as sampled."""
    by_ack = view.has("acks")
    # What an ACK finds has been there since the one before it was processed.
    join = Join.SINCE if by_ack else Join.STRAIGHT
    made = []
    for flow, frame in view.flow_rows("acks" if by_ack else "flows"):
        own = view.flow_entity(flow, frame["time_ns"].to_numpy(), frame["cwnd"].to_numpy(), join)
        made.append(_window(frame, own))
    return made


def _pacing(frame: "polars.DataFrame") -> Floats:
    rates = frame["pacing_rate_bps"].to_numpy().astype(np.float64)
    return np.where(rates < NO_PACING_BPS, rates, np.nan)


def _above_the_least(view: RunView) -> list[Entity]:
    """Smoothed RTT of each flow less the least RTT that it knew in the span, in us."""
    made = []
    for flow, frame in view.flow_rows("flows"):
        least = _known(view.samples(flow), "min_rtt_us")
        base = np.nanmin(least) if np.any(~np.isnan(least)) else np.nan
        made.append(view.flow_entity(flow, frame["time_ns"].to_numpy(), _known(frame, "srtt_us") - base))
    return made


def limits(view: RunView) -> list[Entity]:
    """For each flow and limiter, the ns for which the sender stood still for it."""
    made = []
    for flow, frame in view.flow_rows("flows", *LIMITERS):
        for column, limiter in LIMITERS.items():
            own = view.flow_entity(flow, frame["time_ns"].to_numpy(), frame[column].to_numpy())
            name, label = f"{own.name}\n{limiter}", f"{own.drawn_label}\n{limiter}"
            made.append(replace(own, name=name, label=label))
    return made


def _span(view: RunView, flow: int) -> tuple[int, int]:
    """The part of the span in which a flow was there."""
    begin, end = (min(max(time, view.start_ns), view.stop_ns) for time in view.flow_time(flow))
    return begin, end


def limited_by_window(view: RunView) -> float:
    """The share of its time in % for which the congestion window limited a flow, mean over flows."""
    found = []
    for flow, frame in view.flow_rows("flows", *LIMITERS):
        begin, end = _span(view, flow)
        counts = frame["cwnd_limited_ns"].to_numpy().astype(np.int64)
        stood = np.interp([begin, end], frame["time_ns"].to_numpy(), counts) if counts.size else np.zeros(2)
        found.append((stood[1] - stood[0]) / (end - begin) * 100 if end > begin and counts.size else np.nan)
    return mean_of_known(found)


def cwnd_settled(view: RunView) -> float:
    """Seconds from the span's begin until cwnd stays in the band of its final value; `nan`: it does not."""
    found = []
    for flow in view.tcp_flows:
        samples = view.samples(flow)
        times, cwnd = samples["time_ns"].to_numpy(), samples["cwnd"].to_numpy().astype(np.float64)
        settled = settling(times, cwnd, view.stop_ns, view.arguments.band)
        found.append(np.nan if settled.at_ns is None else (settled.at_ns - view.start_ns) / 1e9)
    return mean_of_known(found)


def timeouts(view: RunView) -> list[Entity]:
    """How often a retransmission timeout of each flow had run out."""
    made = []
    for flow, frame in view.flow_rows("flows"):
        decoded = view.run.tcp_info(flow)
        if "total_rto" in decoded.columns:
            frame = frame.with_columns(decoded["total_rto"])
        made.append(view.flow_entity(flow, frame["time_ns"].to_numpy(), timeouts_so_far(frame)))
    return made


def sent_again(view: RunView) -> list[Entity]:
    """Segments of each flow that were sent again so far; of one that was not sampled, at its end."""
    if view.has("flows"):
        return _column("total_retrans")(view)
    made = []
    for flow in view.tcp_flows:
        counts = np.array([0, int(view.run.flow_reports[flow]["retransmits"])])
        made.append(view.flow_entity(flow, np.array(view.flow_time(flow)), counts))
    return made


def _marked(frame: "polars.DataFrame") -> Floats:
    """The share of marked segments among those that were delivered since the sample before."""
    delivered, marked = (
        np.diff(frame[name].to_numpy().astype(np.int64), prepend=0) for name in ("delivered", "delivered_ce")
    )
    return np.where(delivered > 0, marked / np.maximum(delivered, 1), np.nan)


def marked_segments(view: RunView) -> list[Entity]:
    """The share of each flow's delivered segments that were marked, from sample to sample."""
    return [
        view.flow_entity(flow, frame["time_ns"].to_numpy(), _marked(frame))
        for flow, frame in view.flow_rows("flows", "delivered", "delivered_ce")
    ]


def marked_share(view: RunView) -> float:
    """Marked segments of all flows together among those that were delivered in the span."""
    delivered = marked = 0.0
    for flow, frame in view.flow_rows("flows", "delivered", "delivered_ce"):
        span, times_ns = _span(view, flow), frame["time_ns"].to_numpy()
        if times_ns.size:
            counts = (frame[name].to_numpy().astype(np.float64) for name in ("delivered", "delivered_ce"))
            rises = [float(np.diff(np.interp(span, times_ns, count))[0]) for count in counts]
            delivered, marked = delivered + rises[0], marked + rises[1]
    return marked / delivered if delivered else float("nan")


def retransmits(view: RunView) -> float:
    """Segments that were sent again."""
    counts = [view.run.flow_reports[flow]["retransmits"] for flow in view.tcp_flows]
    return np.nan if None in counts else float(sum(counts))


_FLOWS = ("flows",)

QUANTITIES = {
    "cwnd": Quantity(
        "Congestion window",
        "segments",
        "congestion window (drawn with the slow start threshold, dashed; at every ACK if `acks` were "
        "recorded); number: mean over time",
        _FLOWS,
        1,
        entities=_column("cwnd"),
        override=Override(
            "ACKs are dense where the rate is high: they are drawn, and samples counted", drawn=drawn_window
        ),
    ),
    "cwnd_settled": Quantity(
        "Time until cwnd settles",
        "s",
        "time from the span's begin until cwnd stays within `band` of its final value",
        _FLOWS,
        1,
        override=Override("one time of a flow, not a value at each sample", cwnd_settled),
    ),
    "inflight": Quantity(
        "In flight",
        "segments",
        "segments in flight of each flow, as TCP counts them: sent, not acknowledged, and not lost; number: "
        "of all flows together",
        _FLOWS,
        1,
        entities=_sampled(in_flight),
        across="sum",
    ),
    "limits": Quantity(
        "Limits of the sender",
        "%",
        "share of time in which the sender was limited by its congestion window, pacing, receiver's window, "
        "send buffer, ...; number: by its congestion window, mean over flows",
        _FLOWS,
        1,
        entities=limits,
        kind=Kind.RATE,
        scale=1e-7,
        override=Override("shares of a whole: their mean says nothing", limited_by_window),
        shared=True,
        most=100.0,
    ),
    "srtt": Quantity(
        "Smoothed RTT",
        "ms",
        "smoothed RTT of each flow; number: mean over time",
        _FLOWS,
        1,
        entities=_column_if_known("srtt_us"),
        scale=1e-3,
    ),
    "queueing_delay": Quantity(
        "Queueing delay",
        "ms",
        "smoothed RTT less the flow's least RTT; number: mean over time",
        _FLOWS,
        1,
        entities=_above_the_least,
        scale=1e-3,
    ),
    "rto": Quantity(
        "Retransmission timeout",
        "ms",
        "retransmission timeout (RFC 6298); number: mean over time",
        _FLOWS,
        0,
        entities=_column_if_known("rto_us"),
        scale=1e-3,
    ),
    "timeouts": Quantity(
        "Timeouts",
        "",
        "how often a retransmission timeout ran out; drawn as those of each flow so far",
        _FLOWS,
        0,
        entities=timeouts,
        kind=Kind.COUNT,
        across="sum",
    ),
    "retransmits": Quantity(
        "Retransmitted",
        "segments",
        "segments sent again, of the chosen flows in the whole run; drawn, where flows are sampled, as "
        "those of each flow so far",
        digits=0,
        entities=sent_again,
        kind=Kind.COUNT,
        across="sum",
        override=Override(
            "reports of flows also count what was sent again after the last sample", retransmits
        ),
    ),
    "marked_share": Quantity(
        "Marked segments",
        "",
        "share of a flow's delivered segments that queues had marked (ECN, congestion experienced), as its "
        "sender counts: with classic ECN those that an ACK with ECE acknowledges; number: of all flows "
        "together",
        _FLOWS,
        4,
        entities=marked_segments,
        override=Override("a ratio of two counts of the whole span", marked_share),
        most=1.0,
        in_percent=True,
    ),
    "delivery_rate": Quantity(
        "Delivery rate",
        "Mbit/s",
        "the kernel's estimate of the delivery rate",
        _FLOWS,
        entities=_column("delivery_rate_bps"),
        scale=1e-6,
    ),
    "pacing_rate": Quantity(
        "Pacing rate",
        "Mbit/s",
        "the rate at which TCP releases packets, where it paces",
        _FLOWS,
        entities=_sampled(_pacing),
        scale=1e-6,
    ),
}
