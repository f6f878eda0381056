"""Distributions of quantities in one run or in several."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from airtcp.errors import AirtcpError
from airtcp.metrics.survival import Sample, pooled
from airtcp.plots.cdf import CdfChart, CdfPanel, prepare_cdf, prepare_cdf_line, prepare_cdf_panel
from airtcp.quantities.doubt import marked
from airtcp.quantities.drawing import DrawnSample, drawn_samples
from airtcp.quantities.entity import Kind
from airtcp.quantities.line import Line, values_in
from airtcp.quantities.registry import quantity_named
from airtcp.quantities.run_view import RunView
from airtcp.report.run.crowd import Crowd, Thing
from airtcp.report.run.figure import WHAT, bins_text, busy_lines, lines_of, run_caption
from airtcp.report.run.labels import run_labels


def run_cdf(
    views: Sequence[RunView], what: Sequence[str], logarithmic: bool = False, crowd: Crowd | None = None
) -> CdfChart:
    """The distributions of these quantities: of one run a line for each thing that has the quantity, of
    several runs a line for each run, over all things in it. What a run does not have is an `AirtcpError`.

    `crowd` says how many lines of one run become few; default: by application.
    """
    labels = run_labels([view.run for view in views])
    if len(set(labels)) < len(labels):
        raise AirtcpError("the same run is given twice", str(views[0].run.folder), "Give each run once")
    if len(views) == 1:
        few, notes = _of_one_run(views[0], what, crowd or Crowd(views[0]))
    else:
        few, notes = [_of_runs(views, labels, name) for name in what], []
    panels = [_panel(views, lines, name, logarithmic) for name, lines in zip(what, few, strict=True)]
    return prepare_cdf(panels, " ".join(filter(None, (_caption(views), _bins_text(views, what), *notes))))


def _of_one_run(
    view: RunView, what: Sequence[str], crowd: Crowd
) -> tuple[list[list[DrawnSample]], list[str]]:
    """A sample for each line: the values of one thing, or those of several together."""
    things = [
        [Thing(one.label, one.name, one.values, crowd.size(one.name, _mean(one.values))) for one in own]
        for own in (_samples(view, name) for name in what)
    ]
    shown = crowd.shown(things, [True] * len(what))
    several = any(len(one.contents) > 1 for panel in shown.panels for one in panel)
    few = [
        [DrawnSample(one.label, one.name, pooled(one.contents)) for one in panel] for panel in shown.panels
    ]
    return few, [*shown.notes, *(["Values of several are pooled."] if several else [])]


def _mean(sample: Sample) -> float:
    return float(sample.known.mean()) if sample.known.size else 0.0


def _of_runs(views: Sequence[RunView], labels: Sequence[str], name: str) -> list[DrawnSample]:
    """All values of each run."""
    return [
        DrawnSample(
            marked(label, bool(view.doubtful)), label, pooled(one.values for one in _samples(view, name))
        )
        for view, label in zip(views, labels, strict=True)
    ]


def _panel(
    views: Sequence[RunView], samples: Sequence[DrawnSample], name: str, logarithmic: bool
) -> CdfPanel:
    made = [
        replace(prepare_cdf_line(one.label, one.values), name=one.name)
        for one in samples
        if one.values.known.size
    ]
    if not made:
        raise AirtcpError(f'there are no samples of "{name}"', str(views[0].run.folder), "Leave it out")
    try:
        return prepare_cdf_panel(quantity_named(name, WHAT).axis_label.replace("\n", " "), made, logarithmic)
    except ValueError as error:
        raise AirtcpError(f'"{name}": {error}', "--log", "Leave --log out") from None


def _samples(view: RunView, name: str) -> list[DrawnSample]:
    """The values of each thing that has the quantity."""
    quantity = quantity_named(name, WHAT)
    if quantity.kind is Kind.EVENT and quantity.entities is not None:
        return drawn_samples(quantity, view)
    return [DrawnSample(line.label, line.look_name, _known(view, line)) for line in _things(view, name)]


def _things(view: RunView, name: str) -> list[Line]:
    quantity = quantity_named(name, WHAT)
    if quantity.shared:
        raise AirtcpError(f'"{name}" is shares of a whole, which have no distribution', WHAT, "Leave it out")
    lines = lines_of(view, name, for_distribution=True)
    leading = [line for line in lines if not line.dashed]
    if quantity.busy_only and any(line.values for line in leading):
        return list(busy_lines(view, quantity, leading))
    return leading


def _known(view: RunView, line: Line) -> Sample:
    """The values of a line in the window; samples without a value were before the first."""
    values = values_in(line, view.start_ns / 1e9, view.stop_ns / 1e9)
    return Sample(values[np.isfinite(values)])


def _caption(views: Sequence[RunView]) -> str:
    if len(views) == 1:
        text = run_caption(views[0])
    else:
        text = f"{len(views)} runs: {', '.join(view.run.name for view in views)}."
    if not views[0].is_whole():
        text += f" From {views[0].start_ns / 1e9:g} s to {views[0].stop_ns / 1e9:g} s."
    return text


def _bins_text(views: Sequence[RunView], what: Sequence[str]) -> str:
    return " ".join(dict.fromkeys(bins_text(view, what) for view in views))
