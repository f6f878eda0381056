"""A floor as a heat map: the signal, the rate or the access point that a station would have at each place."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from airtcp.plots.bars import place_legend
from airtcp.plots.floor_map import FloorMap, draw_floor, new_floor, write_names
from airtcp.plots.paper import points
from airtcp.plots.style import Look, area_style, in_style, set_caption

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colorbar import Colorbar
    from matplotlib.colors import Colormap, Normalize
    from matplotlib.figure import Figure

# Lines of equal signal: what planners ask for voice, for data, and for a link at all.
SIGNAL_LINES_DBM = (-80.0, -70.0, -67.0, -60.0)
# The colours of signals: stronger than the first everything is fast, weaker than the last nothing is.
STRONGEST_DBM, WEAKEST_DBM = -30.0, -90.0
COLOUR_MAP = "cividis"
# Lighter than the colours themselves, so that walls and names stand out.
WHITE_SHARE = 0.3
NOTHING = "#b8b8b8"
LINE_DASHES: tuple[Any, ...] = ((0, (1, 1.5)), (0, (5, 1.5)), "-", (0, (6, 1.5, 1, 1.5)))


class Shown(Enum):
    """What the map shows."""

    SIGNAL = "signal"
    RATE = "rate"
    ACCESS_POINT = "access-point"


@dataclass(frozen=True)
class Spot:
    """One place: the strongest access point (its number in the map), its signal, and the rate of its data.

    Below the sensitivity of receivers there is neither access point nor rate.
    """

    access_point: int | None
    signal_dbm: float
    rate_mbps: float


@dataclass(frozen=True)
class CoverageMap:
    """`spots[row][column]` at `ys[row]` and `xs[column]` in metres, over a floor."""

    floor: FloorMap
    shown: Shown
    access_points: tuple[str, ...]
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    spots: tuple[tuple[Spot, ...], ...]

    @property
    def value_label(self) -> str:
        """What the colours are."""
        return {
            Shown.SIGNAL: "Signal [dBm]",
            Shown.RATE: "Rate [Mbit/s]",
            Shown.ACCESS_POINT: "Access point",
        }[self.shown]

    def values(self) -> list[list[float]]:
        """What the colours are of; NaN where there is nothing."""
        return [[_value(spot, self.shown) for spot in row] for row in self.spots]


def _value(spot: Spot, shown: Shown) -> float:
    if spot.access_point is None:
        return math.nan
    values = {
        Shown.SIGNAL: spot.signal_dbm,
        Shown.RATE: spot.rate_mbps,
        Shown.ACCESS_POINT: float(spot.access_point),
    }
    return values[shown]


@in_style
def draw_coverage_map(chart: CoverageMap) -> "Figure":
    """Draws the floor over the colours, to scale; the caption stands under it."""
    figure, axes = new_floor(chart.floor)
    axes.grid(visible=False)
    axes.set_facecolor(NOTHING)
    if chart.shown is Shown.ACCESS_POINT:
        _draw_areas(axes, chart)
    else:
        _draw_colours(figure, axes, chart)
    draw_floor(axes, chart.floor)
    place_legend(figure, axes, [str(label) for label in axes.get_legend_handles_labels()[1]])
    set_caption(figure, chart.floor.caption)
    write_names(axes, chart.floor)
    return figure


def _draw_colours(figure: "Figure", axes: "Axes", chart: CoverageMap) -> None:
    values = chart.values()
    rates = _rates(values) if chart.shown is Shown.RATE else []
    look: Look = {"cmap": _colours(), "norm": _norm(rates), "shading": "nearest", "zorder": 0}
    # As a picture: thousands of rectangles would make large files.
    mesh = axes.pcolormesh(chart.xs, chart.ys, values, rasterized=True, **look)
    bar = figure.colorbar(mesh, ax=axes, label=chart.value_label, shrink=0.85)
    if bar.solids is not None:
        bar.solids.set_rasterized(True)
    if chart.shown is Shown.SIGNAL:
        _draw_lines(axes, chart, values)
    elif len(rates) > 1:
        _label_rates(bar, rates)


def _colours() -> "Colormap":
    import matplotlib as mpl
    from matplotlib.colors import ListedColormap

    pure = mpl.colormaps[COLOUR_MAP].resampled(256)
    return ListedColormap([_lighter(pure(number)[:3]) for number in range(256)])


def _lighter(colour: Sequence[float]) -> tuple[float, ...]:
    return tuple((1 - WHITE_SHARE) * part + WHITE_SHARE for part in colour)


def _rates(values: list[list[float]]) -> list[float]:
    """The rates that occur, the slowest first."""
    return sorted({value for row in values for value in row if not math.isnan(value)})


def _norm(rates: list[float]) -> "Normalize":
    """From signals, or from rates, to colours."""
    from matplotlib.colors import BoundaryNorm, Normalize

    if len(rates) > 1:
        # Each rate is a step whose colour goes by its place: rates themselves are far apart at the top.
        return BoundaryNorm([*rates, rates[-1] + 1], 256)
    return Normalize(0, rates[0]) if rates else Normalize(WEAKEST_DBM, STRONGEST_DBM)


def _label_rates(bar: "Colorbar", rates: list[float]) -> None:
    # In the middle of each step, and as many as there is room for.
    every = math.ceil(len(rates) / 16)
    steps = [(begin + end) / 2 for begin, end in itertools.pairwise([*rates, rates[-1] + 1])]
    bar.set_ticks(steps[::every], labels=[f"{rate:g}" for rate in rates[::every]])
    bar.ax.tick_params(labelsize=points(7), length=0)
    bar.minorticks_off()


def _draw_lines(axes: "Axes", chart: CoverageMap, values: list[list[float]]) -> None:
    """Lines of equal signal, which print without colours needs too."""
    known = [value for row in values for value in row if not math.isnan(value)]
    if not known or len(chart.xs) < 2 or len(chart.ys) < 2:
        return
    for level, dashes in zip(SIGNAL_LINES_DBM, LINE_DASHES, strict=True):
        if min(known) < level < max(known):
            look: Look = {"colors": "black", "linewidths": 0.8, "linestyles": [dashes], "zorder": 1}
            axes.contour(chart.xs, chart.ys, values, levels=[level], **look)
            # In the legend: labels on lines would meet walls and names.
            axes.plot([], [], color="black", linewidth=0.8, linestyle=dashes, label=f"{level:g} dBm")


def _draw_areas(axes: "Axes", chart: CoverageMap) -> None:
    """The area of each access point in a colour of its own."""
    from matplotlib.colors import ListedColormap, to_rgb

    count = len(chart.access_points)
    colours = [_lighter(to_rgb(area_style(number)[0])) for number in range(count)]
    look: Look = {"cmap": ListedColormap(colours), "vmin": -0.5, "vmax": count - 0.5, "shading": "nearest"}
    axes.pcolormesh(chart.xs, chart.ys, chart.values(), rasterized=True, zorder=0, **look)
    for colour, name in zip(colours, chart.access_points, strict=True):
        look = {"linestyle": "none", "marker": "s", "markersize": 9, "color": colour}
        axes.plot([], [], label=f"joins {name}", **look)
