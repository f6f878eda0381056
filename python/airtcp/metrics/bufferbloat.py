"""Bufferbloat: does the delay grow because a queue is there to be filled?

Bufferbloat is long delay from large queues that TCP keeps full (Gettys and Nichols, Bufferbloat: Dark
Buffers in the Internet, ACM Queue 9 (11), 2011). aoyagi2023, section 4.2, sees it in this: the bottleneck
is fully used, and the RTT under load is larger with a queue of 100 packets than with one of 20. The
definition here has two parts:

1. *Growth with load*: the mean RTT under load, with the largest queue, over the base RTT. A congestion
   control **loads the path** if this is 2 or more: it keeps more waiting than the empty path has in flight.
2. *Growth with the queue*: the mean RTT with the largest queue over that with the smallest. The delay
   **grows with the queue** if this is 2 or more, the geometric middle between no growth (1) and the
   fourfold that the paper reports of loss-based congestion controls for a queue five times as large.

It is **bufferbloat** if both hold. A congestion control that holds its own small queue (Vegas, BBR) loads
the path but does not grow with the queue: no bufferbloat. With one queue size, or if RTTs do not grow where
the link was not full (used less than 90 %: another limit kept the queue empty), the verdict is open, and
the reason says so. `exponent` says how RTT follows the queue's size, whatever its factor: 0 not at all, 1
in proportion.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

GROWTH_LEAST = 2.0
# Goodput of 9 Mbit/s of 10 is what aoyagi2023's figures show as filled.
FULL_SHARE_LEAST = 0.9

Verdict = Literal["bufferbloat", "no bufferbloat", "open"]


@dataclass(frozen=True)
class Loaded:
    """One queue size under load: mean RTT, and how much of the bottleneck was used if that is known."""

    queue_packets: int
    rtt_ms: float
    utilisation: float | None = None


@dataclass(frozen=True)
class Bufferbloat:
    """The verdict, why, and its numbers; growth with the queue is `None` with one queue size."""

    verdict: Verdict
    reason: str
    base_rtt_ms: float
    rtt_ms: dict[int, float]
    growth_with_load: float
    growth_with_queue: float | None
    exponent: float | None

    @property
    def grows_with_queue(self) -> bool | None:
        """Whether RTT grows with the queue; `None` if there is one size only."""
        return None if self.growth_with_queue is None else self.growth_with_queue >= GROWTH_LEAST

    def text(self) -> str:
        """The verdict with its reason."""
        return f"{self.verdict}: {self.reason}"


def judge_bufferbloat(base_rtt_ms: float, loaded: Sequence[Loaded]) -> Bufferbloat:
    """The verdict on one congestion control over one path with queues of different sizes.

    `base_rtt_ms` is the path's RTT without load: the mean of an idle network, or the least
    (`delay.base_rtt_ns`). No queue, two measurements of one size, or an RTT that is not above 0 is a
    `ValueError`.
    """
    by_queue = sorted(loaded, key=lambda one: one.queue_packets)
    sizes = [one.queue_packets for one in by_queue]
    if not by_queue or len(set(sizes)) < len(sizes) or sizes[0] <= 0:
        raise ValueError(f"queues of {sizes} packets: each size once, at least one, all above 0")
    if not all(rtt > 0 and math.isfinite(rtt) for rtt in (base_rtt_ms, *(one.rtt_ms for one in by_queue))):
        raise ValueError("an RTT is not above 0")
    small, large = by_queue[0], by_queue[-1]
    with_load = large.rtt_ms / base_rtt_ms
    with_queue = large.rtt_ms / small.rtt_ms if len(by_queue) > 1 else None
    verdict, reason = _decide(with_load, with_queue, by_queue)
    return Bufferbloat(
        verdict,
        reason,
        base_rtt_ms,
        {one.queue_packets: one.rtt_ms for one in by_queue},
        with_load,
        with_queue,
        math.log(with_queue) / math.log(sizes[-1] / sizes[0]) if with_queue is not None else None,
    )


def _decide(with_load: float, with_queue: float | None, by_queue: Sequence[Loaded]) -> tuple[Verdict, str]:
    load = f"RTT {with_load:.2f} times the base RTT under load"
    if with_queue is None:
        return "open", f"{load}; one queue size does not show growth with the queue"
    large = by_queue[-1]
    grown = f"{with_queue:.2f} times from {by_queue[0].queue_packets} to {large.queue_packets} packets"
    if with_load >= GROWTH_LEAST and with_queue >= GROWTH_LEAST:
        return "bufferbloat", f"{load}, {grown}"
    if large.utilisation is not None and large.utilisation < FULL_SHARE_LEAST:
        return "open", f"{load}, {grown}, but the link was used {large.utilisation:.0%} only"
    return "no bufferbloat", f"{load}, {grown}"
