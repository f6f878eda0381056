"""Latency of applications and of groups: percentiles."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from airtcp.data.run_folder import Run
from airtcp.metrics.survival import Estimate, Sample, statistic
from airtcp.quantities.latency import pooled_latencies, waits
from airtcp.quantities.registry import QUANTITIES
from airtcp.report.table import Table, estimate

LATENCY = QUANTITIES["latency"]
# Columns, and the statistic in each; the record has fields of these names.
STATISTICS = {"median": "median", "95 %": "p95", "99 %": "p99", "max": "most"}


@dataclass(frozen=True)
class LatencyRecord:
    """What an application waits for, or all of a group, over the whole run. Percentiles are those of the
    product-limit estimate: what was lost never came, what was under way at the end takes longer than it had
    taken."""

    name: str
    """Flow, stream or ping; or the group."""
    kind: str
    """What is waited for: `ping`, `datagrams`, `responses`, `pages`, `segments`, `bursts`."""
    members: int
    """How many flows, streams or pings they are of: of a group, each counts by its packets."""
    count: int
    """Packets that were sent, or transfers that were asked for."""
    median_ms: Estimate
    """Median."""
    p95_ms: Estimate
    """95th percentile."""
    p99_ms: Estimate
    """99th percentile."""
    most_ms: Estimate
    """The most."""
    lost: int
    """Those that never came."""
    under_way: int
    """Those that had not come when the run ended, and may have come later."""
    lost_share: float
    """Lost ones, of those of which it is known whether they were."""


def latency_records(run: Run) -> list[LatencyRecord]:
    """Every application's latency; of what nothing was sent there is none."""
    span = (0, run.end_ns)
    samples = ((wait, wait.times.sample(span)) for wait in waits(run))
    return [_record(wait.name, wait.kind, 1, sample) for wait, sample in samples if sample.size]


def group_latency_records(run: Run) -> list[LatencyRecord]:
    """The latency of each group, by kind."""
    pooled = pooled_latencies(run, (0, run.end_ns))
    return [_record(one.group, one.kind, one.members, one.sample) for one in pooled]


def _record(name: str, kind: str, members: int, sample: Sample) -> LatencyRecord:
    return LatencyRecord(
        name=name,
        kind=kind,
        members=members,
        count=sample.size,
        median_ms=statistic(sample, "median"),
        p95_ms=statistic(sample, "p95"),
        p99_ms=statistic(sample, "p99"),
        most_ms=statistic(sample, "most"),
        lost=sample.lost,
        under_way=sample.under_way,
        lost_share=sample.missing,
    )


def latency_table(groups: Sequence[LatencyRecord], applications: Sequence[LatencyRecord]) -> Table:
    """Percentiles of every group's and every application's latency."""
    title = f"{LATENCY.label_with_unit} (>: more by an unknown amount, for some never came or were under way)"
    table = Table(title, ("application", "count", *STATISTICS, "lost"))
    for label, one in _labelled(groups, applications):
        values = (one.median_ms, one.p95_ms, one.p99_ms, one.most_ms)
        table.add(label, str(one.count), *map(estimate, values), f"{one.lost_share:.2%}")
    return table


def _labelled(
    groups: Sequence[LatencyRecord], applications: Sequence[LatencyRecord]
) -> Iterator[tuple[str, LatencyRecord]]:
    yield from ((f"{one.name} ({one.kind} of {one.members})", one) for one in groups)
    yield from ((f"{one.name} ({one.kind})", one) for one in applications)
