"""What each application waits for: round trips of pings, delays of datagrams, times of transfers, in ms.

What was lost is censored at infinity, what was under way at the run's end at the time that it had taken.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from airtcp.data.run_folder import Run
from airtcp.metrics.survival import Sample, statistic
from airtcp.plots.boxes import BoxPanel, prepare_boxes
from airtcp.report.applications import flows_with
from airtcp.report.numbers import estimate
from airtcp.report.run_labels import run_labels
from airtcp.report.table import Table

if TYPE_CHECKING:
    import polars

MS = 1e6
# Workloads whose transfers are recorded, and what one is.
TRANSFERS = {"requests": "responses", "web": "pages", "video": "segments", "on_off": "bursts"}
STATISTICS = {"median": "median", "95 %": "p95", "99 %": "p99", "max": "most"}

# From and to, in ns from the epoch; what begins in it counts.
Span = tuple[int, int]


def latencies(run: Run, span: Span) -> dict[str, Sample]:
    """By name and kind, as `voice (datagrams)`; what nothing was sent of is left out."""
    found: dict[str, Sample] = {}
    for number, ping in enumerate(run.plan["pings"]):
        found[f"{ping['name']} (ping)"] = ping_sample(run, number, span)
    for number, stream in enumerate(run.plan.get("datagrams", ())):
        found[f"{stream['name']} (datagrams)"] = stream_sample(run, number, span)
    if "transfers" in run.recorded:
        for kind, what in TRANSFERS.items():
            for flow in flows_with(run, kind):
                found[f"{run.flow_plans[flow]['name']} ({what})"] = transfer_sample(run, flow, span)
    return {name: sample for name, sample in found.items() if sample.size}


def ping_sample(run: Run, ping: int, span: Span) -> Sample:
    """Round-trip times of a ping."""
    return arrived(_within(run.ping_samples(ping), span), "rtt_ns", run.end_ns)


def stream_sample(run: Run, stream: int, span: Span) -> Sample:
    """One-way delays of the datagrams of a stream."""
    return arrived(_within(run.stream_datagrams(stream), span), "delay_ns", run.end_ns)


def transfer_sample(run: Run, flow: int, span: Span) -> Sample:
    """Times from asking for a transfer until all of it was there."""
    frame = _within(run.transfers_of(flow), span)
    begun, ended = (frame[name].to_numpy().astype(np.float64) for name in ("time_ns", "end_ns"))
    done = ended >= 0
    return Sample((ended - begun)[done] / MS, np.maximum((run.end_ns - begun[~done]) / MS, 0.0))


def arrived(frame: "polars.DataFrame", column: str, end_ns: int) -> Sample:
    """Times in ms of packets in the order in which they were sent; negative: it never arrived.

    Those after the last that arrived may have been on their way when the run ended: they are censored there.
    """
    times = frame[column].to_numpy().astype(np.float64) / MS
    sent_ns = frame["time_ns"].to_numpy().astype(np.float64)
    there = np.flatnonzero(times >= 0)
    last = int(there[-1]) if there.size else -1
    is_lost = (times < 0) & (np.arange(times.size) < last)
    on_their_way = (times < 0) & ~is_lost
    censored = np.where(is_lost, np.inf, np.maximum(0.0, (end_ns - sent_ns) / MS))
    return Sample(times[times >= 0], censored[is_lost | on_their_way])


def latency_table(run: Run) -> Table:
    """Percentiles of every application's latency."""
    title = "Latency [ms] (>: more by an unknown amount, for some never came or were under way)"
    table = Table(title, ("application", "count", *STATISTICS, "lost"))
    for name, sample in latencies(run, (0, run.end_ns)).items():
        values = (estimate(statistic(sample, each)) for each in STATISTICS.values())
        table.add(name, str(sample.size), *values, f"{sample.missing:.2%}")
    return table


def latency_boxes(runs: Sequence[Run], spans: Sequence[Span], logarithmic: bool) -> BoxPanel:
    """The applications' latencies as groups, the runs beside each other."""
    found: dict[str, Mapping[str, Sample]] = {}
    labels = run_labels(runs) if len(runs) > 1 else [""]
    for label, run, span in zip(labels, runs, spans, strict=True):
        found[label] = latencies(run, span)
    groups = list(dict.fromkeys(name for own in found.values() for name in own))
    return prepare_boxes(groups, found, "Latency [ms]", logarithmic)


def _within(frame: "polars.DataFrame", span: Span) -> "polars.DataFrame":
    from polars import col

    return frame.filter((col("time_ns") >= span[0]) & (col("time_ns") < span[1]))
