"""Quantities over time, one above the other on one clock."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from airtcp.plots.paper import paper
from airtcp.plots.stack import check_stack, draw_stack
from airtcp.plots.style import (
    COMPANION_DASHES,
    MARKERS,
    Look,
    in_style,
    legend_room_in,
    line_style,
    new_figure,
    set_caption,
    set_panel_title,
    side_legend,
)
from airtcp.quantities.doubt import caption_of
from airtcp.quantities.line import Join, Line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Of a column of a panel's legend; with more entries it is longer than the panel is high.
LEGEND_COLUMN_MOST = 9
# With more lines nobody finds one by its name.
LEGEND_ENTRIES_MOST = 4 * LEGEND_COLUMN_MOST
# From so many points on they are small and half transparent, so that the dense places show.
CLOUD_LEAST, CLOUD_ALPHA = 1000, 0.4
# How dark the spread of a group's line is.
SPREAD_ALPHA = 0.18
WIDTH_IN, PANEL_HEIGHT_IN, MARGIN_IN = 7.2, 1.5, 0.8
# Right edge of the panels' names, in widths of an axis left of it: beyond five digits.
LABEL_PLACE = -0.105
# Exponent by which that grows as a figure becomes narrower: ticks have fewer digits there.
NARROWING = 0.5
# From here on a line is a picture within an SVG or PDF, which would be tens of megabytes without.
VECTOR_POINTS_MOST = 20_000
# As many as a panel has height for, one above the other.
NAMES_MOST = 10
# Of the space between two names: lines at one of them stand beside each other in so much of it.
NAMED_SPREAD = 0.5
# Where lost packets are marked, as a share of an axis.
LOST_HEIGHT = 0.97


_STEPS: Mapping[Join, Literal["pre", "post"]] = {Join.SINCE: "pre", Join.UNTIL: "post"}


@dataclass(frozen=True)
class Panel:
    """One quantity: its name with unit, and a line for each thing that has it.

    The lines of a `stacked` panel are parts of a whole, all `Join.SINCE` at the same times, and are drawn as
    areas from the bottom up. Where values are places in a list, `names` are what stands there, from 0.
    `title` is what the panel is of, where several panels have one quantity, and `of` the name of that.
    `adds`: the lines share something, so that those of a group are added.
    """

    value_label: str
    lines: tuple[Line, ...]
    stacked: bool = False
    names: tuple[str, ...] = ()
    title: str = ""
    of: str = ""
    adds: bool = False


@dataclass(frozen=True)
class TimeSeriesChart:
    """Panels on one axis of time."""

    caption: str
    panels: tuple[Panel, ...]
    end_s: float
    start_s: float = 0.0


def prepare_time_series(
    panels: Sequence[Panel], caption: str, end_s: float, start_s: float = 0.0
) -> TimeSeriesChart:
    """A chart of these panels from `start_s` to `end_s`; an inconsistent line is a `ValueError`.

    Of a line that is longer, the value before the start and the one after the end stay, so that it reaches
    the edges of the figure.
    """
    if not start_s < end_s:
        raise ValueError(f"the time from {start_s} s to {end_s} s is empty")
    for panel in panels:
        for line in panel.lines:
            _check(line)
        if panel.stacked and panel.lines:
            _check_stacked(panel)
    cut = [replace(panel, lines=tuple(_cut(x, start_s, end_s) for x in panel.lines)) for panel in panels]
    text = caption_of(caption, (line.label for panel in panels for line in panel.lines))
    return TimeSeriesChart(text, tuple(cut), end_s, start_s)


def _check(line: Line) -> None:
    if len(line.times_s) != len(line.values):
        raise ValueError(f"{line.label}: {len(line.times_s)} times, {len(line.values)} values")
    if np.any(np.diff(np.asarray(line.times_s)) < 0):
        raise ValueError(f"{line.label}: the times are not in order")
    if np.any(np.isinf(np.asarray(line.values, dtype=np.float64))):
        raise ValueError(f"{line.label}: a value is infinite")


def _check_stacked(panel: Panel) -> None:
    times = panel.lines[0].times_s
    for line in panel.lines:
        if line.times_s != times or line.join is not Join.SINCE:
            raise ValueError(f"{line.label}: a stack has values since the same times")
    check_stack(times, [line.label for line in panel.lines], [line.values[1:] for line in panel.lines])


def _cut(line: Line, start_s: float, end_s: float) -> Line:
    times = np.asarray(line.times_s)
    reach = 0 if line.join is Join.NONE else 1
    first = max(0, int(np.searchsorted(times, start_s, side="left")) - reach)
    stop = int(np.searchsorted(times, end_s, side="right")) + reach
    spread = None if line.spread is None else (line.spread[0][first:stop], line.spread[1][first:stop])
    return replace(line, times_s=line.times_s[first:stop], values=line.values[first:stop], spread=spread)


@in_style
def draw_time_series(chart: TimeSeriesChart) -> "Figure":
    """Draws the panels, with one axis of time; the caption stands under them."""
    count = max(1, len(chart.panels))
    legends = new_entries(chart.panels)
    room_in = max((legend_room_in(each, LEGEND_COLUMN_MOST) for each in legends), default=0.0)
    figure = new_figure(WIDTH_IN + room_in, PANEL_HEIGHT_IN * count + MARGIN_IN)
    every = figure.subplots(count, 1, sharex=True, squeeze=False)[:, 0]
    looks = line_looks(chart.panels)
    for axes, panel, legend in zip(every, chart.panels, legends, strict=False):
        draw_panel(axes, panel, looks)
        axes.set_ylabel(panel.value_label)
        if len(legend) <= LEGEND_ENTRIES_MOST:
            side_legend(axes, LEGEND_COLUMN_MOST, legend, labelspacing=0.2)
    every[-1].set_xlim(chart.start_s, chart.end_s)
    every[-1].set_xlabel("Time [s]")
    for axes in every:
        # One under the other; matplotlib's align_ylabels() takes the square of the number of panels.
        axes.yaxis.set_label_coords(_label_place(), 0.5)
    set_caption(figure, chart.caption)
    return figure


def _label_place() -> float:
    """Where the names of panels stand, in widths of an axis left of it."""
    width_in = paper().width_in
    return LABEL_PLACE if width_in is None else LABEL_PLACE * (WIDTH_IN / width_in) ** NARROWING


def line_looks(panels: Sequence[Panel]) -> dict[str, int]:
    """The number of each line's look, by name: the same thing looks the same in every panel."""
    names = (line.look_name for panel in panels if not panel.stacked for line in panel.lines)
    return {name: number for number, name in enumerate(dict.fromkeys(names))}


def new_entries(panels: Sequence[Panel]) -> list[list[str]]:
    """The entries of each panel's legend: what a legend above has named needs no second one."""
    named_above: set[str] = set()
    found = []
    for panel in panels:
        # Of a stack, of which the first is at the bottom, the legend begins at the top.
        parts = [line for line in panel.lines[::-1] if any(line.values[1:])]
        lines = parts if panel.stacked else panel.lines
        own = {named(line): named(line) if _lost(line) else _named_by(line) for line in lines}
        found.append([label for label, name in own.items() if label and name not in named_above])
        named_above.update(own.values())
    return found


def _named_by(line: Line) -> str:
    """What an entry of a legend is of."""
    return named(line) if line.dashed else line.look_name


def draw_panel(axes: "Axes", panel: Panel, looks: Mapping[str, int]) -> None:
    """Draws what is in a panel, under its title, without a legend."""
    if panel.stacked:
        _draw_stacked(axes, panel)
    else:
        _draw_lines(axes, panel, looks)
    set_panel_title(axes, panel.title)


def _draw_stacked(axes: "Axes", panel: Panel) -> None:
    if panel.lines and len(panel.lines[0].times_s) > 1:
        labels = [line.label for line in panel.lines]
        draw_stack(axes, panel.lines[0].times_s, labels, [line.values[1:] for line in panel.lines])


def _draw_lines(axes: "Axes", panel: Panel, looks: Mapping[str, int]) -> None:
    places = {name: place for place, name in enumerate(line_looks([panel]))}
    for line in panel.lines:
        number = looks[line.look_name]
        colour, dashes = line_style(number)
        dots = line.join is Join.NONE
        if line.spread is not None:
            below, above = line.spread
            step = _STEPS.get(line.join)
            look: Look = {"color": colour, "alpha": SPREAD_ALPHA, "linewidth": 0}
            axes.fill_between(line.times_s, below, above, step=step, **look)
        axes.plot(
            line.times_s,
            _beside_others(panel, places[line.look_name], line.values),
            color=colour,
            drawstyle="default" if dots else line.join.value,
            linestyle="none" if dots else (COMPANION_DASHES if line.dashed else dashes),
            marker=MARKERS[number % len(MARKERS)] if dots or len(line.values) == 1 else None,
            markersize=3 if len(line.values) <= CLOUD_LEAST else 2,
            alpha=1.0 if not dots or len(line.values) <= CLOUD_LEAST else CLOUD_ALPHA,
            linewidth=0.8 if line.dashed else 1.1,
            label=named(line),
            rasterized=len(line.values) > VECTOR_POINTS_MOST,
        )
        if dots:
            _mark_lost(axes, line, colour)
    if panel.names:
        _set_names(axes, panel.names)
    else:
        set_height(axes, panel)


def _beside_others(panel: Panel, number: int, values: tuple[float, ...]) -> Sequence[float]:
    """Values of a line; at names somewhat above or below those of other lines, which would hide it."""
    if not panel.names or len(panel.lines) < 2:
        return values
    shift = (number / (len(panel.lines) - 1) - 0.5) * NAMED_SPREAD
    return [value + shift for value in values]


def _lost(line: Line) -> list[float]:
    """When packets were sent that never arrived: the points of a line that have no value."""
    if line.join is not Join.NONE:
        return []
    return [time for time, value in zip(line.times_s, line.values, strict=True) if value != value]


def named(line: Line) -> str:
    """Its name, with how many of its packets were lost; of a line beside another only what it has beside."""
    if line.dashed and line.name and line.label.startswith(f"{line.name} "):
        return f"dashed: {line.label.removeprefix(line.name).strip()}"
    count = len(_lost(line))
    return f"{line.label}, {count} lost" if count and line.label else line.label


def _mark_lost(axes: "Axes", line: Line, colour: str) -> None:
    """A tick at the upper edge for each: their time would be beyond it."""
    if lost := _lost(line):
        heights = [LOST_HEIGHT] * len(lost)
        look: Look = {"linestyle": "none", "marker": "x", "markersize": 4, "color": colour}
        axes.plot(lost, heights, transform=axes.get_xaxis_transform(), clip_on=False, **look)


def _set_names(axes: "Axes", names: Sequence[str]) -> None:
    """The first one on top, as in the legend; of many every second, third, ... has a label."""
    step = -(-len(names) // NAMES_MOST)
    axes.set_yticks(range(0, len(names), step), names[::step])
    axes.set_ylim(len(names) - 0.5, -0.5)


def set_height(axes: "Axes", panel: Panel) -> None:
    """From 0, or below if a value is, to somewhat above the highest value; levels in dB have no 0."""
    drawn = (edge for line in panel.lines for edge in (line.values, *(line.spread or ())))
    values = np.concatenate([np.zeros(0), *(np.asarray(edge, dtype=np.float64) for edge in drawn)])
    known = values[~np.isnan(values)]
    least, most = float(np.min(known, initial=0.0)), float(np.max(known, initial=0.0))
    if known.size and float(np.max(known)) < 0:
        most = float(np.max(known))
        room = max(1.0, 0.07 * (most - least))
        axes.set_ylim(least - room, most + room)
        return
    if least < most:
        room = 0.07 * (most - least)
        axes.set_ylim(least - room if least < 0 else 0.0, most + room)
        return
    axes.set_ylim(0, 1)
    if known.size:
        text = f"{panel.lines[0].label}: 0 all the time" if len(panel.lines) == 1 else "0 all the time"
        axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center")
