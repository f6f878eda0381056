"""Cumulative distribution functions: the share of values that are at most x, as survival.py estimates it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from airtcp.metrics.survival import Sample
from airtcp.plots.paper import points
from airtcp.plots.style import (
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
    """A step at each different value, in order, up to the share of values that are at most that.

    Beside the `count` of known values, `lost` ones never came, and those `under_way` had not come at the end.
    What has one `name` has one look in every panel; `look` is its number, if other figures give it one.
    """

    label: str
    values: tuple[float, ...]
    shares: tuple[float, ...]
    count: int
    lost: int
    under_way: int
    marks: tuple[tuple[float, float], ...]
    name: str = ""
    look: int | None = None


@dataclass(frozen=True)
class CdfPanel:
    """Distributions of one quantity; `title`: of what, where several panels have one quantity."""

    value_label: str
    lines: tuple[CdfLine, ...]
    logarithmic: bool
    title: str = ""


@dataclass(frozen=True)
class CdfChart:
    """Panels, one quantity each."""

    caption: str
    panels: tuple[CdfPanel, ...]


def prepare_cdf_line(label: str, sample: Sample, quantiles: Sequence[float] = QUANTILES) -> CdfLine:
    """The distribution of a sample, with marks at these quantiles: the estimate of all tables
    (`metrics/survival.py`).

    A quantile `q` is the least value that a share of at least `q` does not exceed. Lost packets have an
    infinite delay (RFC 7679 section 5.1), so the curve ends below 1, and a quantile that the curve does not
    reach has no mark. No value, or one that is not finite, is a `ValueError`.
    """
    if sample.known.size == 0:
        raise ValueError(f"{label}: there are no values")
    if not np.all(np.isfinite(sample.known)):
        raise ValueError(f"{label}: a value is not finite")
    if not all(0 < q <= 1 for q in quantiles):
        raise ValueError("a quantile must be above 0 and at most 1")
    curve = sample.distribution()
    marks = ((sample.quantile(q), q) for q in quantiles)
    return CdfLine(
        label,
        values=tuple(curve.values.tolist()),
        shares=tuple(curve.shares.tolist()),
        count=int(sample.known.size),
        lost=sample.lost,
        under_way=sample.under_way,
        marks=tuple((mark.value, q) for mark, q in marks if not mark.at_least),
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
    return CdfChart(caption_of(text, (line.label for panel in panels for line in panel.lines)), tuple(panels))


@in_style
def draw_cdf(chart: CdfChart) -> "Figure":
    """Draws the panels under each other; the caption stands under them."""
    count = max(1, len(chart.panels))
    labels = [[_entry(line, roomy=False) for line in panel.lines] for panel in chart.panels]
    room_in = max((legend_room_in(each, LEGEND_COLUMN_MOST) for each in labels), default=0.0)
    figure = new_figure(WIDTH_IN + room_in, PANEL_HEIGHT_IN * count + MARGIN_IN)
    every = figure.subplots(count, 1, squeeze=False)[:, 0]
    names = dict.fromkeys(line.name or line.label for panel in chart.panels for line in panel.lines)
    looks = {name: number for number, name in enumerate(names)}
    for axes, panel in zip(every, chart.panels, strict=False):
        _draw_panel(axes, panel, looks)
    set_caption(figure, chart.caption)
    return figure


def _draw_panel(axes: "Axes", panel: CdfPanel, looks: Mapping[str, int]) -> None:
    roomy = len(panel.lines) <= ROOMY_ENTRIES_MOST
    for line in panel.lines:
        number = looks[line.name or line.label] if line.look is None else line.look
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
    set_panel_title(axes, panel.title)
    axes.set_ylabel("Cumulative share")
    axes.set_ylim(0, 1.02)
    axes.grid(axis="x", which="both", alpha=0.6)
    if len(panel.lines) <= LEGEND_ENTRIES_MOST:
        size, gap = (7, 0.5) if roomy else (6, 0.25)
        side_legend(axes, LEGEND_COLUMN_MOST, fontsize=points(size), labelspacing=gap)


def _entry(line: CdfLine, roomy: bool) -> str:
    others = ((line.lost, "lost"), (line.under_way, "under way"))
    counts = ", ".join([f"n = {line.count}", *(f"{count} {what}" for count, what in others if count)])
    return f"{line.label}{chr(10) if roomy else ' '}({counts})"
