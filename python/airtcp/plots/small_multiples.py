"""One quantity of many things over time: a small panel for each, all on the same axes."""

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from airtcp.plots.paper import is_narrow, points
from airtcp.plots.stack import stack_handles
from airtcp.plots.style import in_style, new_figure, set_caption, set_panel_title
from airtcp.plots.time_series import TimeSeriesChart, draw_panel, set_height

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH_IN, PANEL_HEIGHT_IN, MARGIN_IN = 7.2, 1.15, 0.9
# Of a row; narrower panels have no room for their titles.
PANELS_MOST, NARROW_PANELS_MOST = 4, 2
TICKS_MOST = 4


@in_style
def draw_small_multiples(chart: TimeSeriesChart) -> "Figure":
    """Draws the panels of a chart, which have one quantity, in rows; the caption stands under them."""
    count = max(1, len(chart.panels))
    columns = min(NARROW_PANELS_MOST if is_narrow() else PANELS_MOST, math.ceil(math.sqrt(count)))
    rows = -(-count // columns)
    figure = new_figure(WIDTH_IN, PANEL_HEIGHT_IN * rows + MARGIN_IN)
    every = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
    # Titles name what a panel has, so that all lines look alike.
    looks = {line.look_name: 0 for panel in chart.panels for line in panel.lines}
    for axes, panel in zip(every, chart.panels, strict=False):
        draw_panel(axes, replace(panel, title=""), looks)
        set_panel_title(axes, panel.title)
        axes.tick_params(labelsize=points(7))
        axes.locator_params(axis="both", nbins=TICKS_MOST)
    lines = tuple(line for panel in chart.panels for line in panel.lines)
    if lines and not chart.panels[0].stacked:
        set_height(every[0], replace(chart.panels[0], lines=lines))
    every[0].set_xlim(chart.start_s, chart.end_s)
    for place, axes in enumerate(every):
        axes.set_visible(place < count)
        if place + columns >= count:
            axes.set_xlabel("Time [s]", fontsize=points(8))
            axes.tick_params(labelbottom=True)
    if chart.panels:
        figure.supylabel(chart.panels[0].value_label.replace("\n", " "), fontsize=points(9))
        _name_parts(figure, chart)
    set_caption(figure, chart.caption)
    return figure


def _name_parts(figure: "Figure", chart: TimeSeriesChart) -> None:
    """A legend of the parts of stacks, which all panels share."""
    if chart.panels[0].stacked:
        lines = [line for panel in chart.panels for line in panel.lines]
        drawn = {line.label for line in lines if any(line.values[1:])}
        handles = stack_handles([line.label for line in chart.panels[0].lines])
        handles = [handle for handle in handles if handle.get_label() in drawn]
        figure.legend(
            handles=handles,
            loc="outside upper right",
            ncols=min(4, len(handles)),
            frameon=False,
            fontsize=points(7),
        )
