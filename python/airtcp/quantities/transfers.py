"""How long flows of a fixed size take, and their throughput as taank-peng has it."""

import numpy as np

from airtcp.metrics.transfer import seconds_until, transfer_rate_mbps
from airtcp.quantities.entity import Entity, Kind
from airtcp.quantities.quantity import Quantity
from airtcp.quantities.run_view import RunView


def _seconds(view: RunView, flow: int) -> float:
    return seconds_until(view.run.flow_plans[flow]["start_ns"], view.run.flow_reports[flow]["finished_ns"])


def transfer_times(view: RunView) -> list[Entity]:
    """Time in s of each flow; of those that ran to the end of the run, at least that."""
    made = []
    for flow in view.flows:
        start_ns, lasted = view.run.flow_plans[flow]["start_ns"], _seconds(view, flow)
        at_least = np.isnan(lasted)
        if at_least and view.run.end_ns > start_ns:
            lasted = seconds_until(start_ns, view.run.end_ns)
        if not np.isnan(lasted):
            values = np.array([start_ns]), np.array([lasted])
            made.append(Entity(view.flow_name(flow), *values, at_least=np.array([at_least])))
    return made


def transfer_rates(view: RunView) -> list[Entity]:
    """Bytes of each flow that ended per its time, in Mbit/s."""
    made = []
    for flow in view.flows:
        lasted, octets = _seconds(view, flow), view.run.flow_reports[flow]["bytes_received"]
        if not np.isnan(lasted):
            times_ns = np.array([view.run.flow_plans[flow]["start_ns"]])
            rate = np.array([transfer_rate_mbps(octets, lasted)])
            made.append(Entity(view.flow_name(flow), times_ns, rate, at_least=np.array([False])))
    return made


QUANTITIES = {
    "transfer_time": Quantity(
        "Transfer time",
        "s",
        "time from a flow's start to the receiver having its last byte; of flows that did not end, at least "
        "the time that they had taken; number: mean of those that ended",
        entities=transfer_times,
        kind=Kind.EVENT,
    ),
    "transfer_rate": Quantity(
        "Throughput of the transfer",
        "Mbit/s",
        "bytes of a flow that ended per its transfer time; number: mean over flows",
        entities=transfer_rates,
        kind=Kind.EVENT,
    ),
}
