"""What applications saw: answers, pages, bursts, video, datagrams."""

from typing import Any, Literal

import numpy as np

from airtcp.data.run_folder import Run
from airtcp.metrics.completion import Completions, completions
from airtcp.metrics.datagrams import stream
from airtcp.metrics.video import Levels, Playback, Segment, playback
from airtcp.report.numbers import estimate, number
from airtcp.report.table import Table


def application_tables(run: Run) -> list[Table]:
    """A table for each kind of application that the run has."""
    tables = [
        _times(run, "web", "Applications: web pages (load time)", "pages", "s"),
        _times(run, "requests", "Applications: requests (time to the whole answer)", "answers", "ms"),
        _times(run, "on_off", "Applications: bursts (time to the last byte)", "bursts", "ms"),
        _video(run),
        _datagrams(run),
    ]
    return [table for table in tables if table.rows]


def workload_of(planned: dict[str, Any]) -> dict[str, Any]:
    """The workload of a flow; plans before version 4 only had bulk transfers."""
    workload: dict[str, Any] = planned.get("workload", {"kind": "bulk"})
    return workload


def flows_with(run: Run, kind: str) -> list[int]:
    """The numbers of the flows with a kind of workload."""
    return [n for n, flow in enumerate(run.flow_plans) if workload_of(flow)["kind"] == kind]


def flow_completions(run: Run, flow: int) -> Completions:
    """The completion times of a flow's transfers."""
    frame = run.transfers_of(flow)
    asked, first_byte, end = (
        frame[name].to_numpy().astype(np.int64) for name in ("time_ns", "first_byte_ns", "end_ns")
    )
    return completions(asked, first_byte, end, run.end_ns)


def flow_playback(run: Run, flow: int) -> Playback:
    """What the viewer of a video flow saw, until its stop or the run's end."""
    planned = run.flow_plans[flow]
    film = planned["workload"]
    end_ns = max(planned["start_ns"], min(planned["stop_ns"], run.end_ns))
    frame = run.transfers_of(flow)
    lengths = _lengths(film, frame.height)
    rows = zip(frame["end_ns"].to_list(), lengths, frame["rate_bps"].to_list(), strict=True)
    segments = [Segment(end, length, rate) for end, length, rate in rows if 0 <= end <= end_ns]
    whole = film["length_ns"] is not None and sum(s.length_ns for s in segments) >= film["length_ns"]
    levels = Levels(film["startup_ns"], film["resume_ns"])
    return playback(segments, levels, planned["start_ns"], end_ns, whole)


def _lengths(film: dict[str, Any], count: int) -> list[int]:
    """The playing time of the first segments: all alike, but for the last one of a film."""
    step, length = film["segment_ns"], film["length_ns"]
    return [step if length is None else min(step, length - n * step) for n in range(count)]


def _times(run: Run, kind: str, title: str, what: str, unit: Literal["s", "ms"]) -> Table:
    scale = 1e-3 if unit == "s" else 1.0
    times = (f"mean {unit}", f"median {unit}", f"95 % {unit}", f"max {unit}", f"first byte {unit}")
    table = Table(title, ("flow", what, "unfinished", *times))
    for flow in flows_with(run, kind):
        done = flow_completions(run, flow)
        values = (done.mean_ms, done.median_ms, done.p95_ms, done.max_ms)
        counts = (str(done.completed), str(done.unfinished))
        times_of = (*(estimate(value, scale) for value in values), number(done.first_byte_ms * scale))
        table.add(run.flow_plans[flow]["name"], *counts, *times_of)
    return table


def _video(run: Run) -> Table:
    columns = ("flow", "segments", "start s", "stalls", "stalled s", "of the time", "mean Mbit/s", "switches")
    table = Table("Applications: video", columns)
    for flow in flows_with(run, "video"):
        seen = flow_playback(run, flow)
        table.add(
            run.flow_plans[flow]["name"],
            str(int((run.transfers_of(flow)["end_ns"] >= 0).sum())),
            number(seen.startup_s),
            str(len(seen.stalls)),
            number(seen.stalled_s),
            "-" if np.isnan(seen.stall_ratio) else f"{seen.stall_ratio:.1%}",
            number(seen.mean_rate_mbps),
            str(seen.switches),
        )
    return table


def _datagrams(run: Run) -> Table:
    columns = (
        "stream",
        "sent",
        "received",
        "lost",
        "loss",
        "mean ms",
        "min ms",
        "95 % ms",
        "max ms",
        "jitter ms",
    )
    table = Table("Applications: datagrams (one-way delay)", columns)
    for place, planned in enumerate(run.plan.get("datagrams", [])):
        frame = run.stream_datagrams(place)
        seen = stream(*(frame[name].to_numpy().astype(np.int64) for name in ("time_ns", "delay_ns")))
        delays = (number(seen.mean_ms), number(seen.min_ms), estimate(seen.p95_ms), number(seen.max_ms))
        counts = (str(count) for count in (seen.sent, seen.received, seen.lost))
        loss = "-" if np.isnan(seen.loss_share) else f"{seen.loss_share:.2%}"
        table.add(planned["name"], *counts, loss, *delays, number(seen.jitter_ms))
    return table
