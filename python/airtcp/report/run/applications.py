"""What applications saw: answers, pages, bursts, video, datagrams."""

import numpy as np

from airtcp.data.run_folder import Run
from airtcp.metrics.datagrams import Stream, stream
from airtcp.metrics.survival import statistic
from airtcp.quantities.applications import flow_completions, flow_playback
from airtcp.quantities.flows import flows_with
from airtcp.quantities.registry import QUANTITIES
from airtcp.report.table import Table, estimate, number


def application_tables(run: Run) -> list[Table]:
    """A table for each kind of application that the run has."""
    tables = [
        _times(run, "web", "page_time", "pages"),
        _times(run, "requests", "response_time", "answers"),
        _times(run, "on_off", "burst_time", "bursts"),
        _video(run),
        _datagrams(run),
        _jitter(run),
    ]
    return [table for table in tables if table.rows]


def _times(run: Run, kind: str, quantity: str, what: str) -> Table:
    times = ("mean", "median", "95 %", "max", "first byte")
    table = Table(_title(quantity), ("flow", what, "unfinished", *times))
    for flow in flows_with(run, kind):
        done = flow_completions(run, flow)
        values = (done.mean_ms, done.median_ms, done.p95_ms, done.max_ms)
        counts = (str(done.completed), str(done.unfinished))
        times_of = (*(estimate(value) for value in values), number(done.first_byte_ms))
        table.add(run.flow_plans[flow]["name"], *counts, *times_of)
    return table


def _title(quantity: str) -> str:
    return f"Applications: {QUANTITIES[quantity].label_with_unit}"


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


def _jitter(run: Run) -> Table:
    """Columns are those of `metrics/jitter.py`."""
    shares = {"median": "median", "95 %": "p95", "99 %": "p99", "max": "most"}
    of_ipdv = (f"IPDV {share}" for share in shares)
    columns = ("stream", "RFC 3550", *of_ipdv, "PDV 95 %", "PDV 99 %")
    table = Table("Applications: jitter [ms]", columns)
    for place, planned in enumerate(run.plan.get("datagrams", [])):
        seen = _stream(run, place)
        ipdv = (estimate(statistic(seen.ipdv, share)) for share in shares.values())
        pdv = (estimate(statistic(seen.pdv, share)) for share in ("p95", "p99"))
        table.add(planned["name"], number(seen.jitter_ms), *ipdv, *pdv)
    return table


def _stream(run: Run, place: int) -> Stream:
    frame = run.stream_datagrams(place)
    sent_ns, delay_ns = (frame[name].to_numpy().astype(np.int64) for name in ("time_ns", "delay_ns"))
    return stream(sent_ns, delay_ns, run.end_ns)


def _datagrams(run: Run) -> Table:
    counts = ("sent", "received", "lost", "under way", "loss")
    columns = ("stream", *counts, "mean", "min", "95 %", "max", "jitter")
    table = Table(_title("datagram_delay"), columns)
    for place, planned in enumerate(run.plan.get("datagrams", [])):
        seen = _stream(run, place)
        delays = (number(seen.mean_ms), number(seen.min_ms), estimate(seen.p95_ms), estimate(seen.max_ms))
        counted = (str(count) for count in (seen.sent, seen.received, seen.lost, seen.unsettled))
        loss = "-" if np.isnan(seen.loss_share) else f"{seen.loss_share:.2%}"
        table.add(planned["name"], *counted, loss, *delays, number(seen.jitter_ms))
    return table
