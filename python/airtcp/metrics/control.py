"""Whether the congestion control was what limited a flow.

A flow whose sender waited for its application, its send buffer, the receiver's window or the queues below
TCP (TCP small queues) says nothing about its congestion control. A flow counts as **in control** if all of
these hold over its samples of `tcp_info`:

1. *Windows of others.* The time limited by the receiver's window and by the send buffer
   (`rwnd_limited_us`, `sndbuf_limited_us`) is at most 5 % of the time busy sending (`busy_us`).
2. *Something to send.* The sender was busy for at least 95 % of the time between its first and last sample,
   and at most 5 % of the delivery rate samples were limited by the application.
3. *The window or the pace was used.* Either in at least 80 % of the samples the segments in flight
   (`unacked - sacked - lost + retrans`, as tcp_packets_in_flight() of the kernel counts) reach the
   congestion window less two segments or a tenth of it, whichever is more (one delayed ACK releases two
   segments); or, for congestion controls that pace (BBR), data was acknowledged at no less than three
   quarters of the mean pacing rate, the lowest gain of its steady state (bbr_pacing_gain in
   net/ipv4/tcp_bbr.c). What fails this was held back below TCP.

The shares are reported with the verdict, so that a reader may judge by other limits.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from airtcp.metrics.throughput import Integers

if TYPE_CHECKING:
    import polars

OTHERS_WINDOW_SHARE_MOST = 0.05
BUSY_SHARE_LEAST = 0.95
APP_LIMITED_SHARE_MOST = 0.05
WINDOW_USED_SHARE_LEAST = 0.80
WINDOW_SLACK_SEGMENTS = 2
WINDOW_SLACK_SHARE = 0.1
PACE_USED_SHARE_LEAST = 0.75

# Of the kernel's congestion controls only BBR asks for pacing (SK_PACING_NEEDED).
PACED = ("bbr",)


@dataclass(frozen=True)
class Control:
    """The verdict and what it rests on; shares are of time or of samples, from 0 to 1."""

    in_control: bool
    reasons: tuple[str, ...]
    rwnd_limited_share: float
    sndbuf_limited_share: float
    busy_share: float
    app_limited_share: float
    window_used_share: float
    pace_used_share: float | None

    def text(self) -> str:
        """`yes`, or `no:` and why."""
        return "yes" if self.in_control else f"no: {', '.join(self.reasons)}"


def in_flight(frame: "polars.DataFrame") -> Integers:
    """Segments in flight at each sample."""

    def column(name: str) -> Integers:
        return frame[name].to_numpy().astype(np.int64)

    return column("unacked") - column("sacked") - column("lost") + column("retrans")


def judge_control(frame: "polars.DataFrame", congestion_control: str) -> Control:
    """The verdict over the samples of one flow, in the order of time; see the definition above."""
    if frame.height < 2:
        return Control(False, ("fewer than two samples",), 0.0, 0.0, 0.0, 0.0, 0.0, None)
    first, last = frame.row(0, named=True), frame.row(-1, named=True)
    busy_us = max(1, last["busy_us"] - first["busy_us"])
    rwnd = (last["rwnd_limited_us"] - first["rwnd_limited_us"]) / busy_us
    sndbuf = (last["sndbuf_limited_us"] - first["sndbuf_limited_us"]) / busy_us
    busy = (last["busy_us"] - first["busy_us"]) * 1e3 / (last["time_ns"] - first["time_ns"])
    app = float(np.mean(frame["delivery_app_limited"].to_numpy() != 0))
    cwnd = frame["cwnd"].to_numpy().astype(np.int64)
    slack = np.maximum(WINDOW_SLACK_SEGMENTS, WINDOW_SLACK_SHARE * cwnd)
    window = float(np.mean(in_flight(frame) >= cwnd - slack))
    pace = _pace_used(frame) if congestion_control in PACED else None
    reasons = []
    if rwnd + sndbuf > OTHERS_WINDOW_SHARE_MOST:
        name = "receiver's window" if rwnd >= sndbuf else "send buffer"
        reasons.append(f"{name} {max(rwnd, sndbuf):.0%} of the time")
    if busy < BUSY_SHARE_LEAST:
        reasons.append(f"nothing to send {1 - busy:.0%} of the time")
    if app > APP_LIMITED_SHARE_MOST:
        reasons.append(f"limited by the application in {app:.0%} of samples")
    paced = pace is not None and pace >= PACE_USED_SHARE_LEAST
    if window < WINDOW_USED_SHARE_LEAST and not paced:
        reasons.append(f"window used in {window:.0%} of samples only")
    return Control(not reasons, tuple(reasons), rwnd, sndbuf, busy, app, window, pace)


def _pace_used(frame: "polars.DataFrame") -> float:
    """Rate of acknowledged data over the mean pacing rate.

    The kernel's pacing rate is in bytes per second of whole packets; `pacing_rate_bps` is in bits.
    """
    first, last = frame.row(0, named=True), frame.row(-1, named=True)
    acked_bps = (last["bytes_acked"] - first["bytes_acked"]) * 8e9 / (last["time_ns"] - first["time_ns"])
    pacing_bps = float(np.mean(frame["pacing_rate_bps"].to_numpy().astype(np.float64)))
    return acked_bps / pacing_bps if pacing_bps > 0 else 0.0
