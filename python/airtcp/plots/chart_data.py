"""The data of a figure as CSV: what is drawn, with names and units, to be drawn again elsewhere."""

import csv
import io
from collections.abc import Iterable, Sequence
from functools import singledispatch

from airtcp.plots.bars import BarChart
from airtcp.plots.boxes import PERCENTILES, BoxPanel
from airtcp.plots.cdf import CdfChart, CdfPanel
from airtcp.plots.coverage_map import CoverageMap
from airtcp.plots.curves import CurveChart
from airtcp.plots.floor_map import FloorMap
from airtcp.plots.gantt import Gantt
from airtcp.plots.heat_map import HeatMap
from airtcp.plots.rate_stack import RateStack
from airtcp.plots.time_series import Panel, TimeSeriesChart

Row = Sequence[object]


def chart_csv(*charts: object) -> str:
    """The data of charts of one kind as text: a header, then a row for each value."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    tables = [list(_rows(chart)) for chart in charts]
    for number, table in enumerate(tables):
        writer.writerows([_written(cell) for cell in row] for row in table[min(number, 1) :])
    return text.getvalue()


def _written(cell: object) -> object:
    # As many digits as distinguish the values.
    return f"{cell:.9g}" if isinstance(cell, float) else _flat(cell) if isinstance(cell, str) else cell


def _flat(text: str) -> str:
    return text.replace("\n", " ")


def _titled(panel: BarChart | CurveChart | BoxPanel | CdfPanel | Panel) -> str:
    """What a panel is of, and its value."""
    return f"{panel.title} {panel.value_label}".strip()


@singledispatch
def _rows(chart: object) -> Iterable[Row]:
    """The header and the rows of a chart."""
    raise TypeError(f"{type(chart).__name__} is not a chart")


@_rows.register
def _(chart: BarChart) -> Iterable[Row]:
    yield "quantity", "group", "series", "value", "least", "most", "note"
    for series in chart.series:
        for group, bar in zip(chart.groups, series.bars, strict=True):
            if bar is not None:
                yield _titled(chart), group, series.label, bar.mean, bar.least, bar.most, bar.note


@_rows.register
def _(chart: CurveChart) -> Iterable[Row]:
    yield "quantity", "line", chart.x_label, "value", "least", "most", "note"
    for curve in chart.curves:
        for x, point in zip(curve.xs, curve.points, strict=True):
            yield _titled(chart), curve.label, x, point.mean, point.least, point.most, point.note


@_rows.register
def _(chart: BoxPanel) -> Iterable[Row]:
    yield "quantity", "group", "series", "count", *(f"p{p}" for p in PERCENTILES), "only_known_to_be_larger"
    for label, boxes in chart.series:
        for group, box in zip(chart.groups, boxes, strict=True):
            if box is not None:
                larger = [f"p{p}" for p, end in zip(PERCENTILES, box.ends, strict=True) if end.at_least]
                ends = (end.value for end in box.ends)
                yield _titled(chart), group, label, box.count, *ends, " ".join(larger)


@_rows.register
def _(chart: CdfChart) -> Iterable[Row]:
    yield "quantity", "line", "value", "cumulative_share"
    for panel in chart.panels:
        for line in panel.lines:
            for value, share in zip(line.values, line.shares, strict=True):
                yield _titled(panel), line.label, value, share


@_rows.register
def _(chart: TimeSeriesChart) -> Iterable[Row]:
    spread = any(line.spread is not None for panel in chart.panels for line in panel.lines)
    yield "quantity", "line", "time_s", "value", *(("from", "to") if spread else ())
    for panel in chart.panels:
        for line in panel.lines:
            edges = line.spread or (line.values, line.values)
            for time_s, value, *ends in zip(line.times_s, line.values, *edges, strict=True):
                known = panel.names[int(value)] if panel.names and value == value else value
                cells = ["" if cell != cell else cell for cell in (known, *(ends if spread else ()))]
                yield _titled(panel), line.label, time_s, *cells


@_rows.register
def _(chart: RateStack) -> Iterable[Row]:
    yield "flow", "from_s", "to_s", "rate_mbps"
    for layer in chart.layers:
        for begin, end, rate in zip(chart.edges_s, chart.edges_s[1:], layer.rates_mbps, strict=False):
            yield layer.label, begin, end, rate


@_rows.register
def _(chart: Gantt) -> Iterable[Row]:
    yield "radio", "to", "start_ns", "end_ns", "kind", "attempt", "outcome", "ru"
    for one in chart.ppdus:
        to = "" if one.to is None else chart.lanes[one.to]
        yield (
            chart.lanes[one.lane],
            to,
            one.start_ns,
            one.end_ns,
            one.kind,
            one.attempt,
            one.outcome,
            one.ru.name if one.ru else "",
        )


@_rows.register
def _(chart: HeatMap) -> Iterable[Row]:
    yield chart.rows.name, chart.columns.name, chart.value_label, "note"
    for row, cells in zip(chart.rows.levels, chart.cells, strict=True):
        for column, cell in zip(chart.columns.levels, cells, strict=True):
            if cell is not None:
                yield row, column, cell.value, cell.note


@_rows.register
def _(chart: FloorMap) -> Iterable[Row]:
    yield "kind", "name", "x_m", "y_m", "to_x_m", "to_y_m", "note"
    for wall in chart.walls:
        yield "wall", wall.label, *wall.begin, *wall.end, ""
    for path in chart.paths:
        for begin, end in zip(path.points, path.points[1:], strict=False):
            yield "path", path.label, *begin, *end, ""
    for place in chart.places:
        yield place.kind, place.label, *place.at, "", "", place.note


@_rows.register
def _(chart: CoverageMap) -> Iterable[Row]:
    yield "x_m", "y_m", "access_point", "signal_dbm", "rate_mbps"
    for y, row in zip(chart.ys, chart.spots, strict=True):
        for x, spot in zip(chart.xs, row, strict=True):
            known = spot.access_point is not None
            joined = chart.access_points[spot.access_point] if spot.access_point is not None else ""
            yield x, y, joined, spot.signal_dbm, spot.rate_mbps if known else ""
