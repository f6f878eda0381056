"""Figures that compare groups of runs."""

from airtcp.metrics.summary import summarise
from airtcp.plots.bars import Bar, draw_bars, prepare_bars
from airtcp.report.html.comparison import across, combination, most_levels, rest
from airtcp.report.html.figure import PageFigure, page_figure
from airtcp.report.html.groups import MEASURES, Group, Groups, Measure
from airtcp.report.html.run_factors import natural
from airtcp.report.html.run_list import DOUBT_MARK

# Beyond these the bars are too thin to be told apart.
BARS_ACROSS_MOST = 30
SERIES_MOST = 6

UNTRUSTED = "In a run the congestion control was not what limited a flow, or a flow failed."


def comparison_figures(groups: Groups) -> list[PageFigure]:
    """Bars of each measure by the factor of the most levels, a series for each combination of the others."""
    figures = []
    for measure in MEASURES:
        series = _series(groups, measure)
        if series and any(series.values()):
            levels = sorted({level for bars in series.values() for level in bars}, key=natural)
            chart = prepare_bars(levels, series, _caption(groups, measure), measure.label)
            figures.append(
                page_figure(f"{measure.name} by {groups.names[most_levels(groups)]}", draw_bars(chart))
            )
    return figures


def _series(groups: Groups, measure: Measure) -> dict[str, dict[str, Bar]]:
    """The bars, by series and level; nothing if they would be too many."""
    crossed = across(groups)
    if crossed is None or len(groups.groups) < 2:
        return {}
    down, others = crossed
    if len(groups.levels(down)) > BARS_ACROSS_MOST or len(others) > SERIES_MOST:
        return {}
    series: dict[str, dict[str, Bar]] = {}
    for group in groups.groups:
        label = combination(groups, down, rest(group.key, down)) or "mean"
        bar = _bar(group, measure)
        if bar is not None:
            series.setdefault(label, {})[group.key[down]] = bar
    return series


def _bar(group: Group, measure: Measure) -> Bar | None:
    values = group.values(measure)
    if not values:
        return None
    found = summarise(values)
    low, high = (
        (found.mean, found.mean) if found.low is None or found.high is None else (found.low, found.high)
    )
    return Bar(found.mean, low, high, DOUBT_MARK.strip() if group.doubted else "")


def _caption(groups: Groups, measure: Measure) -> str:
    captions = dict.fromkeys(
        summarise(values).caption() for g in groups.groups if (values := g.values(measure))
    )
    what = (
        f"Bars: mean over seeds; whiskers: {'; '.join(captions)}."
        if groups.repetitions > 1
        else "Bars: one run each."
    )
    doubt = any(group.doubted for group in groups.groups)
    mark = f"\n{DOUBT_MARK.strip()} {UNTRUSTED}" if doubt else ""
    return f"{measure.name}. {what}{mark}"
