"""Empirical cumulative distribution functions: which share of the values is at most x."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from airtcp.metrics.arrays import Floats
from airtcp.metrics.distribution import ecdf, quantile
from airtcp.plots.paper import points
from airtcp.plots.style import (
    Look,
    in_style,
    legend_room_in,
    line_style,
    new_figure,
    set_caption,
    side_legend,
)
from airtcp.quantities.doubt import DOUBT_MARK, DOUBT_TEXT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Of a column of the legend; with more entries it is longer than the axis is high.
LEGEND_COLUMN_MOST = 16
# With more lines nobody finds one by its name.
LEGEND_ENTRIES_MOST = 4 * LEGEND_COLUMN_MOST
WIDTH_IN, PANEL_HEIGHT_IN, MARGIN_IN = 7.2, 2.7, 0.7
# With more lines than this an entry of the legend is one line of text, so that it stays beside its axis.
ROOMY_ENTRIES_MOST = 6
QUANTILES = (0.5, 0.95)


@dataclass(frozen=True)
class CdfLine:
    """A step at each different value, in order, up to the share of values that are at most that."""

    label: str
    values: tuple[float, ...]
    shares: tuple[float, ...]
    count: int
    lost: int
    marks: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class CdfPanel:
    """Distributions of one quantity."""

    value_label: str
    lines: tuple[CdfLine, ...]
    logarithmic: bool


@dataclass(frozen=True)
class CdfChart:
    """Panels, one quantity each."""

    caption: str
    panels: tuple[CdfPanel, ...]


def prepare_cdf_line(
    label: str, values: Sequence[float] | Floats, lost: int = 0, quantiles: Sequence[float] = QUANTILES
) -> CdfLine:
    """The distribution of the values, with marks at these quantiles.

    A quantile `q` is the least value that a share of at least `q` does not exceed. `lost` packets have an
    infinite delay (RFC 7679 section 5.1), so the curve ends below 1, and a quantile among them has no mark.
    No value, or one that is not finite, is a `ValueError`.
    """
    given = np.asarray(values, dtype=np.float64)
    if given.size == 0:
        raise ValueError(f"{label}: there are no values")
    if not np.all(np.isfinite(given)):
        raise ValueError(f"{label}: a value is not finite")
    if not all(0 < q <= 1 for q in quantiles):
        raise ValueError("a quantile must be above 0 and at most 1")
    curve = ecdf(given, lost)
    marks = tuple((quantile(given, q, lost), q) for q in quantiles)
    reached = tuple((value, q) for value, q in marks if np.isfinite(value))
    return CdfLine(
        label, tuple(curve.values.tolist()), tuple(curve.shares.tolist()), given.size, lost, reached
    )


def prepare_cdf_panel(value_label: str, lines: Sequence[CdfLine], logarithmic: bool = False) -> CdfPanel:
    """An axis with these lines; one that is logarithmic takes no value of 0 or below (`ValueError`)."""
    for line in lines:
        if logarithmic and line.values[0] <= 0:
            raise ValueError(f"{line.label}: {line.values[0]:g} has no place on a logarithmic axis")
    return CdfPanel(value_label, tuple(lines), logarithmic)


def prepare_cdf(panels: Sequence[CdfPanel], caption: str) -> CdfChart:
    """A chart of these panels; the caption says what the marks are."""
    names: Mapping[float, str] = {0.5: "median"}
    quantiles = sorted({q for panel in panels for line in panel.lines for _, q in line.marks})
    dots = ", ".join(names.get(q, f"{q * 100:g} %") for q in quantiles)
    text = f"{caption} Dots: {dots}." if dots else caption
    doubtful = any(line.label.endswith(DOUBT_MARK) for panel in panels for line in panel.lines)
    return CdfChart(f"{text}\n{DOUBT_TEXT}" if doubtful else text, tuple(panels))


@in_style
def draw_cdf(chart: CdfChart) -> "Figure":
    """Draws the panels under each other; the caption stands under them."""
    count = max(1, len(chart.panels))
    labels = [[_entry(line, roomy=False) for line in panel.lines] for panel in chart.panels]
    room_in = max((legend_room_in(each, LEGEND_COLUMN_MOST) for each in labels), default=0.0)
    figure = new_figure(WIDTH_IN + room_in, PANEL_HEIGHT_IN * count + MARGIN_IN)
    every = figure.subplots(count, 1, squeeze=False)[:, 0]
    for axes, panel in zip(every, chart.panels, strict=False):
        _draw_panel(axes, panel)
    set_caption(figure, chart.caption)
    return figure


def _draw_panel(axes: "Axes", panel: CdfPanel) -> None:
    roomy = len(panel.lines) <= ROOMY_ENTRIES_MOST
    for number, line in enumerate(panel.lines):
        colour, dashes = line_style(number, dashed=True)
        # From 0 up at the least value, and on at 1 to the end of the axis.
        values, shares = (line.values[0], *line.values), (0.0, *line.shares)
        look: Look = {"color": colour, "linestyle": dashes, "linewidth": 1.3}
        axes.plot(values, shares, drawstyle="steps-post", label=_entry(line, roomy), **look)
        for value, share in line.marks:
            axes.plot(value, share, marker="o", markersize=4, color=colour, markeredgecolor="white")
    if panel.logarithmic:
        axes.set_xscale("log")
    axes.set_xlabel(panel.value_label)
    axes.set_ylabel("Cumulative share")
    axes.set_ylim(0, 1.02)
    axes.grid(axis="x", which="both", alpha=0.6)
    if len(panel.lines) <= LEGEND_ENTRIES_MOST:
        size, gap = (7, 0.5) if roomy else (6, 0.25)
        side_legend(axes, LEGEND_COLUMN_MOST, fontsize=points(size), labelspacing=gap)


def _entry(line: CdfLine, roomy: bool) -> str:
    lost = f", {line.lost} lost" if line.lost else ""
    return f"{line.label}{chr(10) if roomy else ' '}(n = {line.count}{lost})"
