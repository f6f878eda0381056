"""Quantities over time, one above the other on one clock."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from airtcp.plots.style import COLOURS, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Of one panel; with more entries a legend would hide what it explains.
LEGEND_ENTRIES_MOST = 12
WIDTH_IN, PANEL_HEIGHT_IN, MARGIN_IN = 7.2, 1.5, 0.8


@dataclass(frozen=True)
class Line:
    """Values at times, which are in order; a value that is not known is NaN.

    A `dashed` line goes with the one before it and has its colour; `points` are not joined.
    """

    label: str
    times_s: tuple[float, ...]
    values: tuple[float, ...]
    dashed: bool = False
    points: bool = False


@dataclass(frozen=True)
class Panel:
    """One quantity: its name with unit, and a line for each thing that has it."""

    value_label: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class TimeSeriesChart:
    """Panels on one axis of time."""

    caption: str
    panels: tuple[Panel, ...]
    end_s: float


def prepare_time_series(panels: Sequence[Panel], caption: str, end_s: float) -> TimeSeriesChart:
    """A chart of these panels; a line that makes no sense is a `ValueError`."""
    for panel in panels:
        for line in panel.lines:
            if len(line.times_s) != len(line.values):
                raise ValueError(f"{line.label}: {len(line.times_s)} times, {len(line.values)} values")
            if any(b < a for a, b in zip(line.times_s, line.times_s[1:], strict=False)):
                raise ValueError(f"{line.label}: the times are not in order")
            if any(math.isinf(value) for value in line.values):
                raise ValueError(f"{line.label}: a value is infinite")
    return TimeSeriesChart(caption, tuple(panels), end_s)


def draw_time_series(chart: TimeSeriesChart) -> "Figure":
    """Draws the panels, with one axis of time; the caption stands under them."""
    count = max(1, len(chart.panels))
    figure = new_figure(WIDTH_IN, PANEL_HEIGHT_IN * count + MARGIN_IN)
    every = figure.subplots(count, 1, sharex=True, squeeze=False)[:, 0]
    for axes, panel in zip(every, chart.panels, strict=False):
        _draw_panel(axes, panel)
    every[-1].set_xlim(0, chart.end_s)
    every[-1].set_xlabel("Time [s]")
    figure.align_ylabels(list(every))
    figure.supxlabel(chart.caption, fontsize=8, wrap=True)
    return figure


def _draw_panel(axes: "Axes", panel: Panel) -> None:
    number = -1
    for line in panel.lines:
        number += not line.dashed
        axes.plot(
            line.times_s,
            line.values,
            color=COLOURS[number % len(COLOURS)],
            linestyle="none" if line.points else ("--" if line.dashed else "-"),
            marker="." if line.points else None,
            markersize=3,
            linewidth=0.8 if line.dashed else 1.1,
            label=line.label,
        )
    axes.set_ylabel(panel.value_label)
    axes.set_ylim(bottom=0)
    if 1 < len(panel.lines) <= LEGEND_ENTRIES_MOST:
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=7)
