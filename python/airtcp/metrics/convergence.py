"""Convergence: when flows reach their fair shares, and when a value settles.

RFC 5166 asks under "Fairness and Convergence" for the time to converge to fairness between a flow that is
there and one that begins. Three definitions are here, all with the same form: the first time from which a
condition holds in every sample for a whole **hold time**. Reaching it for a moment is not convergence, and
a run that ends before the hold time is over did not show it.

1. `jain_convergence`: Jain's index in windows is at least `least`. For two flows of shares (1 + d)/2 and (1
   - d)/2 the index is 1 / (1 + d^2): 0.95 is d = 0.23.
2. `share_convergence`: every flow has its fair share within the factor 1 +- delta. For two flows that is
   the delta-fair convergence time of Bansal, Balakrishnan, Floyd and Shenker (Dynamic Behavior of
   Slowly-Responsive Congestion Control Algorithms, SIGCOMM 2001), which RFC 5166 names; delta is 0.1 there.
3. `settling`: one value (cwnd in alakoca2015, "converges to a fixed point") stays within a band around its
   final value: the settling time of control theory (Ogata, Modern Control Engineering: 2 % or 5 %). A
   congestion window swings, so the band is a parameter, 10 % by default.

Times are those of the first window's or sample's begin, so they are as fine as the windows' step.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from airtcp.metrics.arrays import Booleans, Floats, Integers
from airtcp.metrics.means import mean_over_time

if TYPE_CHECKING:
    import polars

JAIN_LEAST = 0.95
DELTA = 0.1
BAND = 0.1
# Ten steps of the windows of aoyagi2023: far longer than one loss and recovery at the RTTs of its networks.
HOLD_NS = 2_000_000_000
# The last part of the record, over which the final value is taken.
FINAL_SHARE = 0.25


@dataclass(frozen=True)
class Convergence:
    """When it converged (from the epoch), and how long after the time asked for; `None` if it did not."""

    at_ns: int | None
    after_ns: int | None


def held_from(starts_ns: Integers, stops_ns: Integers, inside: Booleans, hold_ns: int) -> int | None:
    """The first start from which the condition holds in all samples for `hold_ns`; `None` if there is none.

    Sample i says `inside[i]` of the time from `starts_ns[i]` to `stops_ns[i]`. The samples must cover the
    whole hold time without a gap.
    """
    begin_ns: int | None = None
    reached_ns = 0
    for start_ns, stop_ns, holds in zip(starts_ns.tolist(), stops_ns.tolist(), inside.tolist(), strict=True):
        if not holds:
            begin_ns = None
            continue
        if begin_ns is None or start_ns > reached_ns:
            begin_ns = start_ns
        reached_ns = stop_ns
        if reached_ns - begin_ns >= hold_ns:
            return int(begin_ns)
    return None


def jain_convergence(
    windows: "polars.DataFrame", since_ns: int, least: float = JAIN_LEAST, hold_ns: int = HOLD_NS
) -> Convergence:
    """When Jain's index of two flows or more stays at `least` or above, counted from `since_ns`.

    Takes what `fairness.jain_in_windows` gives, and its windows that begin at `since_ns` (the last flow's
    start) or later. A window with fewer than two flows shows no fairness.
    """
    later = windows.filter(windows["start_ns"] >= since_ns).sort("start_ns")
    inside = (later["jain"].fill_null(0.0) >= least) & (later["flows"] >= 2)
    return _convergence(later, inside.to_numpy(), since_ns, hold_ns)


def share_convergence(
    rates: "polars.DataFrame", since_ns: int, delta: float = DELTA, hold_ns: int = HOLD_NS
) -> Convergence:
    """When every flow stays within (1 +- delta) of the mean rate, counted from `since_ns`.

    Takes what `fairness.rates_from_packets` gives; the flows alive in a window count, at least two.
    """
    from polars import col

    later = rates.filter((col("start_ns") >= since_ns) & col("alive"))
    mean = col("rate_mbps").mean()
    # The last digits of a rate do not decide.
    far = ((col("rate_mbps") - mean).abs() > (delta + 1e-9) * mean).any()
    grouped = later.group_by("start_ns", "stop_ns").agg(
        inside=~far & (col("rate_mbps").len() >= 2) & (mean > 0)
    )
    ordered = grouped.sort("start_ns")
    return _convergence(ordered, ordered["inside"].to_numpy(), since_ns, hold_ns)


def settling(time_ns: Integers, values: Floats, stop_ns: int, band: float = BAND) -> Convergence:
    """When a value comes within `band` of its final value and stays there up to `stop_ns`, from its first
    sample.

    A sample holds to the next. The final value is the mean over the last quarter of the time; the value
    must stay in the band for all of that quarter, else it did not settle.
    """
    times = np.asarray(time_ns, np.int64)
    known = times < stop_ns
    times, sample = times[known], np.asarray(values, np.float64)[known]
    if times.size < 2:
        return Convergence(None, None)
    tail_ns = int(stop_ns - FINAL_SHARE * (stop_ns - times[0]))
    first = int(np.searchsorted(times, tail_ns, side="right")) - 1
    tail_times = np.maximum(times[first:], tail_ns)
    final = mean_over_time(tail_times, sample[first:], stop_ns)
    outside = np.flatnonzero(np.abs(sample - final) > band * abs(final))
    place = int(outside[-1]) + 1 if outside.size else 0
    if place >= times.size or times[place] > tail_ns:
        return Convergence(None, None)
    return Convergence(int(times[place]), int(times[place] - times[0]))


def _convergence(windows: "polars.DataFrame", inside: Booleans, since_ns: int, hold_ns: int) -> Convergence:
    starts, stops = windows["start_ns"].to_numpy(), windows["stop_ns"].to_numpy()
    at_ns = held_from(starts, stops, inside, hold_ns)
    return Convergence(at_ns, None if at_ns is None else at_ns - since_ns)
