"""How flows share: Jain's index in windows, and how steady each flow's rate is."""

import math
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
from airtcp.metrics.windows import Windows
from airtcp.quantities.entity import Entity, Kind
from airtcp.quantities.flows import begun_flows
from airtcp.quantities.goodput import mean_goodput_mbps
from airtcp.quantities.quantity import Override, Quantity
from airtcp.quantities.run_view import RunView

if TYPE_CHECKING:
    import polars


def _rates(view: RunView) -> "polars.DataFrame":
    """Every chosen flow's rate in every window."""
    samples = view.series("flows").select("time_ns", "flow", "bytes_received")
    windows = Windows(view.start_ns, view.stop_ns, view.arguments.window, view.arguments.step)
    lifetimes = {flow: view.flow_time(flow) for flow in view.flows}
    return rates_from_counters(samples.filter(samples["flow"].is_in(view.flows)), windows, lifetimes)


def jain_windows(view: RunView) -> list[Entity]:
    """Jain's index of each window in which a flow was active, at the window's begin."""
    # Of one flow there is none, as of the means.
    if len(view.flows) < 2:
        return []
    found = jain_in_windows(_rates(view), view.arguments.active).drop_nulls("jain")
    return [Entity("", found["start_ns"].to_numpy(), found["jain"].to_numpy())]


def jain_of_means(view: RunView) -> float:
    """Of the mean goodputs of the chosen flows that began, each over its own time.

    Of one flow, or where one is not known, there is none.
    """
    if view.flows:
        view.series("flows")
    chosen = (flow for flow in begun_flows(view.run) if flow in view.flows)
    rates = [mean_goodput_mbps(view.run, flow) for flow in chosen]
    known = [rate for rate in rates if not math.isnan(rate)]
    return jain_index(known) if len(known) == len(rates) > 1 else math.nan


def jain_share(view: RunView) -> float:
    """Share of windows whose index is at least `least` and at most `most`."""
    every = np.concatenate([np.empty(0), *(entity.values for entity in jain_windows(view))])
    return share_of_windows(every, view.arguments.least, view.arguments.most)


def rate_deviation(view: RunView) -> float:
    """Coefficient of variation of a flow's rate over the windows it lives throughout, mean over flows."""
    return mean_of_known(rate_deviation_throughout(_rates(view))) if view.flows else float("nan")


_WINDOWS = "in windows of `window` moved by `step`, of the flows that `active` names"

QUANTITIES = {
    "jain_index": Quantity(
        "Jain's index",
        "",
        "Jain's index of the flows' mean goodputs, each over its own time; of one flow there is none",
        ("flows",),
        3,
        override=Override("it compares the flows with each other", jain_of_means),
        higher_is_better=True,
        most=1.0,
    ),
    "jain": Quantity(
        "Jain's index in windows",
        "",
        f"Jain's index {_WINDOWS}; number: mean over windows",
        ("flows",),
        3,
        entities=jain_windows,
        kind=Kind.EVENT,
        most=1.0,
    ),
    "jain_share": Quantity(
        "Share of windows",
        "",
        f"share of windows with an index from `least` to `most`, {_WINDOWS}",
        ("flows",),
        3,
        override=Override("a share of windows, not a value of each", jain_share),
        most=1.0,
    ),
    "rate_deviation": Quantity(
        "Variation of a flow's rate",
        "",
        "coefficient of variation of a flow's rate over the windows in which it lived throughout, mean "
        "over flows",
        ("flows",),
        3,
        override=Override("a deviation over windows, not a value of each", rate_deviation),
    ),
}
