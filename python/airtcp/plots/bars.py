"""Grouped bars with whiskers from the least to the most value."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from airtcp.plots.style import COLOURS, HATCHES, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Bar:
    """A value with its extremes; a `note` is set over the bar (a doubtful run)."""

    mean: float
    least: float
    most: float
    note: str = ""


@dataclass(frozen=True)
class BarSeries:
    """The bars of one series, by group; `None` where there is no value."""

    label: str
    bars: tuple[Bar | None, ...]


@dataclass(frozen=True)
class BarChart:
    """Everything a grouped bar chart shows."""

    caption: str
    value_label: str
    groups: tuple[str, ...]
    series: tuple[BarSeries, ...]


def prepare_bars(
    groups: Sequence[str], series: Mapping[str, Mapping[str, Bar]], caption: str, value_label: str
) -> BarChart:
    """A chart of `series[label][group]`, in the order given; a bar that makes no sense is a `ValueError`."""
    for label, bars in series.items():
        for group, bar in bars.items():
            if group not in groups:
                raise ValueError(f"{label} has a bar for {group}, which is not a group")
            if not bar.least <= bar.mean <= bar.most or not math.isfinite(bar.mean):
                raise ValueError(f"{label}, {group}: {bar.least}, {bar.mean}, {bar.most} are not in order")
    made = tuple(
        BarSeries(label, tuple(bars.get(group) for group in groups)) for label, bars in series.items()
    )
    return BarChart(caption, value_label, tuple(groups), made)


def draw_bars(chart: BarChart) -> "Figure":
    """Draws the chart; the caption stands under it."""
    figure = new_figure(7.2, 3.6)
    axes = figure.subplots()
    width = 0.8 / max(1, len(chart.series))
    for number, series in enumerate(chart.series):
        offset = (number - (len(chart.series) - 1) / 2) * width
        drawn = [(i, bar) for i, bar in enumerate(series.bars) if bar is not None]
        places = [i + offset for i, _ in drawn]
        axes.bar(
            places,
            [bar.mean for _, bar in drawn],
            width * 0.92,
            label=series.label,
            color=COLOURS[number % len(COLOURS)],
            hatch=HATCHES[number % len(HATCHES)],
            edgecolor="black",
            linewidth=0.5,
        )
        _draw_whiskers(axes, places, [bar for _, bar in drawn])
    axes.set_xticks(range(len(chart.groups)), chart.groups, rotation=35, ha="right", rotation_mode="anchor")
    axes.set_ylabel(chart.value_label)
    axes.set_ylim(bottom=0)
    axes.set_xlim(-0.6, len(chart.groups) - 0.4)
    axes.margins(y=0.08)
    figure.legend(loc="outside upper right", ncols=max(1, len(chart.series)), frameon=False)
    figure.supxlabel(chart.caption, fontsize=8, wrap=True)
    return figure


def _draw_whiskers(axes: "Axes", places: Sequence[float], bars: Sequence[Bar]) -> None:
    means = [bar.mean for bar in bars]
    errors = [[bar.mean - bar.least for bar in bars], [bar.most - bar.mean for bar in bars]]
    axes.errorbar(places, means, errors, fmt="none", ecolor="black", elinewidth=0.8, capsize=2)
    for place, bar in zip(places, bars, strict=True):
        if bar.note:
            axes.annotate(bar.note, (place, bar.most), (0, 2), textcoords="offset points", ha="center")
