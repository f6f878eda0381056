"""Boxes of percentiles, on an axis of values: what is usual, and how bad it gets."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from airtcp.metrics.survival import Estimate, Sample
from airtcp.plots.bars import place_legend, set_groups, share_axes
from airtcp.plots.style import Look, area_style, in_style, new_figure, set_caption, set_panel_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Ends of the whiskers, of the box, and its line.
PERCENTILES = (5, 25, 50, 75, 95)
PANEL_HEIGHT_IN = 3.2
TEXT = "Boxes: 25, 50 and 75 % of the values; whiskers: 5 and 95 %."
ARROWS = " Arrows: higher by an unknown amount."


@dataclass(frozen=True)
class Box:
    """Percentiles of some values: those of `PERCENTILES`, of which some are only known to be larger."""

    ends: tuple[Estimate, ...]
    count: int


@dataclass(frozen=True)
class BoxPanel:
    """Boxes of each series by group; `None` where there are no values. `title`: of what it is, beside other
    panels of the same value; `group_label`: what the groups are; `looks`: the number of each series, if other
    figures give it one.
    """

    value_label: str
    groups: tuple[str, ...]
    series: tuple[tuple[str, tuple[Box | None, ...]], ...]
    logarithmic: bool = False
    title: str = ""
    group_label: str = ""
    looks: tuple[int, ...] | None = None


def box_of(sample: Sample) -> Box | None:
    """The percentiles of a sample with censored values; `None` without any that is known."""
    if not sample.known.size:
        return None
    ends = tuple(sample.quantile(percentile / 100) for percentile in PERCENTILES)
    return Box(ends, sample.size) if all(math.isfinite(end.value) for end in ends) else None


def prepare_boxes(
    groups: Sequence[str],
    series: Mapping[str, Mapping[str, Sample]],
    value_label: str,
    logarithmic: bool = False,
) -> BoxPanel:
    """A panel of `series[label][group]`, in the order given."""
    made = tuple(
        (label, tuple(box_of(own[group]) if group in own else None for group in groups))
        for label, own in series.items()
    )
    every = [box for _, boxes in made for box in boxes if box is not None]
    # A logarithmic axis has no place for 0.
    usable = logarithmic and all(box.ends[0].value > 0 for box in every)
    return BoxPanel(value_label, tuple(groups), made, usable)


@in_style
def draw_boxes(panels: Sequence[BoxPanel], caption: str) -> "Figure":
    """Draws the panels under each other; the caption stands under them."""
    figure = new_figure(7.2, PANEL_HEIGHT_IN * len(panels) + 0.6)
    every = figure.subplots(len(panels), 1, squeeze=False)[:, 0]
    for axes, panel in zip(every, panels, strict=True):
        _draw_panel(axes, panel)
    share_axes(list(every), [panel.value_label for panel in panels], [panel.groups for panel in panels])
    place_legend(figure, every[0], [label for label, _ in panels[0].series])
    bounded = any(box.ends[-1].at_least for panel in panels for _, own in panel.series for box in own if box)
    set_caption(figure, f"{caption} {TEXT}{ARROWS if bounded else ''}")
    return figure


def _draw_panel(axes: "Axes", panel: BoxPanel) -> None:
    width = 0.8 / max(1, len(panel.series))
    for number, (label, boxes) in enumerate(panel.series):
        colour, hatch = area_style(number if panel.looks is None else panel.looks[number])
        look: Look = {"facecolor": colour, "hatch": hatch, "edgecolor": "black", "linewidth": 0.5}
        drawn = [(group, box) for group, box in enumerate(boxes) if box is not None]
        for nth, (group, box) in enumerate(drawn):
            place = group + (number - (len(panel.series) - 1) / 2) * width
            # One entry of the legend for all of a series.
            _draw_box(axes, place, width * 0.8, box, {**look, "label": label if nth == 0 else None})
    if panel.logarithmic:
        axes.set_yscale("log")
    axes.set_xlabel(panel.group_label)
    axes.set_ylabel(panel.value_label)
    set_panel_title(axes, panel.title)
    set_groups(axes, panel.groups)
    if not panel.logarithmic:
        axes.set_ylim(bottom=0)


def _draw_box(axes: "Axes", place: float, width: float, box: Box, look: Look) -> None:
    from matplotlib.patches import Rectangle

    low, first, median, third, high = (end.value for end in box.ends)
    axes.add_patch(Rectangle((place - width / 2, first), width, third - first, **look))
    line: Look = {"color": "black", "linewidth": 0.9}
    axes.plot([place - width / 2, place + width / 2], [median, median], **{**line, "linewidth": 1.6})
    axes.plot([place, place], [low, first], **line)
    axes.plot([place, place], [third, high], **line)
    axes.plot([place - width / 4, place + width / 4], [low, low], **line)
    if box.ends[-1].at_least:
        axes.plot(place, high, marker="^", markersize=5, color="black", clip_on=False)
    else:
        axes.plot([place - width / 4, place + width / 4], [high, high], **line)
