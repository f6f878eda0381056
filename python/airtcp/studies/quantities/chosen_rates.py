"""What rate control chose: rates of data PPDUs by their time on the air, probes, how soon a rate was found.

All are of the data PPDUs that the chosen nodes (`node`) sent in the span, and need `[sampling] ppdus = true`.
"""

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import numpy as np

from airtcp.metrics.arrays import Floats
from airtcp.studies.quantities.quantity import Quantity
from airtcp.studies.quantities.view import View

if TYPE_CHECKING:
    import polars

DATA, RECEIVED = 0, 0
# One MPDU at most: 2304 octets of MSDU (IEEE 802.11-2020, table 9-25), headers, FCS and delimiter.
MPDU_BYTES_MOST = 2400
# Of a distribution: enough for steps of half a percent.
QUANTILES = 200
# Of what is delivered in the end, and the part of the span that is the end.
REACHED_SHARE, FINAL_SHARE = 0.9, 0.25


def _ppdus(view: View) -> "polars.DataFrame":
    from polars import col

    nodes = [nic["node"] for nic in view.run.plan["air"]["nics"]]
    nics = [n for n, node in enumerate(nodes) if fnmatchcase(node, view.arguments.node)]
    chosen = (col("kind") == DATA) & col("nic").is_in(nics)
    in_time = col("start_ns").is_between(view.start_ns, view.stop_ns)
    frame = view.run.series("ppdus").filter(chosen & in_time).sort("start_ns", maintain_order=True)
    return frame.with_columns((col("end_ns") - col("start_ns")).alias("time_ns"))


def chosen_rate(view: View) -> float:
    """Mean PHY rate in Mbit/s, weighted with time on the air."""
    frame = _ppdus(view)
    total_ns = int(frame["time_ns"].sum())
    return float((frame["rate_bps"] * frame["time_ns"]).sum()) / total_ns / 1e6 if total_ns else float("nan")


def chosen_rates(view: View) -> Floats:
    """PHY rates in Mbit/s at equal steps of the time on the air: their distribution over it."""
    frame = _ppdus(view).sort("rate_bps", maintain_order=True)
    if not frame.height:
        return np.empty(0)
    until = frame["time_ns"].cum_sum().to_numpy()
    places = np.searchsorted(until, (np.arange(QUANTILES) + 0.5) / QUANTILES * until[-1])
    return np.asarray(frame["rate_bps"].to_numpy()[places] / 1e6, np.float64)


def upward_probes(view: View) -> float:
    """PPDUs of one MPDU per second that were faster than the rate with most time on the air."""
    from polars import col

    frame = _ppdus(view)
    span_s = (view.stop_ns - view.start_ns) / 1e9
    if not frame.height or span_s <= 0:
        return float("nan")
    times = frame.group_by("rate_bps").agg(col("time_ns").sum()).sort("time_ns", "rate_bps")
    usual = times["rate_bps"][-1]
    return frame.filter((col("rate_bps") > usual) & (col("bytes") <= MPDU_BYTES_MOST)).height / span_s


def rate_reached(view: View) -> float:
    """Seconds from the span's begin to the end of the first bin with 90 % of what the last quarter delivers.

    Delivered: octets of PPDUs that were received. NaN if there is none.
    """
    from polars import col

    frame = _ppdus(view).filter(col("outcome") == RECEIVED)
    edges = view.edges_ns()
    sums, _ = np.histogram(frame["end_ns"].to_numpy(), edges, weights=frame["bytes"].to_numpy())
    final = sums[-max(1, int(FINAL_SHARE * sums.size)) :].mean()
    there = np.flatnonzero(sums >= REACHED_SHARE * final)
    return float(edges[there[0] + 1] - edges[0]) / 1e9 if final > 0 and there.size else float("nan")


QUANTITIES = {
    "chosen_rate": Quantity("PHY rate by time on the air", "Mbit/s", 1, number=chosen_rate),
    "chosen_rates": Quantity("PHY rate by time on the air", "Mbit/s", 1, samples=chosen_rates),
    "upward_probes": Quantity("probes of faster rates", "1/s", 1, number=upward_probes),
    "rate_reached": Quantity("time to 90 % of the final rate", "s", 2, number=rate_reached),
}
