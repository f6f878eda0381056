"""Latency of applications and of groups as boxes, of several runs beside each other."""

from collections.abc import Iterable, Mapping, Sequence

from airtcp.metrics.survival import Sample, pooled
from airtcp.plots.boxes import BoxPanel, prepare_boxes
from airtcp.quantities.latency import latencies
from airtcp.quantities.run_view import RunView
from airtcp.report.run.crowd import Crowd, Thing
from airtcp.report.run.labels import run_labels
from airtcp.report.run.latency import LATENCY

# From this ratio of medians on the axis is logarithmic: the lower box would be less than a millimetre high.
WIDE_RATIO = 50


def latency_boxes(views: Sequence[RunView], logarithmic: bool, crowd: Crowd) -> tuple[BoxPanel, list[str]]:
    """The applications' latencies as groups, the runs beside each other, and notes for the caption.

    `crowd` is of the first run: the same applications come together in all of them.
    """
    labels = run_labels([view.run for view in views]) if len(views) > 1 else [""]
    found = {label: latencies(view.run, view.span) for label, view in zip(labels, views, strict=True)}
    names = dict.fromkeys(name for own in found.values() for name in own)
    means = {name: _mean([own[name] for own in found.values() if name in own]) for name in names}
    things = [
        Thing(name, _bare(name), name, crowd.size(_bare(name), means[name]), _kind(name)) for name in names
    ]
    shown = crowd.shown([things], [True])
    together = {one.label: one.contents for one in shown.panels[0]}
    boxes = {
        label: {
            group: pooled(own[name] for name in members if name in own) for group, members in together.items()
        }
        for label, own in found.items()
    }
    log = logarithmic or _differ_widely(boxes.values())
    return prepare_boxes(list(together), boxes, LATENCY.label_with_unit, log), shown.notes


def _differ_widely(boxes: Iterable[Mapping[str, Sample]]) -> bool:
    """Whether on an axis from 0 some boxes would be no higher than a line."""
    medians = [sample.quantile(0.5).value for own in boxes for sample in own.values() if sample.known.size]
    return len(medians) > 1 and max(medians) > WIDE_RATIO * min(medians) > 0


def _bare(name: str) -> str:
    return name.rpartition(" (")[0]


def _kind(name: str) -> str:
    """As `(ping)`, at the end of the name."""
    return f"({name.rpartition(' (')[2]}"


def _mean(samples: Sequence[Sample]) -> float:
    known = pooled(samples).known
    return float(known.mean()) if known.size else 0.0
