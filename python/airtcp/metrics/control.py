"""Whether the congestion control was what limited a flow.

A flow whose sender waited for its application, its send buffer, the receiver's window or the queues below
TCP (TCP small queues) says nothing about its congestion control. There are two definitions, by what a run
recorded.

**By time** (`limited_shares`), where the flow's samples have the kernel's exact times, `cwnd_limited_ns`
and so on: how long the sender's output engine stood still for each reason. A flow is **in control** if the
congestion window or the pacing timer, both set by the congestion control, limited it for at least 90 % of
the time between its first sample and its last. A tenth may be others', as in the definition by samples (5 %
others' windows, 5 % nothing to send). The reasons against it are those that took at least 1 %, the longest
first.

Two kinds of flows are judged by less than all of their time. A sender **with pauses** (bursts, requests,
pages, video) has nothing to send for much of it, as it should: the time limited by the application is left
out. The reasons are shares of the time that is left, in which it had data to send, and the verdict says how
much that is. If it is less than a tenth of the flow's time, there is no verdict: a few segments would decide
about the whole flow. A sender with a **rate limit** of its own (`SO_MAX_PACING_RATE`)
waits for a pacing timer that its congestion control did not set: pacing counts against it.

In a run that was **short of memory** for TCP (`tcp_mem` of Linux) windows and send buffers are smaller than
receivers and senders would have them. The verdict then names the memory, and neither of these.

**By samples**, for runs without these times: a flow is in control if all of these hold over its samples of
`tcp_info`:

1. *Windows of others.* The time limited by the receiver's window and by the send buffer (`rwnd_limited_us`,
   `sndbuf_limited_us`) is at most 5 % of the time busy sending (`busy_us`).
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

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from airtcp.metrics.arrays import Floats, Integers

if TYPE_CHECKING:
    import polars

# Columns of the exact times (series `flows`) and their limiters; their sum is the time since established.
LIMITERS = {
    "cwnd_limited_ns": "congestion window",
    "pacing_limited_ns": "pacing",
    "peer_window_limited_ns": "receiver's window",
    "send_buffer_limited_ns": "send buffer",
    "small_queue_limited_ns": "TCP small queues",
    "app_limited_ns": "application",
    "other_limited_ns": "other",
}
APPLICATION = "application"
# What the kernel makes smaller while it is short of memory (`tcp_clamp_window` of net/ipv4/tcp_input.c,
# `sk_stream_moderate_sndbuf` of include/net/sock.h), and how it is called then.
_BY_MEMORY = ("receiver's window", "send buffer")
_MEMORY = "shortage of memory for TCP"
OF_CONGESTION_CONTROL = ("congestion window", "pacing")
LIMITED_SHARE_LEAST = 0.90
REASON_SHARE_LEAST = 0.01
# As much as the reasons of others may take of a flow in control.
JUDGED_SHARE_LEAST = 1 - LIMITED_SHARE_LEAST

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
    """The verdict and what it rests on.

    With `exact` times, `shares` are of time, by the names in `LIMITERS`, and add up to 1. Else they are
    what the definition by samples looks at: shares of busy time limited by "receiver's window" and "send
    buffer"; of time "busy"; of samples "application" and "window used"; and, of congestion controls that
    pace, "pace used", the rate of acknowledged data over the pacing rate. Without samples there are none.
    `in_control` is `None` without a verdict. `judged_share` is the part of the time that was judged: all of
    it, or of a sender with pauses what the application did not limit.
    """

    in_control: bool | None
    reasons: tuple[str, ...]
    shares: Mapping[str, float] = field(default_factory=dict)
    exact: bool = False
    judged_share: float = 1.0

    @property
    def is_doubtful(self) -> bool:
        """Whether something else than the congestion control is known to have limited the flow."""
        return self.in_control is False

    def text(self) -> str:
        """`yes`, or `no:` and why; and of how much of the time. Without a verdict it is neither."""
        if self.in_control is None:
            return f"not judged: {', '.join(self.reasons)}"
        verdict = "yes" if self.in_control else f"no: {', '.join(self.reasons)}"
        return verdict if self.judged_share == 1 else f"{verdict} ({self.judged_share:.0%} judged)"


@dataclass(frozen=True)
class Sender:
    """What is known of a sender beside its samples: see the module."""

    pauses: bool = False
    rate_limit: bool = False
    short_of_memory: bool = False


SATURATED = Sender()


def judge_control(frame: "polars.DataFrame", congestion_control: str, sender: Sender = SATURATED) -> Control:
    """The verdict over the samples of one flow, in the order of time; by exact times where they are
    recorded.
    """
    if frame.height < 2:
        return Control(None, ("fewer than two samples",))
    if frame["time_ns"][-1] <= frame["time_ns"][0]:
        return Control(None, ("no time between the samples",))
    if has_limited_times(frame):
        return _by_time(frame, sender)
    return _by_samples(frame, congestion_control, sender)


def has_limited_times(frame: "polars.DataFrame") -> bool:
    """Whether the samples have the exact times (older runs have no such columns, or nothing in them)."""
    return all(name in frame.columns and frame[name].null_count() == 0 for name in LIMITERS)


def limited_shares(frame: "polars.DataFrame") -> dict[str, float] | None:
    """The share of time that each limiter had between the first sample and the last, by its name.

    `None` if none of them had any (the connection was never established). A time that falls is a
    `ValueError`.
    """
    first, last = frame.row(0, named=True), frame.row(-1, named=True)
    limited_ns = {name: int(last[column]) - int(first[column]) for column, name in LIMITERS.items()}
    falling = [name for name, ns in limited_ns.items() if ns < 0]
    if falling:
        raise ValueError(f"the time limited by {falling[0]} falls")
    total_ns = sum(limited_ns.values())
    return {name: ns / total_ns for name, ns in limited_ns.items()} if total_ns else None


def in_flight(frame: "polars.DataFrame") -> Integers | Floats:
    """Segments in flight at each sample; not a number where that was not measured."""

    def column(name: str) -> Integers | Floats:
        values = frame[name].to_numpy()
        return values.astype(np.float64) if frame[name].null_count() else values.astype(np.int64)

    return column("unacked") - column("sacked") - column("lost") + column("retrans")


def _by_time(frame: "polars.DataFrame", sender: Sender) -> Control:
    shares = limited_shares(frame)
    if shares is None:
        return Control(False, ("the connection was not established",), exact=True)
    judged = {name: share for name, share in shares.items() if not (sender.pauses and name == APPLICATION)}
    judged_share = sum(judged.values()) if sender.pauses else 1.0
    if judged_share < JUDGED_SHARE_LEAST:
        why = f"its application limited it {shares[APPLICATION]:.0%} of the time"
        return Control(None, (why,), shares, exact=True, judged_share=judged_share)
    of_control = ("congestion window",) if sender.rate_limit else OF_CONGESTION_CONTROL
    own = sum(judged[name] for name in of_control) / judged_share
    # Nanoseconds decide, not the last digit of a sum of shares.
    if own >= LIMITED_SHARE_LEAST - 1e-12:
        return Control(True, (), shares, exact=True, judged_share=judged_share)
    others = [(share / judged_share, name) for name, share in judged.items() if name not in of_control]
    if sender.short_of_memory:
        by_memory = sum(share for share, name in others if name in _BY_MEMORY)
        others = [(by_memory, _MEMORY), *(other for other in others if other[1] not in _BY_MEMORY)]
    others.sort(key=lambda other: -other[0])
    time = "of the time with data to send" if sender.pauses else "of the time"
    reasons = tuple(f"{name} {share:.0%} {time}" for share, name in others if share >= REASON_SHARE_LEAST)
    return Control(False, reasons, shares, exact=True, judged_share=judged_share)


def _by_samples(frame: "polars.DataFrame", congestion_control: str, sender: Sender) -> Control:
    shares = _sampled_shares(frame, congestion_control)
    rwnd, sndbuf, app = shares["receiver's window"], shares["send buffer"], shares["application"]
    reasons = []
    if rwnd + sndbuf > OTHERS_WINDOW_SHARE_MOST:
        name, share = max((("receiver's window", rwnd), ("send buffer", sndbuf)), key=lambda one: one[1])
        if sender.short_of_memory:
            name, share = _MEMORY, rwnd + sndbuf
        reasons.append(f"{name} {share:.0%} of the time")
    if shares["busy"] < BUSY_SHARE_LEAST:
        reasons.append(f"nothing to send {1 - shares['busy']:.0%} of the time")
    if app > APP_LIMITED_SHARE_MOST:
        reasons.append(f"limited by the application in {app:.0%} of samples")
    paced = shares.get("pace used", 0.0) >= PACE_USED_SHARE_LEAST
    if shares["window used"] < WINDOW_USED_SHARE_LEAST and not paced:
        reasons.append(f"window used in {shares['window used']:.0%} of samples only")
    return Control(not reasons, tuple(reasons), shares)


def _sampled_shares(frame: "polars.DataFrame", congestion_control: str) -> dict[str, float]:
    first, last = frame.row(0, named=True), frame.row(-1, named=True)
    busy_us = last["busy_us"] - first["busy_us"]
    cwnd = frame["cwnd"].to_numpy().astype(np.int64)
    slack = np.maximum(WINDOW_SLACK_SEGMENTS, WINDOW_SLACK_SHARE * cwnd)
    shares = {
        "receiver's window": (last["rwnd_limited_us"] - first["rwnd_limited_us"]) / max(1, busy_us),
        "send buffer": (last["sndbuf_limited_us"] - first["sndbuf_limited_us"]) / max(1, busy_us),
        "busy": busy_us * 1e3 / (last["time_ns"] - first["time_ns"]),
        "application": float(np.mean(frame["delivery_app_limited"].to_numpy() != 0)),
        "window used": float(np.mean(in_flight(frame) >= cwnd - slack)),
    }
    return shares | {"pace used": _pace_used(frame)} if congestion_control in PACED else shares


def _pace_used(frame: "polars.DataFrame") -> float:
    """Rate of acknowledged data over the mean pacing rate.

    The kernel's pacing rate is in bytes per second of whole packets; `pacing_rate_bps` is in bits.
    """
    first, last = frame.row(0, named=True), frame.row(-1, named=True)
    acked_bps = (last["bytes_acked"] - first["bytes_acked"]) * 8e9 / (last["time_ns"] - first["time_ns"])
    pacing_bps = float(np.mean(frame["pacing_rate_bps"].to_numpy().astype(np.float64)))
    return acked_bps / pacing_bps if pacing_bps > 0 else 0.0
