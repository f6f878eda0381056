"""Quantities of TCP flows: rates, windows, times, and what limited them."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from airtcp.metrics.arrays import Floats, Integers
from airtcp.metrics.control import LIMITERS
from airtcp.plots.time_series import Join, Line
from airtcp.report.quantities.lines import arrived_line, known_line, rates_line, seconds, values_line
from airtcp.report.run_view import RunView

if TYPE_CHECKING:
    import polars

# Linux's TCP_INFINITE_SSTHRESH (include/net/tcp.h): no slow start threshold yet.
NO_THRESHOLD = 0x7FFF_FFFF
# "No limit" is the largest number of 64 bits (sk_pacing_rate, ~0UL).
NO_PACING_BPS = 2**62


def received_counter(view: RunView, flow: int, frame: "polars.DataFrame") -> tuple[Integers, Floats]:
    """Bytes received by time; nothing was before the flow's start, which may lie between two samples."""
    times_ns = frame["time_ns"].to_numpy().astype(np.int64)
    counts = frame["bytes_received"].to_numpy().astype(np.float64)
    start_ns = view.run.flow_plans[flow]["start_ns"]
    if times_ns.size and start_ns < times_ns[0]:
        return np.insert(times_ns, 0, start_ns), np.insert(counts, 0, 0.0)
    return times_ns, counts


def received_rate(view: RunView) -> list[Line]:
    """Goodput at the receiver in Mbit/s."""
    lines = []
    for flow, label, frame in view.flow_rows("flows", udp=True):
        times_ns, counts = received_counter(view, flow, frame)
        lines.append(rates_line(label, times_ns, counts, view.bin_ns("flows"), 8e-6))
    return lines


def of_samples(column: str, scale: float) -> Callable[[RunView], list[Line]]:
    """A column of the samples, as it is."""
    return lambda view: [
        values_line(label, frame, column, scale) for _, label, frame in view.flow_rows("flows")
    ]


def known_of_samples(column: str, scale: float) -> Callable[[RunView], list[Line]]:
    """A column of the samples in which 0 means that there is no value yet."""
    return lambda view: [
        known_line(label, frame, column, scale) for _, label, frame in view.flow_rows("flows")
    ]


def window(view: RunView) -> list[Line]:
    """cwnd and, dashed, ssthresh: at each ACK if ACKs were recorded, else as sampled."""
    by_ack = view.has("acks")
    # What an ACK finds has been there since the one before it was processed.
    join = Join.SINCE if by_ack else Join.STRAIGHT
    lines = []
    for _, label, frame in view.flow_rows("acks" if by_ack else "flows"):
        lines.append(values_line(label, frame, "cwnd", 1.0, join))
        threshold = frame["ssthresh"].to_numpy().astype(np.float64)
        threshold[threshold >= NO_THRESHOLD] = np.nan
        if not np.all(np.isnan(threshold)):
            name = f"{label.split(' (')[0]} ssthresh"
            lines.append(Line(name, seconds(frame), tuple(threshold.tolist()), dashed=True, join=join))
    return lines


def sampled_window(view: RunView) -> list[Line]:
    """cwnd at equal distances of time, for a distribution (ACKs are dense where the rate is high)."""
    return of_samples("cwnd", 1.0)(view)


def pacing_rate(view: RunView) -> list[Line]:
    """The pacing rate in Mbit/s, where there is one."""
    lines = []
    for _, label, frame in view.flow_rows("flows"):
        limited = frame.filter(frame["pacing_rate_bps"] < NO_PACING_BPS)
        lines.append(values_line(label, limited, "pacing_rate_bps", 1e-6))
    return lines


def limits(view: RunView) -> list[Line]:
    """For each flow and limiter, the share of time in % that the sender stood still for it."""
    lines = []
    for _, label, frame in view.flow_rows("flows", *LIMITERS):
        times_ns = frame["time_ns"].to_numpy().astype(np.int64)
        for column, name in LIMITERS.items():
            counts = frame[column].to_numpy().astype(np.float64)
            lines.append(rates_line(f"{label}\n{name}", times_ns, counts, view.bin_ns("flows"), 1e-7))
    return lines


def one_way_delay(direction: int) -> Callable[[RunView], list[Line]]:
    """The delay in ms of each packet that arrived: 0 data, 1 ACKs."""

    def lines(view: RunView) -> list[Line]:
        made = []
        for _, label, frame in view.flow_rows("delays", "direction", "delay_ns"):
            sent = frame.filter(frame["direction"] == direction)
            made.append(arrived_line(label, sent, "delay_ns"))
        return made

    return lines


def ping_round_trips(view: RunView) -> list[Line]:
    """The round-trip time in ms of each echo request."""
    view.series("pings")
    names = [ping["name"] for ping in view.run.plan["pings"]]
    return [arrived_line(name, view.run.ping_samples(n), "rtt_ns") for n, name in enumerate(names)]
