"""What applications saw: answers, pages, bursts, video, datagrams."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from airtcp.data.run_folder import Run
from airtcp.metrics.datagrams import stream
from airtcp.metrics.survival import Estimate, statistic
from airtcp.quantities.applications import flow_completions, flow_playback
from airtcp.quantities.flows import flows_with
from airtcp.quantities.latency import TRANSFERS
from airtcp.quantities.registry import QUANTITIES
from airtcp.report.table import Table, estimate, number

# The kinds of transfers that have a table: the quantity of its title, and its column of counts.
_TIMES: Mapping[str, tuple[str, str]] = {
    "pages": ("page_time", "pages"),
    "responses": ("response_time", "answers"),
    "bursts": ("burst_time", "bursts"),
}


@dataclass(frozen=True)
class TransferRecord:
    """What a flow transferred one by one. Times are those of the product-limit estimate."""

    flow: str
    """Its name."""
    kind: str
    """`pages`, `responses` or `bursts`."""
    completed: int
    """Those that were there as a whole."""
    unfinished: int
    """Those under way at the end of the run."""
    mean_ms: Estimate
    """Mean time from asking for it to its last byte."""
    median_ms: Estimate
    """Median."""
    p95_ms: Estimate
    """95th percentile."""
    most_ms: Estimate
    """The most."""
    first_byte_ms: float
    """Mean time to the first byte, of those that had one."""


@dataclass(frozen=True)
class VideoRecord:
    """What the viewer of a film saw."""

    flow: str
    """Its name."""
    segments: int
    """Those that arrived."""
    startup_s: float
    """From the start of the connection to the first picture; `null` if there was none."""
    stalls: int
    """How often the buffer ran empty."""
    stalled_s: float
    """For how long, together."""
    stalled_share: float
    """Of the time from the first picture on."""
    mean_rate_mbps: float
    """Of the segments that arrived, weighted by their playing time."""
    switches: int
    """Segments whose rate differs from that of the one before."""


@dataclass(frozen=True)
class StreamRecord:
    """A stream of datagrams: of a `[[udp]]`, or one direction of a `[[voip]]`."""

    stream: str
    """Its name."""
    sent: int
    """Datagrams sent."""
    received: int
    """Those that arrived."""
    lost: int
    """Sent before the last one that arrived, and not received."""
    under_way: int
    """Sent after it: they may have been on their way when the run ended."""
    lost_share: float
    """Lost ones, of those of which it is known whether they were."""
    mean_ms: float
    """Mean one-way delay of those received."""
    least_ms: float
    """Least of them."""
    p95_ms: Estimate
    """95th percentile of all that were sent."""
    most_ms: Estimate
    """The most of them."""
    jitter_ms: float
    """Interarrival jitter (RFC 3550, 6.4.1) after the last one received."""
    ipdv_median_ms: Estimate
    """Inter-packet delay variation (RFC 5481, 4.1), absolute: median."""
    ipdv_p95_ms: Estimate
    """95th percentile."""
    ipdv_p99_ms: Estimate
    """99th percentile."""
    ipdv_most_ms: Estimate
    """The most."""
    pdv_p95_ms: Estimate
    """Packet delay variation (RFC 5481, 4.2), above the least delay: 95th percentile."""
    pdv_p99_ms: Estimate
    """99th percentile."""


def transfer_records(run: Run) -> list[TransferRecord]:
    """Pages, answers and bursts of each flow."""
    made = []
    for workload, kind in TRANSFERS.items():
        for flow in flows_with(run, workload) if kind in _TIMES else ():
            done = flow_completions(run, flow)
            made.append(
                TransferRecord(
                    flow=run.flow_plans[flow]["name"],
                    kind=kind,
                    completed=done.completed,
                    unfinished=done.unfinished,
                    mean_ms=done.mean_ms,
                    median_ms=done.median_ms,
                    p95_ms=done.p95_ms,
                    most_ms=done.max_ms,
                    first_byte_ms=done.first_byte_ms,
                )
            )
    return made


def video_records(run: Run) -> list[VideoRecord]:
    """Each film."""
    made = []
    for flow in flows_with(run, "video"):
        seen = flow_playback(run, flow)
        made.append(
            VideoRecord(
                flow=run.flow_plans[flow]["name"],
                segments=int((run.transfers_of(flow)["end_ns"] >= 0).sum()),
                startup_s=seen.startup_s,
                stalls=len(seen.stalls),
                stalled_s=seen.stalled_s,
                stalled_share=seen.stall_ratio,
                mean_rate_mbps=seen.mean_rate_mbps,
                switches=seen.switches,
            )
        )
    return made


def stream_records(run: Run) -> list[StreamRecord]:
    """Each stream of datagrams."""
    made = []
    for place, planned in enumerate(run.plan.get("datagrams", [])):
        frame = run.stream_datagrams(place)
        sent_ns, delay_ns = (frame[name].to_numpy().astype(np.int64) for name in ("time_ns", "delay_ns"))
        seen = stream(sent_ns, delay_ns, run.end_ns)
        made.append(
            StreamRecord(
                stream=planned["name"],
                sent=seen.sent,
                received=seen.received,
                lost=seen.lost,
                under_way=seen.unsettled,
                lost_share=seen.loss_share,
                mean_ms=seen.mean_ms,
                least_ms=seen.min_ms,
                p95_ms=seen.p95_ms,
                most_ms=seen.max_ms,
                jitter_ms=seen.jitter_ms,
                ipdv_median_ms=statistic(seen.ipdv, "median"),
                ipdv_p95_ms=statistic(seen.ipdv, "p95"),
                ipdv_p99_ms=statistic(seen.ipdv, "p99"),
                ipdv_most_ms=statistic(seen.ipdv, "most"),
                pdv_p95_ms=statistic(seen.pdv, "p95"),
                pdv_p99_ms=statistic(seen.pdv, "p99"),
            )
        )
    return made


def transfer_tables(transfers: Sequence[TransferRecord]) -> list[Table]:
    """A table for each kind."""
    times = ("mean", "median", "95 %", "max", "first byte")
    tables = []
    for kind, (quantity, what) in _TIMES.items():
        table = Table(_title(quantity), ("flow", what, "unfinished", *times))
        for done in (each for each in transfers if each.kind == kind):
            values = (done.mean_ms, done.median_ms, done.p95_ms, done.most_ms)
            counts = (str(done.completed), str(done.unfinished))
            table.add(done.flow, *counts, *map(estimate, values), number(done.first_byte_ms))
        tables.append(table)
    return tables


def video_table(films: Sequence[VideoRecord]) -> Table:
    """One row per film."""
    columns = ("flow", "segments", "start s", "stalls", "stalled s", "of the time", "mean Mbit/s", "switches")
    table = Table("Applications: video", columns)
    for film in films:
        table.add(
            film.flow,
            str(film.segments),
            number(film.startup_s),
            str(film.stalls),
            number(film.stalled_s),
            "-" if np.isnan(film.stalled_share) else f"{film.stalled_share:.1%}",
            number(film.mean_rate_mbps),
            str(film.switches),
        )
    return table


def stream_table(streams: Sequence[StreamRecord]) -> Table:
    """One row per stream."""
    counts = ("sent", "received", "lost", "under way", "loss")
    columns = ("stream", *counts, "mean", "min", "95 %", "max", "jitter")
    table = Table(_title("datagram_delay"), columns)
    for seen in streams:
        delays = (number(seen.mean_ms), number(seen.least_ms), estimate(seen.p95_ms), estimate(seen.most_ms))
        counted = (str(count) for count in (seen.sent, seen.received, seen.lost, seen.under_way))
        loss = "-" if np.isnan(seen.lost_share) else f"{seen.lost_share:.2%}"
        table.add(seen.stream, *counted, loss, *delays, number(seen.jitter_ms))
    return table


def jitter_table(streams: Sequence[StreamRecord]) -> Table:
    """One row per stream; columns are those of `metrics/jitter.py`."""
    of_ipdv = (f"IPDV {share}" for share in ("median", "95 %", "99 %", "max"))
    columns = ("stream", "RFC 3550", *of_ipdv, "PDV 95 %", "PDV 99 %")
    table = Table("Jitter of streams [ms]", columns)
    for seen in streams:
        ipdv = (seen.ipdv_median_ms, seen.ipdv_p95_ms, seen.ipdv_p99_ms, seen.ipdv_most_ms)
        percentiles = map(estimate, (*ipdv, seen.pdv_p95_ms, seen.pdv_p99_ms))
        table.add(seen.stream, number(seen.jitter_ms), *percentiles)
    return table


def _title(quantity: str) -> str:
    return f"Applications: {QUANTITIES[quantity].label_with_unit}"
