"""The state of senders (`tcp_info`): windows, round-trip times, timeouts, rates, and what limited them."""

from collections.abc import Callable

import numpy as np

from airtcp.metrics.arrays import Floats
from airtcp.metrics.control import LIMITERS
from airtcp.metrics.convergence import settling
from airtcp.metrics.means import mean_of_known, mean_over_time
from airtcp.metrics.rto import rto_statistics
from airtcp.metrics.survival import Sample
from airtcp.quantities.line import Join, Line, known_line, rates_line, seconds, values_line
from airtcp.quantities.metric_view import MetricView
from airtcp.quantities.quantity import Drawing, Lines, Quantity, Values
from airtcp.quantities.run_view import RunView
from airtcp.quantities.whole_run import WholeRun

# Linux's TCP_INFINITE_SSTHRESH (include/net/tcp.h): no slow start threshold yet.
NO_THRESHOLD = 0x7FFF_FFFF
# "No limit" is the largest number of 64 bits (sk_pacing_rate, ~0UL).
NO_PACING_BPS = 2**62


def _drawn(column: str, scale: float) -> Callable[[RunView], list[Line]]:
    """A column of the samples, as it is."""
    return lambda view: [
        values_line(label, frame, column, scale) for _, label, frame in view.flow_rows("flows")
    ]


def _drawn_if_known(column: str, scale: float) -> Callable[[RunView], list[Line]]:
    """A column of the samples in which 0 means that there is no value yet."""
    return lambda view: [
        known_line(label, frame, column, scale) for _, label, frame in view.flow_rows("flows")
    ]


def window(view: RunView) -> list[Line]:
    """cwnd and, dashed, ssthresh: at each ACK if ACKs were recorded, else as sampled."""
    by_ack = view.has("acks")
    # What an ACK finds has been there since the one before it was processed.
    join = Join.SINCE if by_ack else Join.STRAIGHT
    lines = []
    for _, label, frame in view.flow_rows("acks" if by_ack else "flows"):
        lines.append(values_line(label, frame, "cwnd", 1.0, join))
        threshold = frame["ssthresh"].to_numpy().astype(np.float64)
        threshold[threshold >= NO_THRESHOLD] = np.nan
        if not np.all(np.isnan(threshold)):
            name = f"{label.split(' (')[0]} ssthresh"
            lines.append(Line(name, seconds(frame), tuple(threshold.tolist()), dashed=True, join=join))
    return lines


def sampled_window(view: RunView) -> list[Line]:
    """cwnd at equal distances of time, for a distribution (ACKs are dense where the rate is high)."""
    return _drawn("cwnd", 1.0)(view)


def pacing_rate(view: RunView) -> list[Line]:
    """The pacing rate in Mbit/s, where there is one."""
    lines = []
    for _, label, frame in view.flow_rows("flows"):
        limited = frame.filter(frame["pacing_rate_bps"] < NO_PACING_BPS)
        lines.append(values_line(label, limited, "pacing_rate_bps", 1e-6))
    return lines


def limits(view: RunView) -> list[Line]:
    """For each flow and limiter, the share of time in % that the sender stood still for it."""
    lines = []
    for _, label, frame in view.flow_rows("flows", *LIMITERS):
        times_ns = frame["time_ns"].to_numpy().astype(np.int64)
        for column, name in LIMITERS.items():
            counts = frame[column].to_numpy().astype(np.float64)
            lines.append(rates_line(f"{label}\n{name}", times_ns, counts, view.bin_ns("flows"), 1e-7))
    return lines


def _values(column: str, scale: float, unknown: float | None = None) -> Callable[[MetricView], Values]:
    """A column of `tcp_info` at every sample of the span; `unknown` stands where there is no value yet."""

    def values(view: MetricView) -> Values:
        found = {}
        for flow in view.tcp_flows:
            every = view.samples(flow)[column].to_numpy().astype(np.float64)
            found[view.flow_name(flow)] = Sample(every[every != unknown] * scale)
        return found

    return values


def _mean(column: str, divisor: float = 1.0) -> Callable[[MetricView], float]:
    def mean(view: MetricView) -> float:
        means = []
        for flow in view.tcp_flows:
            samples = view.samples(flow)
            values = samples[column].to_numpy() / divisor
            means.append(mean_over_time(samples["time_ns"].to_numpy(), values, view.stop_ns))
        return mean_of_known(means)

    return mean


def _most(column: str) -> Callable[[MetricView], float]:
    def most(view: MetricView) -> float:
        found = [view.samples(flow)[column].to_numpy().max(initial=0) for flow in view.tcp_flows]
        return float(max(found, default=np.nan))

    return most


def _over_time(column: str, divisor: float = 1.0) -> Callable[[MetricView], Lines]:
    def over_time(view: MetricView) -> Lines:
        lines: dict[str, tuple[Floats, Floats]] = {}
        for flow in view.tcp_flows:
            samples = view.samples(flow)
            values = samples[column].to_numpy() / divisor
            lines[view.flow_name(flow)] = samples["time_ns"].to_numpy() / 1e9, values
        return lines

    return over_time


def cwnd_settled(view: MetricView) -> float:
    """Seconds from the span's begin until cwnd stays in the band of its final value; `nan`: it does not."""
    found = []
    for flow in view.tcp_flows:
        samples = view.samples(flow)
        times, cwnd = samples["time_ns"].to_numpy(), samples["cwnd"].to_numpy().astype(np.float64)
        settled = settling(times, cwnd, view.stop_ns, view.arguments.band)
        found.append(np.nan if settled.at_ns is None else (settled.at_ns - view.start_ns) / 1e9)
    return mean_of_known(found)


def rto(view: MetricView) -> float:
    """Mean of the retransmission timeout."""
    found = [rto_statistics(view.samples(flow), view.stop_ns) for flow in view.tcp_flows]
    return mean_of_known([one.mean_ms for one in found if one is not None])


def timeouts(view: MetricView) -> float:
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


def retransmits(view: MetricView) -> float:
    """Segments that were sent again."""
    return float(sum(int(view.run.flow_reports[flow]["retransmits"]) for flow in view.tcp_flows))


def srtt_of_run(whole: WholeRun) -> float:
    """Mean of the kernel's smoothed RTT over the samples of all flows that have one."""
    if not whole.is_sampled:
        return float("nan")
    samples = whole.run.series("flows")["srtt_us"].to_numpy()
    known = samples[samples > 0]
    return float(np.mean(known)) / 1e3 if known.size else float("nan")


def retransmits_of_run(whole: WholeRun) -> float:
    """Segments that all flows sent again."""
    return float(sum(int(flow["retransmits"]) for flow in whole.run.flow_reports))


_FLOWS = ("flows",)

QUANTITIES = {
    "cwnd": Quantity(
        "congestion window",
        "segments",
        "congestion window (drawn with the slow start threshold, dashed; at every ACK if `acks` were "
        "recorded); "
        "number: mean over time",
        _FLOWS,
        1,
        number=_mean("cwnd"),
        values=_values("cwnd", 1.0),
        drawing=Drawing("cwnd, ssthresh\n[segments]", window, distribution=sampled_window),
    ),
    "cwnd_most": Quantity(
        "largest congestion window", "segments", "largest of all samples", _FLOWS, 0, number=_most("cwnd")
    ),
    "cwnd_settled": Quantity(
        "time until cwnd settles",
        "s",
        "time from the span's begin until cwnd stays within `band` of its final value",
        _FLOWS,
        1,
        number=cwnd_settled,
    ),
    "cwnd_over_time": Quantity(
        "congestion window", "segments", "congestion window at every sample", _FLOWS, lines=_over_time("cwnd")
    ),
    "inflight": Quantity(
        "segments in flight",
        "segments",
        "segments sent and not acknowledged",
        _FLOWS,
        drawing=Drawing("Unacked\n[segments]", _drawn("unacked", 1.0)),
    ),
    "limits": Quantity(
        "limits of the sender",
        "%",
        "share of time in which the sender was limited by its congestion window, pacing, receiver's window, "
        "send buffer, ...",
        _FLOWS,
        drawing=Drawing("limited by [%]", limits, rate_of=_FLOWS, shared=True),
    ),
    "srtt": Quantity(
        "smoothed RTT of TCP",
        "ms",
        "smoothed RTT of each flow; number: mean over time",
        _FLOWS,
        1,
        number=_mean("srtt_us", 1e3),
        values=_values("srtt_us", 1e-3, 0.0),
        drawing=Drawing("srtt [ms]", _drawn_if_known("srtt_us", 1e-3)),
    ),
    "srtt_over_time": Quantity(
        "smoothed RTT of TCP", "ms", "smoothed RTT at every sample", _FLOWS, lines=_over_time("srtt_us", 1e3)
    ),
    "srtt_ms": Quantity(
        "srtt",
        "ms",
        "mean of the smoothed RTT over the samples of all flows that have one",
        _FLOWS,
        1,
        of_run=srtt_of_run,
    ),
    "rto": Quantity(
        "retransmission timeout",
        "ms",
        "retransmission timeout (RFC 6298); number: mean over time",
        _FLOWS,
        0,
        number=rto,
        drawing=Drawing("RTO [ms]", _drawn_if_known("rto_us", 1e-3)),
    ),
    "timeouts": Quantity(
        "timeouts",
        "",
        "how often a retransmission timeout ran out, in the whole run",
        _FLOWS,
        0,
        number=timeouts,
    ),
    "retransmits": Quantity(
        "Retransmitted",
        "segments",
        "segments sent again, of the chosen flows in the whole run; drawn, where flows are sampled, as "
        "those of each flow so far",
        digits=0,
        number=retransmits,
        of_run=retransmits_of_run,
        drawing=Drawing("Retransmitted so far\n[segments]", _drawn("total_retrans", 1.0)),
    ),
    "delivery_rate": Quantity(
        "delivery rate",
        "Mbit/s",
        "the kernel's estimate of the delivery rate",
        _FLOWS,
        drawing=Drawing("Delivery rate\n[Mbit/s]", _drawn("delivery_rate_bps", 1e-6)),
    ),
    "pacing_rate": Quantity(
        "pacing rate",
        "Mbit/s",
        "the rate at which TCP releases packets, where it paces",
        _FLOWS,
        drawing=Drawing("Pacing rate\n[Mbit/s]", pacing_rate),
    ),
}
