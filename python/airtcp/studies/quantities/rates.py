"""Throughput of flows, total and over time: goodput, bytes that the receiver's TCP delivered in order."""

import numpy as np

from airtcp.metrics.arrays import Floats
from airtcp.metrics.counter import count_at
from airtcp.metrics.survival import Sample
from airtcp.studies.quantities.quantity import Lines, Quantity, Values
from airtcp.studies.quantities.view import View

# Mbit/s and its like to bits per second; papers of ns-2 count bytes of 1000.
UNITS = {"Mbit/s": 1e6, "kbit/s": 1e3, "KB/s": 8e3, "MB/s": 8e6}


def _rates(view: View, flows: list[int]) -> Floats:
    """Rates of all these flows together in each bin of the span, in the unit asked for."""
    edges = view.edges_ns()
    total = np.zeros(edges.size - 1)
    for flow in flows:
        total += np.diff(count_at(*view.received(flow), edges))
    scale = UNITS[view.arguments.unit or "Mbit/s"]
    return np.asarray(total * 8e9 / view.arguments.bin / scale, np.float64)


def _by_flow(view: View) -> Values:
    """Goodput of each flow in the bins of the span between its begin and its end, in the unit asked for."""
    edges, found = view.edges_ns(), {}
    scale = UNITS[view.arguments.unit or "Mbit/s"]
    for flow in view.flows:
        begin_ns, end_ns = view.times_ns[flow]
        own = edges[(edges >= begin_ns) & (edges <= end_ns)]
        if own.size > 1:
            received = np.diff(count_at(*view.received(flow), own))
            found[view.flow_name(flow)] = Sample(received * 8e9 / np.diff(own) / scale)
    return found


def throughput(view: View) -> float:
    """All chosen flows together, over the span."""
    span = np.array([view.start_ns, view.stop_ns])
    if span[1] <= span[0]:
        return float("nan")
    received = sum(float(np.diff(count_at(*view.received(flow), span))[0]) for flow in view.flows)
    return received * 8e9 / float(span[1] - span[0]) / UNITS[view.arguments.unit or "Mbit/s"]


def throughput_least(view: View) -> float:
    """The least bin."""
    return float(_rates(view, view.flows).min())


def throughput_most(view: View) -> float:
    """The highest bin."""
    return float(_rates(view, view.flows).max())


def throughput_deviation(view: View) -> float:
    """Standard deviation (n - 1) over the bins."""
    rates = _rates(view, view.flows)
    return float(rates.std(ddof=1)) if rates.size > 1 else float("nan")


def _over_time(view: View, flows: list[int]) -> tuple[Floats, Floats]:
    """The rate of each bin, at the bin's end."""
    edges = view.edges_ns()
    return edges[1:] / 1e9, _rates(view, flows)


def throughput_over_time(view: View) -> Lines:
    """All chosen flows together in bins."""
    return {"": _over_time(view, view.flows)}


def flow_rates_over_time(view: View) -> Lines:
    """Each chosen flow in bins."""
    return {view.flow_name(flow): _over_time(view, [flow]) for flow in view.flows}


QUANTITIES = {
    "throughput": Quantity("throughput", "Mbit/s", number=throughput, values=_by_flow, units=UNITS),
    "throughput_least": Quantity("least throughput", "Mbit/s", number=throughput_least, units=UNITS),
    "throughput_most": Quantity("highest throughput", "Mbit/s", number=throughput_most, units=UNITS),
    "throughput_deviation": Quantity(
        "deviation of throughput", "Mbit/s", number=throughput_deviation, units=UNITS
    ),
    "throughput_over_time": Quantity("throughput", "Mbit/s", lines=throughput_over_time, units=UNITS),
    "flow_rates_over_time": Quantity("throughput", "Mbit/s", lines=flow_rates_over_time, units=UNITS),
}
