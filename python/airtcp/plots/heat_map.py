"""A value over two factors of a sweep."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from airtcp.plots.paper import points
from airtcp.plots.style import Look, in_style, new_figure, set_caption
from airtcp.quantities.doubt import caption_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure

# Numbers in the cells, as long as they are legible.
NUMBERED_COLUMNS_MOST, NUMBERED_ROWS_MOST = 16, 24
TICKS_MOST = 40


class Shading(Enum):
    """How a value becomes a colour."""

    VALUES = "values"
    """From the least to the most; equal steps look equal, also in grey (cividis)."""
    DIFFERENCES = "differences"
    """From both sides of 0, equal distances equally strong."""
    RATIOS = "ratios"
    """From both sides of 1, `x` and `1 / x` equally strong."""


_CENTRES = {Shading.DIFFERENCES: 0.0, Shading.RATIOS: 1.0}
# Purple and orange can be distinguished with any common colour deficiency.
_COLOUR_MAPS = {Shading.VALUES: "cividis", Shading.DIFFERENCES: "PuOr", Shading.RATIOS: "PuOr"}


@dataclass(frozen=True)
class Factor:
    """One axis of a sweep: its name with unit, and its levels in order."""

    name: str
    levels: tuple[str, ...]


@dataclass(frozen=True)
class HeatCell:
    """A value; a `note` stands beside it (`DOUBT_MARK`: a doubtful run)."""

    value: float
    note: str = ""


@dataclass(frozen=True)
class HeatMap:
    """`cells[row][column]`, `None` where there is no value. The first row stands at the top."""

    caption: str
    value_label: str
    rows: Factor
    columns: Factor
    cells: tuple[tuple[HeatCell | None, ...], ...]
    shading: Shading

    @property
    def numbered(self) -> bool:
        """Whether there are so few cells that each shows its number."""
        few = len(self.columns.levels) <= NUMBERED_COLUMNS_MOST
        return few and len(self.rows.levels) <= NUMBERED_ROWS_MOST

    def known(self) -> list[HeatCell]:
        """The cells that have a value."""
        return [cell for row in self.cells for cell in row if cell is not None]


def prepare_heat_map(
    factors: tuple[Factor, Factor],
    cells: Mapping[tuple[str, str], HeatCell],
    caption: str,
    value_label: str,
    shading: Shading = Shading.VALUES,
) -> HeatMap:
    """A map of `cells[row level, column level]`; a level that is not there, an inconsistent value, or
    no value at all is a `ValueError`.
    """
    rows, columns = factors
    if not cells:
        raise ValueError("a heat map needs a value")
    for (row, column), cell in cells.items():
        if row not in rows.levels or column not in columns.levels:
            raise ValueError(f"there is no cell {row}, {column}")
        if not math.isfinite(cell.value):
            raise ValueError(f"{row}, {column}: {cell.value} is not a value; leave the cell out")
        if shading is Shading.RATIOS and cell.value <= 0:
            raise ValueError(f"{row}, {column}: {cell.value} is not a ratio")
    made = tuple(tuple(cells.get((row, column)) for column in columns.levels) for row in rows.levels)
    chart = HeatMap(caption, value_label, rows, columns, made, shading)
    return replace(chart, caption=_told(chart))


def _told(chart: HeatMap) -> str:
    """The caption with what the marks of the map mean."""
    text = chart.caption
    if any(cell is None for row in chart.cells for cell in row):
        text += " Hatched: no value."
    if not chart.numbered and chart.shading is not Shading.VALUES:
        text += f" Dotted: below {_CENTRES[chart.shading]:g}."
    return caption_of(text, (cell.note for cell in chart.known()))


@in_style
def draw_heat_map(chart: HeatMap) -> "Figure":
    """Draws the map with its scale beside it; the caption stands under it."""
    rows, columns = len(chart.rows.levels), len(chart.columns.levels)
    figure = new_figure(min(12.0, 2.6 + 0.55 * columns), min(12.0, 1.6 + 0.36 * rows))
    axes = figure.subplots()
    values = [[math.nan if cell is None else cell.value for cell in row] for row in chart.cells]
    norm = _norm(chart)
    image = axes.pcolormesh(
        values, cmap=_COLOUR_MAPS[chart.shading], norm=norm, edgecolors="white", linewidth=0.5
    )
    _hatch_cells(axes, chart)
    if chart.numbered:
        _write_numbers(axes, chart, norm)
    axes.invert_yaxis()
    axes.grid(visible=False)
    axes.set_xlabel(chart.columns.name)
    axes.set_ylabel(chart.rows.name)
    ticks, labels = _ticks(chart.columns.levels)
    axes.set_xticks(ticks, labels, rotation=35, ha="right", rotation_mode="anchor")
    axes.set_yticks(*_ticks(chart.rows.levels))
    _draw_scale(figure, axes, image, chart)
    set_caption(figure, chart.caption)
    return figure


def _draw_scale(figure: "Figure", axes: "Axes", image: "ScalarMappable", chart: HeatMap) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    bar = figure.colorbar(image, ax=axes, label=chart.value_label)
    if chart.shading is Shading.RATIOS:
        bar.ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 1.5, 2.0, 3.0, 5.0, 7.0)))
        bar.ax.yaxis.set_minor_locator(NullLocator())
        bar.ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.3g}"))


def _ticks(levels: Sequence[str]) -> tuple[list[float], list[str]]:
    every = math.ceil(len(levels) / TICKS_MOST)
    return [n + 0.5 for n in range(0, len(levels), every)], list(levels[::every])


def _norm(chart: HeatMap) -> "Normalize":
    """From values to the length of the colour map, 0 to 1."""
    from matplotlib.colors import LogNorm, Normalize

    values = [cell.value for cell in chart.known()]
    if chart.shading is Shading.DIFFERENCES:
        reach = max(abs(value) for value in values) or 1.0
        return Normalize(-reach, reach)
    if chart.shading is Shading.RATIOS:
        reach = max(1.01, *(max(value, 1 / value) for value in values))
        return LogNorm(1 / reach, reach)
    return Normalize(min(values), max(values))


def _hatch_cells(axes: "Axes", chart: HeatMap) -> None:
    from matplotlib.patches import Rectangle

    centre = _CENTRES.get(chart.shading)
    look: Look = {"fill": False, "linewidth": 0.0}
    for y, row in enumerate(chart.cells):
        for x, cell in enumerate(row):
            if cell is None:
                axes.add_patch(Rectangle((x, y), 1, 1, hatch="////", edgecolor="#808080", **look))
            elif centre is not None and cell.value < centre and not chart.numbered:
                axes.add_patch(Rectangle((x, y), 1, 1, hatch="....", edgecolor="black", **look))


def _write_numbers(axes: "Axes", chart: HeatMap, norm: "Normalize") -> None:
    import matplotlib as mpl

    colours = mpl.colormaps[_COLOUR_MAPS[chart.shading]]
    digits = _digits([cell.value for cell in chart.known()])
    for y, row in enumerate(chart.cells):
        for x, cell in enumerate(row):
            if cell is not None:
                red, green, blue, _ = colours(float(norm(cell.value)))
                light = 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.45
                text = f"{cell.value:.{digits}f}{cell.note}"
                look: Look = {"ha": "center", "va": "center", "fontsize": points(7)}
                axes.text(x + 0.5, y + 0.5, text, color="black" if light else "white", **look)


def _digits(values: Sequence[float]) -> int:
    """Digits after the point, so that the largest value has three that count."""
    largest = max(abs(value) for value in values)
    return 2 if largest == 0 else min(4, max(0, 2 - math.floor(math.log10(largest))))
