"""How flows share: Jain's index in windows, and how steady each flow's rate is."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from airtcp.metrics.fairness import (
    jain_in_windows,
    jain_index,
    rate_deviation_throughout,
    rates_from_counters,
    share_of_windows,
)
from airtcp.metrics.means import mean_of_known
from airtcp.metrics.survival import Sample
from airtcp.metrics.throughput import Throughput
from airtcp.metrics.windows import Windows
from airtcp.quantities.flows import flow_throughput
from airtcp.quantities.metric_view import MetricView
from airtcp.quantities.quantity import Quantity
from airtcp.quantities.whole_run import WholeRun

if TYPE_CHECKING:
    import polars


def _rates(view: MetricView) -> "polars.DataFrame":
    """Every chosen flow's rate in every window."""
    from polars import col

    samples = view.run.series("flows", "time_ns", "flow", "bytes_received")
    windows = Windows(view.start_ns, view.stop_ns, view.arguments.window, view.arguments.step)
    return rates_from_counters(samples.filter(col("flow").is_in(view.flows)), windows, view.times_ns)


def jain_windows(view: MetricView) -> Sample:
    """Jain's index of each window in which a flow was active."""
    found = jain_in_windows(_rates(view), view.arguments.active)["jain"].drop_nulls()
    return Sample(np.asarray(found.to_numpy(), np.float64))


def jain(view: MetricView) -> float:
    """Mean over windows."""
    values = jain_windows(view).known
    return float(values.mean()) if values.size else float("nan")


def jain_of_means(view: MetricView) -> float:
    """Of the mean goodputs of the chosen flows, each over its own time."""
    return _jain_of([flow_throughput(view.run, flow) for flow in view.flows])


def jain_of_run(whole: WholeRun) -> float:
    """Of the mean goodputs of all flows that began, each over its own time."""
    return _jain_of(list(whole.rates.values()))


def _jain_of(rates: Sequence[Throughput | None]) -> float:
    """Jain's index of mean goodputs; of one flow, or where one is not known, there is none."""
    known = [rate.mean_mbps for rate in rates if rate is not None]
    return jain_index(known) if len(known) == len(rates) > 1 else float("nan")


def jain_median(view: MetricView) -> float:
    """Median over windows."""
    values = jain_windows(view).known
    return float(np.median(values)) if values.size else float("nan")


def jain_share(view: MetricView) -> float:
    """Share of windows whose index is at least `least` and at most `most`."""
    return share_of_windows(jain_windows(view).known, view.arguments.least, view.arguments.most)


def rate_deviation(view: MetricView) -> float:
    """Coefficient of variation of a flow's rate over the windows it lives throughout, mean over flows."""
    return mean_of_known(rate_deviation_throughout(_rates(view)))


_WINDOWS = "in windows of `window` moved by `step`, of the flows that `active` names"

QUANTITIES = {
    "jain_index": Quantity(
        "Jain's index",
        "",
        "Jain's index of the flows' mean goodputs, each over its own time; of one flow there is none",
        ("flows",),
        3,
        number=jain_of_means,
        of_run=jain_of_run,
        higher_is_better=True,
    ),
    "jain": Quantity(
        "mean of Jain's index in windows", "", f"mean of Jain's index {_WINDOWS}", ("flows",), 3, number=jain
    ),
    "jain_median": Quantity(
        "median of Jain's index in windows",
        "",
        f"median of Jain's index {_WINDOWS}",
        ("flows",),
        3,
        number=jain_median,
    ),
    "jain_share": Quantity(
        "share of windows",
        "",
        f"share of windows with an index from `least` to `most`, {_WINDOWS}",
        ("flows",),
        3,
        number=jain_share,
    ),
    "jain_windows": Quantity(
        "Jain's index in windows", "", f"Jain's index {_WINDOWS}", ("flows",), 3, samples=jain_windows
    ),
    "rate_deviation": Quantity(
        "variation of a flow's rate",
        "",
        "coefficient of variation of a flow's rate over the windows in which it lived throughout, mean "
        "over flows",
        ("flows",),
        3,
        number=rate_deviation,
    ),
}
