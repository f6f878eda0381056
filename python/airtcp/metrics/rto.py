"""The retransmission timeout (RTO, RFC 6298) of a flow: its value over time, and how often it ran out."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from airtcp.metrics.arrays import Booleans, Integers
from airtcp.metrics.means import holding_ns, mean_over_time

if TYPE_CHECKING:
    import polars

# TCP_CA_Loss of enum tcp_ca_state (include/uapi/linux/tcp.h): the RTO ran out, what was lost is sent again.
CA_LOSS = 4


@dataclass(frozen=True)
class RtoStatistics:
    """The RTO of one flow, in ms, over its samples.

    The mean is over time (taank-peng averages the RTO read from tcp_info at even intervals, which is the
    same). `loss_share` is the share of time in the state TCP_CA_Loss. `timeouts` counts how often the RTO
    ran out. With the kernel's own counter (`total_rto`: tcpi_total_rto, Linux 6.7 and later) it is exact,
    and counts repeated timeouts of one segment and of SYN too; without it, it counts the times a sample in
    TCP_CA_Loss follows one that is not, which misses what begins and ends between two samples
    (`timeouts_exact` is false: a least number).
    """

    mean_ms: float
    min_ms: float
    max_ms: float
    loss_share: float
    timeouts: int
    timeouts_exact: bool


def rto_statistics(samples: "polars.DataFrame", stop_ns: int) -> RtoStatistics | None:
    """Of one flow's samples (`time_ns`, `rto_us`, `ca_state`, perhaps `total_rto`) in the order of time.

    The last sample holds to `stop_ns`; samples after it are left out. `None` if there is none before it.
    """
    known = samples.filter(samples["time_ns"] < stop_ns)
    if known.height == 0:
        return None
    times = known["time_ns"].to_numpy()
    rto_ms = known["rto_us"].to_numpy() / 1e3
    lost = _in_loss(known)
    weights = holding_ns(times, stop_ns)
    return RtoStatistics(
        mean_ms=mean_over_time(times, rto_ms, stop_ns),
        min_ms=float(rto_ms.min()),
        max_ms=float(rto_ms.max()),
        loss_share=float(weights[lost].sum() / weights.sum()),
        timeouts=int(timeouts_so_far(known)[-1]),
        timeouts_exact=_are_counted(known),
    )


def timeouts_so_far(samples: "polars.DataFrame") -> Integers:
    """How often the RTO had run out at each sample (`RtoStatistics`)."""
    if _are_counted(samples):
        return samples["total_rto"].to_numpy().astype(np.int64)
    lost = _in_loss(samples)
    begins: Integers = np.cumsum(lost & ~np.concatenate(([False], lost[:-1])))
    return begins


def _are_counted(samples: "polars.DataFrame") -> bool:
    """Whether the kernel counted timeouts itself."""
    return "total_rto" in samples.columns and samples["total_rto"].null_count() == 0


def _in_loss(samples: "polars.DataFrame") -> Booleans:
    lost: Booleans = samples["ca_state"].to_numpy() == CA_LOSS
    return lost
