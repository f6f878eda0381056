"""Each kind of figure, prepared from results and drawn."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from airtcp.metrics.survival import Sample, pooled
from airtcp.plots.bars import draw_bars, prepare_bars
from airtcp.plots.boxes import draw_boxes, prepare_boxes
from airtcp.plots.cdf import draw_cdf, prepare_cdf, prepare_cdf_line, prepare_cdf_panel
from airtcp.plots.chart_data import chart_csv
from airtcp.plots.curves import Curve, draw_curves, prepare_curves
from airtcp.plots.heat_map import Factor, HeatCell, draw_heat_map, prepare_heat_map
from airtcp.plots.time_series import Panel, draw_time_series, prepare_time_series
from airtcp.quantities.line import Join, Line
from airtcp.studies.figures.factor_axis import factor_axis
from airtcp.studies.figures.whiskers import all_said, doubt_note, with_whiskers
from airtcp.studies.results import Key, Results, combined, grouped
from airtcp.studies.study import part_levels
from airtcp.studies.study_file import FigureFile, Where

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    # A figure and its data.
    _Made = tuple[Figure, str]


@dataclass(frozen=True)
class DrawnFigure:
    """The figure of a study file, drawn, and what it shows as CSV."""

    request: FigureFile
    figure: "Figure"
    data: str


def draw_figures(results: Results, quick: bool) -> dict[str, DrawnFigure]:
    """The figures by their names; one without runs is left out."""
    drawn = {}
    for figure in results.study.figures:
        if results.chosen(figure.part, figure.where):
            made = _KINDS[figure.kind](results, figure, caption(results, figure, quick))
            if made is not None:
                drawn[figure.id] = DrawnFigure(figure, *made)
    return drawn


def caption(results: Results, figure: FigureFile, quick: bool) -> str:
    """The text under a figure: the paper's numbering first, then that it was computed."""
    short = ", shortened runs" if quick else ""
    return f"{figure.title.rstrip('.')} ({results.study.name}, computed by airtcp{short})."


def _bars(results: Results, figure: FigureFile, text: str) -> "_Made | None":
    keep = [*figure.series, figure.x]
    axis = factor_axis(results, figure, figure.x)
    names = dict(zip(axis.levels, axis.names, strict=True))
    charts = []
    panels = list(_panels(results, figure))
    found = [with_whiskers(results, figure, panel.metric, panel.where, keep) for panel in panels]
    said = all_said([each for _, each in found])
    for panel, (bars, _) in zip(panels, found, strict=True):
        by_key = grouped(bars)
        series = {
            _series_name(results, figure, key): {names[level]: bar for level, bar in own.items()}
            for key, own in by_key.items()
        }
        if any(series.values()):
            chart = prepare_bars(axis.names, series, text, panel.label, said)
            looked = zip(chart.series, by_key, strict=True)
            seen = tuple(replace(one, look=_look(results, figure, key)) for one, key in looked)
            charts.append(replace(chart, series=seen, title=panel.title, group_label=axis.label))
    return (draw_bars(*charts), chart_csv(*charts)) if charts else None


def _lines(results: Results, figure: FigureFile, text: str) -> "_Made | None":
    axis = factor_axis(results, figure, figure.x)
    # A study whose levels are no numbers was refused.
    numbers = dict(zip(axis.levels, axis.numbers or (), strict=True))
    keep, charts = [*figure.series, figure.x], []
    panels = list(_panels(results, figure))
    found = [with_whiskers(results, figure, panel.metric, panel.where, keep) for panel in panels]
    said = all_said([each for _, each in found])
    for panel, (bars, _) in zip(panels, found, strict=True):
        curves = []
        for key, by_level in grouped(bars).items():
            own = sorted(((numbers[x], bar) for x, bar in by_level.items()), key=lambda at: at[0])
            xs, points = tuple(x for x, _ in own), tuple(bar for _, bar in own)
            name, look = _series_name(results, figure, key), _look(results, figure, key)
            curves.append(Curve(name, xs, points, look))
        if curves:
            chart = prepare_curves(curves, text, axis.label, panel.label, said)
            charts.append(replace(chart, title=panel.title))
    return (draw_curves(*charts), chart_csv(*charts)) if charts else None


def _boxes(results: Results, figure: FigureFile, text: str) -> "_Made | None":
    """Percentiles over all seeds: by the levels of `x`, or by what has the values."""
    panels = []
    for panel in _panels(results, figure):
        found: dict[str, dict[str, Sample]] = {}
        looks = []
        for name, look, chosen in _series(results, figure, panel.where):
            found[name] = dict(_boxed(results, figure, panel.metric, chosen))
            looks.append(look)
        groups = list(dict.fromkeys(group for own in found.values() for group in own))
        if groups:
            made = prepare_boxes(groups, found, panel.label, figure.log)
            of = factor_axis(results, figure, figure.x).label if figure.x else ""
            panels.append(replace(made, title=panel.title, group_label=of, looks=tuple(looks)))
    return (draw_boxes(panels, text), chart_csv(*panels)) if panels else None


def _boxed(results: Results, figure: FigureFile, metric: str, where: Where) -> Iterator[tuple[str, Sample]]:
    """The groups of one series, each with its values of all runs."""
    if figure.x:
        axis = factor_axis(results, figure, figure.x)
        for level, name in zip(axis.levels, axis.names, strict=True):
            chosen = combined(where, {figure.x: level})
            if results.chosen(figure.part, chosen):
                yield name, results.sample(figure.part, metric, chosen)
        return
    by_name: dict[str, list[Sample]] = {}
    for run in results.samples(figure.part, metric, where):
        for name, sample in run.items():
            by_name.setdefault(name, []).append(sample)
    for name, samples in by_name.items():
        yield name, pooled(samples)


def _cdf(results: Results, figure: FigureFile, text: str) -> "_Made | None":
    panels = []
    for panel in _panels(results, figure):
        lines = []
        for name, look, chosen in _series(results, figure, panel.where):
            sample = results.sample(figure.part, panel.metric, chosen)
            if sample.known.size:
                lines.append(replace(prepare_cdf_line(name or "all", sample), look=look))
        if lines:
            panels.append(replace(prepare_cdf_panel(panel.label, lines, figure.log), title=panel.title))
    chart = prepare_cdf(panels, text)
    return (draw_cdf(chart), chart_csv(chart)) if panels else None


def _ratio(results: Results, figure: FigureFile, text: str) -> "_Made | None":
    """Distribution of ours over the reference's, over the runs that differ in what is no series."""
    lines = []
    for name, look, chosen in _series(results, figure, figure.where):
        ratios = results.ratios(figure.part, figure.metrics[0], chosen)
        if ratios.size:
            lines.append(replace(prepare_cdf_line(name or "all", Sample(ratios)), look=look))
    if not lines or results.reference is None:
        return None
    panel = prepare_cdf_panel(_label(results, figure, 0), lines)
    chart = prepare_cdf([panel], f"{text} Ratio to {results.reference.name}.")
    return draw_cdf(chart), chart_csv(chart)


def _matrix(results: Results, figure: FigureFile, text: str) -> "_Made | None":
    """Means over seeds, by the levels of two factors: those of `x` across, those of `series` down."""
    down, across = factor_axis(results, figure, figure.series[0]), factor_axis(results, figure, figure.x)
    rows, columns = (dict(zip(axis.levels, axis.names, strict=True)) for axis in (down, across))
    metric = figure.metrics[0]
    found = results.values(figure.part, metric, figure.where, [figure.series[0], figure.x])
    cells = {
        (rows[row], columns[column]): HeatCell(value.mean, doubt_note(value))
        for (row, column), value in found.items()
        if value.summary.count
    }
    if not cells:
        return None
    seeds = f" Means of {results.seeds} seeds." if results.seeds > 1 else ""
    factors = Factor(down.label, down.names), Factor(across.label, across.names)
    chart = prepare_heat_map(factors, cells, f"{text}{seeds}", _label(results, figure, 0))
    return draw_heat_map(chart), chart_csv(chart)


def _time(results: Results, figure: FigureFile, text: str) -> "_Made | None":
    panels = []
    ends_s = [0.0]
    for panel in _panels(results, figure):
        lines = []
        for name, _, chosen in _series(results, figure, panel.where):
            lines += _lines_of_run(results, figure, panel.metric, chosen, name)
        if lines:
            panels.append(Panel(panel.label, tuple(lines), title=panel.title))
            ends_s += [line.times_s[-1] for line in lines if line.times_s]
    if not panels or max(ends_s) <= 0:
        return None
    seed = min(case.seed for case, _ in results.chosen(figure.part, figure.where))
    caption = f"{text} Seed {seed}." if results.seeds > 1 else text
    chart = prepare_time_series(panels, caption, max(ends_s))
    return draw_time_series(chart), chart_csv(chart)


def _lines_of_run(results: Results, figure: FigureFile, metric: str, where: Where, name: str) -> list[Line]:
    """The lines of the first seed's run: over time, runs are not averaged."""
    _, folder = min(results.chosen(figure.part, where), key=lambda end: end[0].seed)
    found = results.measured[folder].lines[metric]
    join = Join.SINCE if figure.join == "steps" else Join.STRAIGHT
    several = len(found) > 1
    return [
        Line(
            " ".join(part for part in (name, label if several or not name else "") if part),
            tuple(times.tolist()),
            tuple(values.tolist()),
            join=join,
        )
        for label, (times, values) in found.items()
    ]


def _series(results: Results, figure: FigureFile, where: Where) -> Iterator[tuple[str, int, Where]]:
    """Each bar or line of its own: its name, the number of its look, and the levels it chooses."""
    runs = results.chosen(figure.part, where)
    for key in dict.fromkeys(tuple(case.levels[name] for name in figure.series) for case, _ in runs):
        chosen = combined(where, dict(zip(figure.series, key, strict=True)))
        yield _series_name(results, figure, key), _look(results, figure, key), chosen


def _look(results: Results, figure: FigureFile, key: Key) -> int:
    """The number of a combination of levels among all of the study: in every figure it looks the same."""
    number = 0
    for factor, level in zip(figure.series, key, strict=True):
        levels = part_levels(results.study, figure.part, factor)
        number = number * len(levels) + levels.index(level)
    return number


@dataclass(frozen=True)
class _Panel:
    """An axis: its metric, the text beside it and the title above it, and the levels it chooses."""

    metric: str
    label: str
    where: Where
    title: str = ""


def _panels(results: Results, figure: FigureFile) -> Iterator[_Panel]:
    """From above: each metric, and of it each level of the factor of panels."""
    for number, metric in enumerate(figure.metrics):
        label = _label(results, figure, number)
        if not figure.panels:
            yield _Panel(metric, label, figure.where)
            continue
        for level in results.levels(figure.part, figure.panels, figure.where):
            where = combined(figure.where, {figure.panels: level})
            name = results.study.factors[figure.panels].name
            yield _Panel(metric, label, where, f"{name}: {results.study.label(figure.panels, level)}")


def _label(results: Results, figure: FigureFile, number: int) -> str:
    """The text beside the axis of a metric."""
    if isinstance(figure.label, list):
        return figure.label[number]
    return (
        figure.label if figure.label and len(figure.metrics) == 1 else results.label(figure.metrics[number])
    )


def _series_name(results: Results, figure: FigureFile, key: Key) -> str:
    label = results.study.label
    return ", ".join(label(factor, level) for factor, level in zip(figure.series, key, strict=True))


_KINDS: dict[str, Callable[[Results, FigureFile, str], "_Made | None"]] = {
    "bars": _bars,
    "lines": _lines,
    "boxes": _boxes,
    "cdf": _cdf,
    "time": _time,
    "ratio": _ratio,
    "matrix": _matrix,
}
