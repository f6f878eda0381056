"""Goodput of flows, bytes that the receiver's TCP delivered in order per time, and their power."""

from typing import TYPE_CHECKING

import numpy as np

from airtcp.metrics.arrays import Floats, Integers
from airtcp.metrics.means import mean_of_known
from airtcp.metrics.power import mean_rtt_ms, power, power_in_bins
from airtcp.metrics.survival import Sample
from airtcp.metrics.throughput import counted_from_ns, goodput_bps
from airtcp.quantities.flows import flow_time
from airtcp.quantities.line import Join, Line, rates_line
from airtcp.quantities.metric_file import MetricFile
from airtcp.quantities.metric_view import MetricView
from airtcp.quantities.quantity import Drawing, Lines, Quantity, Values
from airtcp.quantities.run_view import RunView
from airtcp.quantities.whole_run import WholeRun

if TYPE_CHECKING:
    import polars

# Mbit/s and its like to bits per second; papers of ns-2 count bytes of 1000.
UNITS = {"Mbit/s": 1e6, "kbit/s": 1e3, "KB/s": 8e3, "MB/s": 8e6}


def received_counter(view: RunView, flow: int, frame: "polars.DataFrame") -> tuple[Integers, Floats]:
    """Bytes received by time; nothing was before the flow's start, which may lie between two samples."""
    times_ns, counts = frame["time_ns"].to_numpy(), frame["bytes_received"].to_numpy()
    return counted_from_ns(times_ns, counts, view.run.flow_plans[flow]["start_ns"])


def received_rate(view: RunView) -> list[Line]:
    """Goodput at the receiver in Mbit/s."""
    lines = []
    for flow, label, frame in view.flow_rows("flows", udp=True):
        times_ns, counts = received_counter(view, flow, frame)
        lines.append(rates_line(label, times_ns, counts, view.bin_ns("flows"), 8e-6))
    return lines


def _rates(view: MetricView, flows: list[int], edges: Integers) -> Floats:
    """Rates of all these flows together in each bin, in the unit asked for."""
    rates = goodput_bps([view.received(flow) for flow in flows], edges)
    return rates / UNITS[view.arguments.unit or "Mbit/s"]


def _by_flow(view: MetricView) -> Values:
    """Goodput of each flow in the bins of the span between its begin and its end."""
    edges, found = view.edges_ns(), {}
    for flow in view.flows:
        begin_ns, end_ns = view.times_ns[flow]
        own = edges[(edges >= begin_ns) & (edges <= end_ns)]
        if own.size > 1:
            found[view.flow_name(flow)] = Sample(_rates(view, [flow], own))
    return found


def throughput(view: MetricView) -> float:
    """All chosen flows together, over the span."""
    span = np.array([view.start_ns, view.stop_ns])
    return float(_rates(view, view.flows, span)[0]) if span[1] > span[0] else float("nan")


def throughput_least(view: MetricView) -> float:
    """The least bin."""
    return float(_rates(view, view.flows, view.edges_ns()).min())


def throughput_most(view: MetricView) -> float:
    """The highest bin."""
    return float(_rates(view, view.flows, view.edges_ns()).max())


def throughput_deviation(view: MetricView) -> float:
    """Standard deviation (n - 1) over the bins."""
    rates = _rates(view, view.flows, view.edges_ns())
    return float(rates.std(ddof=1)) if rates.size > 1 else float("nan")


def _over_time(view: MetricView, flows: list[int]) -> tuple[Floats, Floats]:
    """The rate of each bin, at the bin's end."""
    edges = view.edges_ns()
    return edges[1:] / 1e9, _rates(view, flows, edges)


def throughput_over_time(view: MetricView) -> Lines:
    """All chosen flows together in bins."""
    return {"": _over_time(view, view.flows)}


def flow_rates_over_time(view: MetricView) -> Lines:
    """Each chosen flow in bins."""
    return {view.flow_name(flow): _over_time(view, [flow]) for flow in view.flows}


def goodput_mbps(whole: WholeRun) -> float:
    """What all flows delivered, over the time in which flows ran."""
    start_ns, stop_ns = whole.time_ns
    total = 0.0
    for flow, rate in whole.rates.items():
        if rate is None:
            return float("nan")
        begin_ns, end_ns = flow_time(whole.run, flow)
        total += rate.mean_mbps * (end_ns - begin_ns) / max(1, stop_ns - start_ns)
    return total if whole.rates else float("nan")


def power_of_flows(view: MetricView) -> float:
    """Goodput over mean round-trip time of each chosen TCP flow in the span, and of these the mean."""
    found = []
    for flow in view.tcp_flows:
        begin_ns, end_ns = (min(max(time_ns, view.start_ns), view.stop_ns) for time_ns in view.times_ns[flow])
        if begin_ns < end_ns:
            rate_bps = goodput_bps([view.received(flow)], np.array([begin_ns, end_ns]))[0]
            samples = view.samples(flow)
            rtt_ms = mean_rtt_ms(samples["time_ns"].to_numpy(), samples["srtt_us"].to_numpy(), end_ns)
            found.append(power(float(rate_bps) / 1e6, rtt_ms))
    return mean_of_known(found)


def power_of_run(whole: WholeRun) -> float:
    """The same of every TCP flow that began, over its own time."""
    return power_of_flows(MetricView(whole.run, MetricFile())) if whole.is_sampled else float("nan")


def power_over_time(view: RunView) -> list[Line]:
    """The power of each flow in bins."""
    lines = []
    for flow, label, frame in view.flow_rows("flows"):
        counter = received_counter(view, flow, frame)
        rtts = frame["time_ns"].to_numpy(), frame["srtt_us"].to_numpy()
        edges_ns, values = power_in_bins(counter, *rtts, view.bin_ns("flows"))
        steps = (*values[:1].tolist(), *values.tolist())
        lines.append(Line(label, tuple((edges_ns / 1e9).tolist()), steps, join=Join.SINCE))
    return lines


_TOGETHER = "goodput of the chosen flows together"

QUANTITIES = {
    "rate": Quantity(
        "goodput",
        "Mbit/s",
        "goodput of each flow at its receiver",
        ("flows",),
        drawing=Drawing("Received\nin order [Mbit/s]", received_rate, rate_of=("flows",)),
    ),
    "throughput": Quantity(
        "throughput",
        "Mbit/s",
        f"{_TOGETHER}, over the span; values: of each flow in each `bin`",
        ("flows",),
        number=throughput,
        values=_by_flow,
        units=UNITS,
    ),
    "throughput_least": Quantity(
        "least throughput",
        "Mbit/s",
        f"{_TOGETHER} in the `bin` with the least",
        ("flows",),
        number=throughput_least,
        units=UNITS,
    ),
    "throughput_most": Quantity(
        "highest throughput",
        "Mbit/s",
        f"{_TOGETHER} in the `bin` with the most",
        ("flows",),
        number=throughput_most,
        units=UNITS,
    ),
    "throughput_deviation": Quantity(
        "deviation of throughput",
        "Mbit/s",
        f"standard deviation over each `bin` of the {_TOGETHER}",
        ("flows",),
        number=throughput_deviation,
        units=UNITS,
    ),
    "throughput_over_time": Quantity(
        "throughput",
        "Mbit/s",
        f"{_TOGETHER} in each `bin`",
        ("flows",),
        lines=throughput_over_time,
        units=UNITS,
    ),
    "flow_rates_over_time": Quantity(
        "throughput",
        "Mbit/s",
        "goodput of each chosen flow in each `bin`",
        ("flows",),
        lines=flow_rates_over_time,
        units=UNITS,
    ),
    "goodput_mbps": Quantity(
        "Goodput",
        "Mbit/s",
        "goodput of all flows together, over the time in which flows ran",
        ("flows",),
        of_run=goodput_mbps,
        higher_is_better=True,
    ),
    "power": Quantity(
        "Power",
        "Mbit/s per s",
        "goodput over mean smoothed RTT of each TCP flow (Kleinrock's power); number: mean over flows",
        ("flows",),
        1,
        number=power_of_flows,
        of_run=power_of_run,
        drawing=Drawing("Goodput / srtt\n[Mbit/s per s]", power_over_time, rate_of=("flows",)),
        higher_is_better=True,
    ),
}
