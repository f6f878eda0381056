"""How flows share: Jain's index in windows, and how steady each flow's rate is."""

from typing import TYPE_CHECKING

import numpy as np

from airtcp.metrics.arrays import Floats
from airtcp.metrics.fairness import jain_in_windows, jain_index, rates_from_counters
from airtcp.metrics.windows import Windows
from airtcp.report.run_report import flow_throughput
from airtcp.studies.quantities.quantity import Quantity, mean_of
from airtcp.studies.quantities.view import View

if TYPE_CHECKING:
    import polars


def _rates(view: View) -> "polars.DataFrame":
    """Every chosen flow's rate in every window."""
    from polars import col

    samples = view.run.series("flows", "time_ns", "flow", "bytes_received")
    windows = Windows(view.start_ns, view.stop_ns, view.arguments.window, view.arguments.step)
    return rates_from_counters(samples.filter(col("flow").is_in(view.flows)), windows, view.times_ns)


def jain_windows(view: View) -> Floats:
    """Jain's index of each window in which a flow was active."""
    found = jain_in_windows(_rates(view), view.arguments.active)["jain"].drop_nulls()
    return np.asarray(found.to_numpy(), np.float64)


def jain(view: View) -> float:
    """Mean over windows."""
    values = jain_windows(view)
    return float(values.mean()) if values.size else float("nan")


def jain_of_means(view: View) -> float:
    """Of the flows' mean goodputs, each over its own time, as in reports; of one flow there is none."""
    rates = [flow_throughput(view.run, flow) for flow in view.flows]
    known = [rate.mean_mbps for rate in rates if rate is not None]
    return jain_index(known) if len(known) == len(rates) > 1 else float("nan")


def jain_median(view: View) -> float:
    """Median over windows."""
    values = jain_windows(view)
    return float(np.median(values)) if values.size else float("nan")


def jain_share(view: View) -> float:
    """Share of windows whose index is at least `least` and at most `most`."""
    values = jain_windows(view)
    low = -np.inf if view.arguments.least is None else view.arguments.least
    high = np.inf if view.arguments.most is None else view.arguments.most
    return float(np.mean((values >= low) & (values <= high))) if values.size else float("nan")


def rate_deviation(view: View) -> float:
    """Coefficient of variation of a flow's rate over the windows it lives throughout, mean over flows."""
    rates = _rates(view)
    found = []
    for _, frame in rates.filter(rates["throughout"]).group_by("flow", maintain_order=True):
        values = frame["rate_mbps"].to_numpy()
        found.append(values.std(ddof=1) / values.mean() if values.size > 1 and values.mean() > 0 else np.nan)
    return mean_of(found)


QUANTITIES = {
    "jain_index": Quantity("Jain's index", "", 3, number=jain_of_means),
    "jain": Quantity("mean of Jain's index in windows", "", 3, number=jain),
    "jain_median": Quantity("median of Jain's index in windows", "", 3, number=jain_median),
    "jain_share": Quantity("share of windows", "", 3, number=jain_share),
    "rate_deviation": Quantity("variation of a flow's rate", "", 3, number=rate_deviation),
    "jain_windows": Quantity("Jain's index in windows", "", 3, samples=jain_windows),
}
