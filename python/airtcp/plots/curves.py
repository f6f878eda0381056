"""Values over a number that was varied (stations, delay), a line for each series."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from airtcp.plots.bars import (
    FIRST_PANEL_IN,
    MORE_PANEL_IN,
    Bar,
    ErrorBars,
    Whiskers,
    arrows_text,
    draw_arrows,
    share_axes,
    start_at_zero,
)
from airtcp.plots.style import (
    MARKERS,
    in_style,
    line_style,
    new_figure,
    set_caption,
    set_panel_title,
    side_legend,
)
from airtcp.quantities.doubt import caption_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEGEND_ENTRIES_MOST = 20
# Up to so many values that were run are the marks of the axis.
TICKS_MOST = 8


@dataclass(frozen=True)
class Curve:
    """Points in the order of `xs`; each has its value and the ends of its whiskers.

    `look` is its number, if other figures give it one.
    """

    label: str
    xs: tuple[float, ...]
    points: tuple[Bar, ...]
    look: int | None = None


@dataclass(frozen=True)
class CurveChart:
    """Curves on one pair of axes; the caption says what the whiskers are.

    `title`: of what it is, beside other charts of the same value.
    """

    caption: str
    x_label: str
    value_label: str
    curves: tuple[Curve, ...]
    error_bars: ErrorBars
    title: str = ""


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
    sentence = error_bars.text().removeprefix("Bars: mean; ").replace("Bars:", "Points:", 1)
    sentence = "" if error_bars.whiskers is Whiskers.NONE else sentence
    every = [point for curve in curves for point in curve.points]
    text = f"{caption} {sentence[:1].upper()}{sentence[1:]}{arrows_text(every)}".rstrip()
    text = caption_of(text, (point.note for point in every))
    return CurveChart(text, x_label, value_label, tuple(curves), error_bars)


@in_style
def draw_curves(*charts: CurveChart) -> "Figure":
    """Draws charts under each other; the captions stand under them."""
    figure = new_figure(7.2, FIRST_PANEL_IN + MORE_PANEL_IN * (len(charts) - 1))
    every = figure.subplots(len(charts), 1, squeeze=False)[:, 0]
    labels = list(dict.fromkeys(curve.label for chart in charts for curve in chart.curves))
    looks = {label: number for number, label in enumerate(labels)}
    for axes, chart in zip(every, charts, strict=True):
        _draw_panel(axes, chart, looks)
    share_axes(list(every), [chart.value_label for chart in charts], [_places(chart) for chart in charts])
    _place_legend(list(every), labels)
    set_caption(figure, *(chart.caption for chart in charts))
    return figure


def _place_legend(every: Sequence["Axes"], labels: Sequence[str]) -> None:
    """One legend for all panels, beside the first."""
    handles = {
        label: handle
        for axes in every
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    if len(labels) <= LEGEND_ENTRIES_MOST:
        side_legend(every[0], LEGEND_ENTRIES_MOST, labels, handles)


def _places(chart: CurveChart) -> list[float]:
    return sorted({x for curve in chart.curves for x in curve.xs})


def _draw_panel(axes: "Axes", chart: CurveChart, looks: Mapping[str, int]) -> None:
    for curve in chart.curves:
        number = looks[curve.label] if curve.look is None else curve.look
        colour, dashes = line_style(number)
        means = [point.mean for point in curve.points]
        axes.plot(
            curve.xs, means, color=colour, linestyle=dashes, linewidth=1.2, label=curve.label,
            marker=MARKERS[number % len(MARKERS)], markersize=4,
        )  # fmt: skip
        if chart.error_bars.whiskers is not Whiskers.NONE:
            errors = [[p.mean - p.least for p in curve.points], [p.most - p.mean for p in curve.points]]
            axes.errorbar(curve.xs, means, errors, fmt="none", ecolor=colour, elinewidth=0.8, capsize=2)
            draw_arrows(axes, curve.xs, curve.points, colour)
        for x, point in zip(curve.xs, curve.points, strict=True):
            if point.note:
                axes.annotate(point.note, (x, point.most), (0, 2), textcoords="offset points", ha="center")
    ticks = _places(chart)
    if len(ticks) <= TICKS_MOST:
        axes.set_xticks(ticks, [f"{x:g}" for x in ticks])
    axes.set_xlabel(chart.x_label)
    axes.set_ylabel(chart.value_label)
    set_panel_title(axes, chart.title)
    start_at_zero(axes, [point for curve in chart.curves for point in curve.points])
    axes.grid(axis="x", alpha=0.6)
