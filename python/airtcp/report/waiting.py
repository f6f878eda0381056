"""Where packets wait in a run: how long they queue, and how many of them are in which kind of queue.

With airtcp's own MAC what waits for the air is in queueing disciplines and radios. mac80211 has queues of its
own between both.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from airtcp.data.run_folder import Run
from airtcp.metrics.arrays import Floats
from airtcp.metrics.time_average import mean_over_time
from airtcp.report.quantities.queues import queue_rows
from airtcp.report.run_view import RunView

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True)
class Waiting:
    """Means between two times; NaN for what was not recorded.

    `queueing_ms` is the mean over the samples of all flows of srtt less that flow's least RTT; the others are
    means over time of sums: segments in flight as TCP counts them, packets in queueing disciplines, in
    mac80211 and in radios.
    """

    queueing_ms: float
    in_flight: float
    in_qdiscs: float
    in_mac80211: float
    in_radios: float


def waiting(run: Run, start_ns: int, stop_ns: int) -> Waiting:
    """What waited in a run between two times."""
    view = RunView(run, start_ns, stop_ns)
    flows = [_between(view, run.flow_samples(flow)) for flow in view.flows] if view.has("flows") else []
    return Waiting(
        queueing_ms=_queueing_ms(flows),
        in_flight=sum(_mean(frame, _in_flight(frame), stop_ns) for frame in flows) if flows else np.nan,
        in_qdiscs=_in_qdiscs(view),
        in_mac80211=_of_radios(view, "radio_queues", "backlog_packets"),
        in_radios=_of_radios(view, "air", "queue_packets"),
    )


def _between(view: RunView, frame: "polars.DataFrame") -> "polars.DataFrame":
    return frame.filter(frame["time_ns"].is_between(view.start_ns, view.stop_ns))


def _mean(frame: "polars.DataFrame", values: Floats, stop_ns: int) -> float:
    """Of what was sampled; nothing waits in what never was."""
    found = mean_over_time(frame["time_ns"].to_numpy(), values, stop_ns)
    return 0.0 if np.isnan(found) else found


def _in_flight(frame: "polars.DataFrame") -> Floats:
    """`tcp_packets_in_flight` of the kernel: sent less sacked and lost, and those sent again."""
    sent, sacked, lost, again = (
        frame[name].to_numpy().astype(np.float64) for name in ("unacked", "sacked", "lost", "retrans")
    )
    in_flight: Floats = sent - sacked - lost + again
    return in_flight


def _queueing_ms(flows: "list[polars.DataFrame]") -> float:
    delays: list[Floats] = []
    for frame in flows:
        known = frame.filter((frame["srtt_us"] > 0) & (frame["min_rtt_us"] > 0))
        if known.height:
            srtt, least = (known[name].to_numpy().astype(np.float64) for name in ("srtt_us", "min_rtt_us"))
            delays.append((srtt - least.min()) / 1e3)
    return float(np.concatenate(delays).mean()) if delays else np.nan


def _in_qdiscs(view: RunView) -> float:
    if not view.has("qdiscs"):
        return np.nan
    rows = [_between(view, frame) for _, frame in queue_rows(view)]
    return sum(_mean(frame, frame["backlog_packets"].to_numpy(), view.stop_ns) for frame in rows)


def _of_radios(view: RunView, series: str, column: str) -> float:
    if not view.has(series):
        return np.nan
    radios = (view.part(series, "nic", nic) for nic in range(len(view.radio_names)))
    rows = [_between(view, frame) for frame in radios]
    return sum(_mean(frame, frame[column].to_numpy(), view.stop_ns) for frame in rows)
