"""The retransmission timeout (RTO, RFC 6298) of a flow: its value over time, and how often it ran out."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

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
    lost = known["ca_state"].to_numpy() == CA_LOSS
    weights = holding_ns(times, stop_ns)
    exact = "total_rto" in known.columns and known["total_rto"].null_count() == 0
    return RtoStatistics(
        mean_ms=mean_over_time(times, rto_ms, stop_ns),
        min_ms=float(rto_ms.min()),
        max_ms=float(rto_ms.max()),
        loss_share=float(weights[lost].sum() / weights.sum()),
        timeouts=int(known["total_rto"][-1]) if exact else int(np.sum(lost[1:] & ~lost[:-1]) + lost[0]),
        timeouts_exact=exact,
    )
