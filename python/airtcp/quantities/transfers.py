"""How long flows of a fixed size take, and their throughput as taank-peng has it."""

import numpy as np

from airtcp.metrics.means import mean_of_known
from airtcp.metrics.survival import Sample
from airtcp.metrics.transfer import seconds_until, transfer_rate_mbps
from airtcp.quantities.metric_view import MetricView
from airtcp.quantities.quantity import Quantity, Values


def _seconds(view: MetricView, flow: int) -> float:
    return seconds_until(view.run.flow_plans[flow]["start_ns"], view.run.flow_reports[flow]["finished_ns"])


def transfer_time(view: MetricView) -> float:
    """Mean over the chosen flows of those that ended."""
    return mean_of_known([_seconds(view, flow) for flow in view.flows])


def transfer_rate(view: MetricView) -> float:
    """Bytes of a transfer per its time, in Mbit/s; mean over the chosen flows."""
    reports = view.run.flow_reports
    return mean_of_known(
        [transfer_rate_mbps(reports[flow]["bytes_received"], _seconds(view, flow)) for flow in view.flows]
    )


def by_flow(view: MetricView) -> Values:
    """Time in s of each flow; of those that ran to the end of the run, at least that (censored)."""
    found = {}
    for flow in view.flows:
        lasted = _seconds(view, flow)
        if not np.isnan(lasted):
            found[view.flow_name(flow)] = Sample(np.array([lasted]))
        elif view.run.end_ns > view.run.flow_plans[flow]["start_ns"]:
            until_end = seconds_until(view.run.flow_plans[flow]["start_ns"], view.run.end_ns)
            found[view.flow_name(flow)] = Sample(np.empty(0), np.array([until_end]))
    return found


QUANTITIES = {
    "transfer_time": Quantity(
        "transfer time",
        "s",
        "time from a flow's start to the receiver having its last byte, mean over flows that ended",
        number=transfer_time,
    ),
    "transfer_rate": Quantity(
        "throughput of the transfer",
        "Mbit/s",
        "bytes of a flow per its transfer time, mean over flows that ended",
        number=transfer_rate,
    ),
    "flow_time": Quantity(
        "time of a flow",
        "s",
        "transfer time of each flow; of those that did not end, at least that",
        values=by_flow,
    ),
}
