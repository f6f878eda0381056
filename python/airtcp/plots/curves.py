"""Values over a number that was varied (stations, delay), a line for each series."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from airtcp.plots.bars import FIRST_PANEL_IN, MORE_PANEL_IN, Bar, ErrorBars, Whiskers
from airtcp.plots.style import MARKERS, in_style, line_style, new_figure, set_caption, side_legend
from airtcp.quantities.doubt import caption_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEGEND_ENTRIES_MOST = 20
# Up to so many values that were run are the marks of the axis.
TICKS_MOST = 8


@dataclass(frozen=True)
class Curve:
    """Points in the order of `xs`; each has its value and the ends of its whiskers."""

    label: str
    xs: tuple[float, ...]
    points: tuple[Bar, ...]


@dataclass(frozen=True)
class CurveChart:
    """Curves on one pair of axes; the caption says what the whiskers are."""

    caption: str
    x_label: str
    value_label: str
    curves: tuple[Curve, ...]
    error_bars: ErrorBars


def prepare_curves(
    curves: Sequence[Curve], caption: str, x_label: str, value_label: str, error_bars: ErrorBars
) -> CurveChart:
    """A chart of these curves; an inconsistent curve is a `ValueError`."""
    for curve in curves:
        if len(curve.xs) != len(curve.points) or list(curve.xs) != sorted(set(curve.xs)):
            raise ValueError(f"{curve.label}: the points are not in order")
        for x, point in zip(curve.xs, curve.points, strict=True):
            values = (point.least, point.mean, point.most)
            if not point.least <= point.mean <= point.most or not all(map(math.isfinite, values)):
                raise ValueError(f"{curve.label} at {x:g}: {values} are not in order")
    sentence = "" if error_bars.whiskers is Whiskers.NONE else error_bars.text().removeprefix("Bars: mean; ")
    text = f"{caption} {sentence[:1].upper()}{sentence[1:]}".rstrip()
    text = caption_of(text, (point.note for curve in curves for point in curve.points))
    return CurveChart(text, x_label, value_label, tuple(curves), error_bars)


@in_style
def draw_curves(*charts: CurveChart) -> "Figure":
    """Draws charts under each other; the captions stand under them."""
    figure = new_figure(7.2, FIRST_PANEL_IN + MORE_PANEL_IN * (len(charts) - 1))
    every = figure.subplots(len(charts), 1, squeeze=False)[:, 0]
    for axes, chart in zip(every, charts, strict=True):
        _draw_panel(axes, chart)
    set_caption(figure, *(chart.caption for chart in charts))
    return figure


def _draw_panel(axes: "Axes", chart: CurveChart) -> None:
    for number, curve in enumerate(chart.curves):
        colour, dashes = line_style(number)
        means = [point.mean for point in curve.points]
        axes.plot(
            curve.xs, means, color=colour, linestyle=dashes, linewidth=1.2, label=curve.label,
            marker=MARKERS[number % len(MARKERS)], markersize=4,
        )  # fmt: skip
        if chart.error_bars.whiskers is not Whiskers.NONE:
            errors = [[p.mean - p.least for p in curve.points], [p.most - p.mean for p in curve.points]]
            axes.errorbar(curve.xs, means, errors, fmt="none", ecolor=colour, elinewidth=0.8, capsize=2)
        for x, point in zip(curve.xs, curve.points, strict=True):
            if point.note:
                axes.annotate(point.note, (x, point.most), (0, 2), textcoords="offset points", ha="center")
    ticks = sorted({x for curve in chart.curves for x in curve.xs})
    if len(ticks) <= TICKS_MOST:
        axes.set_xticks(ticks, [f"{x:g}" for x in ticks])
    axes.set_xlabel(chart.x_label)
    axes.set_ylabel(chart.value_label)
    axes.set_ylim(bottom=0)
    axes.grid(axis="x", alpha=0.6)
    if len(chart.curves) <= LEGEND_ENTRIES_MOST:
        side_legend(axes, LEGEND_ENTRIES_MOST)
