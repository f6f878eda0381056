"""Latency of applications, as a table of percentiles and as boxes of several runs beside each other."""

from collections.abc import Mapping, Sequence

from airtcp.data.run_folder import Run
from airtcp.metrics.survival import Sample, statistic
from airtcp.plots.boxes import BoxPanel, prepare_boxes
from airtcp.quantities.entity import Span
from airtcp.quantities.latency import latencies, pooled_latencies
from airtcp.quantities.registry import QUANTITIES
from airtcp.report.run.labels import run_labels
from airtcp.report.table import Table, estimate

LATENCY = QUANTITIES["latency"]
STATISTICS = {"median": "median", "95 %": "p95", "99 %": "p99", "max": "most"}


def latency_table(run: Run) -> Table:
    """Percentiles of every application's latency."""
    title = f"{LATENCY.label_with_unit} (>: more by an unknown amount, for some never came or were under way)"
    table = Table(title, ("application", "count", *STATISTICS, "lost"))
    groups = {each.label: each.sample for each in pooled_latencies(run, (0, run.end_ns))}
    for name, sample in (groups | latencies(run, (0, run.end_ns))).items():
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
    return prepare_boxes(groups, found, LATENCY.label_with_unit, logarithmic)
