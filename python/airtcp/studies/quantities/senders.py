"""The state of senders (`tcp_info`): windows, round-trip times, timeouts; means over time, then flows."""

from collections.abc import Callable

import numpy as np

from airtcp.metrics.arrays import Floats
from airtcp.metrics.convergence import settling
from airtcp.metrics.rto import rto_statistics
from airtcp.metrics.time_average import mean_over_time
from airtcp.studies.quantities.distributions import of_samples
from airtcp.studies.quantities.quantity import Lines, Quantity, mean_of
from airtcp.studies.quantities.view import View


def _mean(column: str, divisor: float = 1.0) -> Callable[[View], float]:
    def mean(view: View) -> float:
        means = []
        for flow in view.tcp_flows:
            samples = view.samples(flow)
            values = samples[column].to_numpy() / divisor
            means.append(mean_over_time(samples["time_ns"].to_numpy(), values, view.stop_ns))
        return mean_of(means)

    return mean


def _most(column: str) -> Callable[[View], float]:
    def most(view: View) -> float:
        found = [view.samples(flow)[column].to_numpy().max(initial=0) for flow in view.tcp_flows]
        return float(max(found, default=np.nan))

    return most


def _over_time(column: str, divisor: float = 1.0) -> Callable[[View], Lines]:
    def over_time(view: View) -> Lines:
        lines: dict[str, tuple[Floats, Floats]] = {}
        for flow in view.tcp_flows:
            samples = view.samples(flow)
            values = samples[column].to_numpy() / divisor
            lines[view.flow_name(flow)] = samples["time_ns"].to_numpy() / 1e9, values
        return lines

    return over_time


def cwnd_settled(view: View) -> float:
    """Seconds from the span's begin until cwnd stays in the band of its final value; `nan`: it does not."""
    found = []
    for flow in view.tcp_flows:
        samples = view.samples(flow)
        times, cwnd = samples["time_ns"].to_numpy(), samples["cwnd"].to_numpy().astype(np.float64)
        settled = settling(times, cwnd, view.stop_ns, view.arguments.band)
        found.append(np.nan if settled.at_ns is None else (settled.at_ns - view.start_ns) / 1e9)
    return mean_of(found)


def rto(view: View) -> float:
    """Mean of the retransmission timeout."""
    found = [rto_statistics(view.samples(flow), view.stop_ns) for flow in view.tcp_flows]
    return mean_of([one.mean_ms for one in found if one is not None])


def timeouts(view: View) -> float:
    """How often a retransmission timeout ran out, over the whole run."""
    count = 0
    for flow in view.tcp_flows:
        decoded = view.run.tcp_info(flow)
        samples = view.run.flow_samples(flow)
        if "total_rto" in decoded.columns:
            samples = samples.with_columns(decoded["total_rto"])
        found = rto_statistics(samples, view.run.end_ns + 1)
        count += found.timeouts if found is not None else 0
    return float(count)


def retransmits(view: View) -> float:
    """Segments that were sent again."""
    return float(sum(int(view.run.flow_reports[flow]["retransmits"]) for flow in view.tcp_flows))


QUANTITIES = {
    "cwnd": Quantity(
        "congestion window", "segments", 1, number=_mean("cwnd"), values=of_samples("cwnd", 1.0)
    ),
    "cwnd_most": Quantity("largest congestion window", "segments", 0, number=_most("cwnd")),
    "cwnd_settled": Quantity("time until cwnd settles", "s", 1, number=cwnd_settled),
    "srtt": Quantity(
        "smoothed RTT of TCP", "ms", 1, number=_mean("srtt_us", 1e3), values=of_samples("srtt_us", 1e-3, 0.0)
    ),
    "rto": Quantity("retransmission timeout", "ms", 0, number=rto),
    "timeouts": Quantity("timeouts", "", 0, number=timeouts),
    "retransmits": Quantity("segments sent again", "", 0, number=retransmits),
    "cwnd_over_time": Quantity("congestion window", "segments", lines=_over_time("cwnd")),
    "srtt_over_time": Quantity("smoothed RTT of TCP", "ms", lines=_over_time("srtt_us", 1e3)),
}
