"""Goodput of flows, bytes that the receiver's TCP delivered in order per time, and their power."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from airtcp.data.run_folder import Run
from airtcp.metrics.arrays import Floats, Integers
from airtcp.metrics.means import mean_of_known
from airtcp.metrics.power import mean_rtt_ms, power, power_in_bins
from airtcp.metrics.throughput import counted_from_ns, goodput_bps
from airtcp.quantities.entity import Entity, Kind
from airtcp.quantities.forms import number
from airtcp.quantities.line import Join
from airtcp.quantities.metric_file import MetricFile
from airtcp.quantities.quantity import Override, Quantity
from airtcp.quantities.run_view import RunView

if TYPE_CHECKING:
    import polars

# In bit/s; papers of ns-2 count bytes of 1000.
UNITS = {"Mbit/s": 1e6, "kbit/s": 1e3, "KB/s": 8e3, "MB/s": 8e6}


def received_counter(view: RunView, flow: int, frame: "polars.DataFrame") -> tuple[Integers, Floats]:
    """Bytes received by time; nothing was before the flow's start, which may lie between two samples."""
    return delivered(frame, view.run.flow_reports[flow], view.run.flow_plans[flow]["start_ns"])


def delivered(frame: "polars.DataFrame", report: Mapping[str, Any], start_ns: int) -> tuple[Integers, Floats]:
    """Bytes received by time, of samples and of the report of what they are of."""
    times_ns, counts = frame["time_ns"].to_numpy(), frame["bytes_received"].to_numpy().astype(np.int64)
    if (end_ns := report["finished_ns"]) is not None:
        # Then all has been received. The kernel counts the FIN as a byte; and of a flow that ended between
        # two samples, the next one is too late.
        before = times_ns < end_ns
        times_ns = np.append(times_ns[before], end_ns)
        counts = np.append(np.minimum(counts[before], report["bytes_received"]), report["bytes_received"])
    return counted_from_ns(times_ns, counts, start_ns)


def received(view: RunView) -> list[Entity]:
    """Bytes that each flow's receiver got in order."""
    rows = view.flow_rows("flows", udp=True)
    return [view.flow_entity(flow, *received_counter(view, flow, frame)) for flow, frame in rows]


def power_of_flows(view: RunView) -> float:
    """Goodput over mean round-trip time of each chosen TCP flow in the span, and of these the mean."""
    found = []
    for flow, frame in view.flow_rows("flows"):
        begin_ns, end_ns = (
            min(max(time_ns, view.start_ns), view.stop_ns) for time_ns in view.flow_time(flow)
        )
        if begin_ns < end_ns:
            rate_bps = goodput_bps([received_counter(view, flow, frame)], np.array([begin_ns, end_ns]))[0]
            samples = view.samples(flow)
            rtt_ms = mean_rtt_ms(samples["time_ns"].to_numpy(), samples["srtt_us"].to_numpy(), end_ns)
            found.append(power(float(rate_bps) / 1e6, rtt_ms))
    return mean_of_known(found)


def power_over_time(view: RunView) -> list[Entity]:
    """The power of each flow in bins."""
    made = []
    for flow, frame in view.flow_rows("flows"):
        counter = received_counter(view, flow, frame)
        rtts = frame["time_ns"].to_numpy(), frame["srtt_us"].to_numpy()
        edges_ns, values = power_in_bins(counter, *rtts, view.bin_ns("flows"))
        made.append(view.flow_entity(flow, edges_ns, np.concatenate((values[:1], values)), Join.SINCE))
    return made


QUANTITIES = {
    "throughput": Quantity(
        "Throughput",
        "Mbit/s",
        "goodput of each flow at its receiver; number: of the chosen flows together, over the span",
        ("flows",),
        entities=received,
        kind=Kind.RATE,
        across="sum",
        scale=8e-6,
        units=UNITS,
        higher_is_better=True,
    ),
    "power": Quantity(
        "Power",
        "Mbit/s per s",
        "goodput over mean smoothed RTT of each TCP flow (Kleinrock's power); number: mean over flows",
        ("flows",),
        1,
        entities=power_over_time,
        across="mean",
        override=Override(
            "a flow's power is the ratio of its means, not the mean of its bins' ratios", power_of_flows
        ),
        higher_is_better=True,
    ),
}


@dataclass(frozen=True)
class Goodput:
    """Goodput of flows together in Mbit/s: over their time, and least and most of whole bins of 1 s.

    `nan` where it is not known; flows that last less than a bin have no least and no most.
    """

    mean_mbps: float = math.nan
    least_mbps: float = math.nan
    most_mbps: float = math.nan


def goodput_of(run: Run, flows: Sequence[int]) -> Goodput:
    """What metrics of these flows are: of `throughput`, and of its `statistic` `least` and `most`.

    A run whose flows were not sampled has none.
    """
    if "flows" not in run.recorded:
        return Goodput()
    return Goodput(*(_goodput_mbps(run, flows, statistic) for statistic in ("", "least", "most")))


def mean_goodput_mbps(run: Run, flow: int) -> float:
    """The goodput of a flow over its own time."""
    return _goodput_mbps(run, (flow,), "")


def _goodput_mbps(run: Run, flows: Sequence[int], statistic: str) -> float:
    view = RunView.of_flows(run, flows, MetricFile(statistic=statistic))
    return number(QUANTITIES["throughput"], view).value
