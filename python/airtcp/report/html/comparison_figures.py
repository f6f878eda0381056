"""Figures that compare groups of runs."""

from dataclasses import replace
from typing import TypeVar

from airtcp.metrics.summary import summarise
from airtcp.plots.bars import Bar, BarChart, ErrorBars, Whiskers, draw_bars, prepare_bars
from airtcp.plots.heat_map import HeatMap
from airtcp.quantities.doubt import DOUBT_MARK, DOUBT_TEXT
from airtcp.quantities.named_number import NamedNumber
from airtcp.report.html.comparison import across, combination, most_levels, rest
from airtcp.report.html.figure import PageFigure, page_figure
from airtcp.report.html.groups import Group, Groups
from airtcp.report.html.run_factors import natural

Chart = TypeVar("Chart", BarChart, HeatMap)
# Beyond these the bars are too thin to be distinguished.
BARS_ACROSS_MOST = 30
SERIES_MOST = 6

_UNTRUSTED = f"{DOUBT_MARK} In a run the congestion control was not what limited a flow, or a flow failed."


def comparison_figures(groups: Groups) -> list[PageFigure]:
    """Bars of each measure by the factor of the most levels, a series for each combination of the others."""
    figures = []
    for measure in groups.measures:
        series = _series(groups, measure)
        if series and any(series.values()):
            chart = _chart(groups, measure, series)
            title = f"{measure.label} by {groups.names[most_levels(groups)]}"
            figures.append(page_figure(title, draw_bars(chart)))
    return figures


def bars_fit(groups: Groups) -> bool:
    """Whether bars could be distinguished; otherwise a map shows more (`comparison_maps`)."""
    crossed = across(groups)
    if crossed is None:
        return False
    down, others = crossed
    return len(groups.levels(down)) <= BARS_ACROSS_MOST and len(others) <= SERIES_MOST


def _series(groups: Groups, measure: NamedNumber) -> dict[str, dict[str, Bar]]:
    """The bars, by series and level; nothing if they would be too many."""
    crossed = across(groups)
    if crossed is None or len(groups.groups) < 2 or not bars_fit(groups):
        return {}
    down, _ = crossed
    series: dict[str, dict[str, Bar]] = {}
    for group in groups.groups:
        label = combination(groups, down, rest(group.key, down)) or "mean"
        bar = _bar(group, measure)
        if bar is not None:
            series.setdefault(label, {})[group.key[down]] = bar
    return series


def _bar(group: Group, measure: NamedNumber) -> Bar | None:
    values = group.values(measure)
    if not values:
        return None
    found = summarise(values)
    low, high = (
        (found.mean, found.mean) if found.low is None or found.high is None else (found.low, found.high)
    )
    return Bar(found.mean, low, high, DOUBT_MARK if group.doubted else "").within(*measure.range)


def _chart(groups: Groups, measure: NamedNumber, series: dict[str, dict[str, Bar]]) -> BarChart:
    levels = sorted({level for bars in series.values() for level in bars}, key=natural)
    caption, whiskers = _told(groups, measure)
    return of_several(prepare_bars(levels, series, caption, measure.label_with_unit, whiskers))


def of_several(chart: Chart) -> Chart:
    """The chart, whose caption says what the mark stands for here: more than in a figure of one run."""
    return replace(chart, caption=chart.caption.replace(DOUBT_TEXT, _UNTRUSTED))


def _told(groups: Groups, measure: NamedNumber) -> tuple[str, ErrorBars]:
    """Caption, and what the whiskers are."""
    if groups.repetitions == 1:
        return f"{measure.label}, one run each.", ErrorBars(Whiskers.NONE)
    methods = dict.fromkeys(
        summarise(values).method for group in groups.groups if (values := group.values(measure))
    )
    return f"{measure.label}.", ErrorBars(Whiskers.CONFIDENCE_95, "seeds", "; ".join(methods))
