"""Where packets wait in a run: how long they queue, and how many of them are in which kind of queue.

With airtcp's own MAC what waits for the air is in queueing disciplines and radios. mac80211 has queues of its
own between both.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from airtcp.data.series_file import within
from airtcp.metrics.arrays import Floats, Integers
from airtcp.metrics.control import in_flight
from airtcp.metrics.delay import mean_queueing_ms
from airtcp.metrics.means import mean_over_time
from airtcp.quantities.quantity import Quantity
from airtcp.quantities.queues import queue_rows
from airtcp.quantities.run_view import RunView
from airtcp.quantities.whole_run import WholeRun

if TYPE_CHECKING:
    import polars


def _between(view: RunView, frame: "polars.DataFrame") -> "polars.DataFrame":
    return within(frame, view.start_ns, view.stop_ns)


def _samples(view: RunView) -> "list[polars.DataFrame]":
    """The samples of each flow in the window."""
    return [_between(view, view.run.flow_samples(flow)) for flow in view.flows] if view.has("flows") else []


def _mean(frame: "polars.DataFrame", values: Floats | Integers, stop_ns: int) -> float:
    """Of what was sampled; nothing waits in what never was."""
    found = mean_over_time(frame["time_ns"].to_numpy(), values, stop_ns)
    return 0.0 if np.isnan(found) else found


def queueing_ms(view: RunView) -> float:
    """Mean over the samples of all flows of srtt less that flow's least RTT."""
    rtts: list[tuple[Floats, Floats]] = []
    for frame in _samples(view):
        srtt, least = (frame[name].to_numpy().astype(np.float64) for name in ("srtt_us", "min_rtt_us"))
        known = (srtt > 0) & (least > 0)
        rtts.append((srtt[known], least[known]))
    return mean_queueing_ms(rtts)


def in_flight_segments(view: RunView) -> float:
    """Segments in flight of all flows, as TCP counts them: mean over time."""
    flows = _samples(view)
    return sum(_mean(frame, in_flight(frame), view.stop_ns) for frame in flows) if flows else np.nan


def in_qdiscs(view: RunView) -> float:
    """Packets in queueing disciplines: mean over time."""
    if not view.has("qdiscs"):
        return np.nan
    rows = [_between(view, frame) for _, frame in queue_rows(view)]
    return sum(_mean(frame, frame["backlog_packets"].to_numpy(), view.stop_ns) for frame in rows)


def in_mac80211(view: RunView) -> float:
    """Packets in mac80211's queues: mean over time."""
    return _of_radios(view, "radio_queues", "backlog_packets")


def in_radios(view: RunView) -> float:
    """Packets in radios: mean over time."""
    return _of_radios(view, "air", "queue_packets")


def _of_radios(view: RunView, series: str, column: str) -> float:
    if not view.has(series):
        return np.nan
    radios = (view.run.part(series, "nic", nic) for nic in range(len(view.radio_names)))
    rows = [_between(view, frame) for frame in radios]
    return sum(_mean(frame, frame[column].to_numpy(), view.stop_ns) for frame in rows)


def _while_flows_ran(read: Callable[[RunView], float]) -> Callable[[WholeRun], float]:
    return lambda whole: read(whole.view)


QUANTITIES = {
    "queueing_ms": Quantity(
        "Queueing delay",
        "ms",
        "smoothed RTT less the flow's least RTT: mean over the samples of all flows",
        ("flows",),
        1,
        of_run=_while_flows_ran(queueing_ms),
    ),
    "in_flight_segments": Quantity(
        "In flight",
        "segments",
        "segments in flight of all flows, as TCP counts them: mean over time",
        ("flows",),
        1,
        of_run=_while_flows_ran(in_flight_segments),
    ),
    "qdisc_packets": Quantity(
        "Waiting in qdiscs",
        "packets",
        "packets in queueing disciplines: mean over time",
        ("qdiscs",),
        1,
        of_run=_while_flows_ran(in_qdiscs),
    ),
    "mac80211_packets": Quantity(
        "Waiting in mac80211",
        "packets",
        "packets in mac80211's queues: mean over time",
        ("radio_queues",),
        1,
        of_run=_while_flows_ran(in_mac80211),
    ),
    "radio_packets": Quantity(
        "Waiting in radios",
        "packets",
        "packets in radios: mean over time",
        ("air",),
        1,
        of_run=_while_flows_ran(in_radios),
    ),
}
