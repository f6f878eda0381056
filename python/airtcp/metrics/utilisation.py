"""How much of a link's rate, or of a medium's time, was used."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from airtcp.metrics.arrays import Floats, Integers
from airtcp.metrics.counter import count_at
from airtcp.metrics.windows import Windows


def link_utilisation(
    time_ns: Integers, carried_bytes: Integers, windows: Windows, rate_mbps: float
) -> Floats:
    """Bits that a link carried in each window, over what its rate allows: RFC 5136's IP-layer utilisation.

    `carried_bytes` is a counter of bytes in the layer that `rate_mbps` is given for: airtcp's wires and
    Linux's qdiscs count Ethernet frames without preamble, gap and FCS. An edge of a window stands for the
    last sample at or before it. A share above 1 is not cut off; it says that the bytes and the rate are not
    of one layer, or that the samples are too far apart for the windows.
    """
    if rate_mbps <= 0:
        raise ValueError(f"a link of {rate_mbps} Mbit/s")
    before = count_at(time_ns, carried_bytes, windows.starts_ns)
    carried = (count_at(time_ns, carried_bytes, windows.stops_ns) - before).astype(np.float64)
    shares: Floats = carried * (8e3 / (windows.length_ns * rate_mbps))
    return shares


@dataclass(frozen=True)
class MediumUse:
    """Shares of a medium's time, which add up to 1.

    data: one PPDU with data or a beacon is on the air, undisturbed; control: ACK, BlockAck, RTS, CTS,
    BlockAckReq, and the SIFS inside exchanges; collision: PPDUs overlap, or the rest of such; contention:
    silence while somebody waits for access or for a response that does not come; idle: silence that nobody
    wanted to end.
    """

    data: float
    control: float
    collision: float
    contention: float
    idle: float

    @property
    def busy(self) -> float:
        """The share that is neither contention nor idle: data, control and collisions."""
        return self.data + self.control + self.collision


def medium_use(report: Mapping[str, int]) -> MediumUse | None:
    """The use of a medium from its part of a run's report (ns of each kind); `None` if no time passed."""
    fields = ("data_ns", "response_ns", "collision_ns", "contention_ns", "idle_ns")
    parts = [int(report[field]) for field in fields]
    if min(parts) < 0:
        raise ValueError(f"a part of the medium's time is negative: {dict(zip(fields, parts, strict=True))}")
    total_ns = sum(parts)
    return MediumUse(*(part / total_ns for part in parts)) if total_ns else None


def busy_shares(start_ns: Integers, end_ns: Integers, windows: Windows) -> Floats:
    """The share of each window in which at least one PPDU was on the air, from the PPDUs of one medium.

    PPDUs `[start, end)` that overlap (collisions) count once. SIFS is idle here, unlike in `medium_use`.
    """
    starts, ends = np.asarray(start_ns, np.int64), np.asarray(end_ns, np.int64)
    if np.any(ends < starts):
        raise ValueError("a PPDU ends before it starts")
    if starts.size == 0:
        return np.zeros(windows.starts_ns.size)
    order = np.argsort(starts, kind="stable")
    starts, reached = starts[order], np.maximum.accumulate(ends[order])
    fresh = np.concatenate(([True], starts[1:] > reached[:-1]))
    begins = starts[fresh]
    finishes = reached[np.concatenate((np.flatnonzero(fresh)[1:] - 1, [reached.size - 1]))]
    busy = _busy_before(begins, finishes, windows.stops_ns) - _busy_before(
        begins, finishes, windows.starts_ns
    )
    shares: Floats = busy / windows.length_ns
    return shares


def _busy_before(begins: Integers, finishes: Integers, at_ns: Integers) -> Integers:
    """Busy time up to each moment, of busy times that do not overlap."""
    before = np.concatenate(([0], np.cumsum(finishes - begins)))
    place = np.searchsorted(begins, at_ns, side="right") - 1
    known = np.maximum(place, 0)
    within = np.clip(at_ns - begins[known], 0, finishes[known] - begins[known])
    return np.where(place >= 0, before[known] + within, 0)
