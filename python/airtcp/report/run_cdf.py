"""Distributions of quantities in one run or in several."""

from collections.abc import Sequence

import numpy as np

from airtcp.errors import AirtcpError
from airtcp.metrics.arrays import Floats
from airtcp.plots.cdf import CdfChart, CdfLine, CdfPanel, prepare_cdf, prepare_cdf_line, prepare_cdf_panel
from airtcp.quantities.doubt import marked
from airtcp.quantities.line import Join, Line, values_in
from airtcp.quantities.registry import drawing_of
from airtcp.quantities.run_view import RunView
from airtcp.report.run_figure import bins_text, busy_lines, lines_of, run_caption
from airtcp.report.run_labels import run_labels


def run_cdf(views: Sequence[RunView], what: Sequence[str], logarithmic: bool = False) -> CdfChart:
    """The distributions of these quantities: of one run a line for each thing that has the quantity, of
    several runs a line for each run, over all things in it. What a run does not have is an `AirtcpError`.
    """
    labels = run_labels([view.run for view in views])
    if len(set(labels)) < len(labels):
        raise AirtcpError("the same run is given twice", str(views[0].run.folder), "Give each run once")
    panels = [_panel(views, labels, name, logarithmic) for name in what]
    return prepare_cdf(panels, " ".join(filter(None, (_caption(views), _bins_text(views, what)))))


def _panel(views: Sequence[RunView], labels: Sequence[str], name: str, logarithmic: bool) -> CdfPanel:
    lines = []
    for view, label in zip(views, labels, strict=True):
        if len(views) == 1:
            lines += [_line(view, each.label, [each]) for each in _things(view, name)]
        else:
            lines.append(_line(view, marked(label, bool(view.doubtful)), _things(view, name)))
    made = [line for line in lines if line is not None]
    if not made:
        raise AirtcpError(f'there are no samples of "{name}"', str(views[0].run.folder), "Leave it out")
    try:
        return prepare_cdf_panel(drawing_of(name).axis.replace("\n", " "), made, logarithmic)
    except ValueError as error:
        raise AirtcpError(f'"{name}": {error}', "--log", "Leave --log out") from None


def _things(view: RunView, name: str) -> list[Line]:
    drawing = drawing_of(name)
    if drawing.shared:
        raise AirtcpError(
            f'"{name}" is shares of a whole, which have no distribution', "--what", "Leave it out"
        )
    lines = lines_of(view, name, drawing.distribution or drawing.lines)
    leading = [line for line in lines if not line.dashed]
    if drawing.busy_only and any(line.values for line in leading):
        return list(busy_lines(view, drawing, leading))
    return leading


def _line(view: RunView, label: str, things: Sequence[Line]) -> CdfLine | None:
    values: list[Floats] = [values_in(each, view.start_ns / 1e9, view.stop_ns / 1e9) for each in things]
    every = np.concatenate(values) if values else np.array([])
    known = every[np.isfinite(every)]
    if not known.size:
        return None
    # Packets without a value are lost ones; samples without a value were before the first.
    lost = every.size - known.size if all(each.join is Join.NONE for each in things) else 0
    return prepare_cdf_line(label, known, int(lost))


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
