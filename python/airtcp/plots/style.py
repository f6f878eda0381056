"""The look of every figure: readable in print, safe for colour-blind readers; equal data, equal bytes."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from airtcp.plots.paper import FONTS, is_narrow, paper, points

if TYPE_CHECKING:
    from io import BytesIO

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's palette, distinguishable with any of the common colour deficiencies, without the yellow,
# which is too light for a thin line on white paper; the first differ in grey.
COLOURS = ("#0072B2", "#E69F00", "#000000", "#D55E00", "#56B4E9", "#009E73", "#CC79A7")
# An area has the hue of the line with its number. Hatches are black, so that no area is.
AREA_COLOURS = tuple("#999999" if colour == "#000000" else colour for colour in COLOURS)
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "++", "ooo", "--")

# Each round of lines has another dash pattern (points drawn, points left out). Plain dashes are left to a
# line that goes with another.
DASHES: tuple[Any, ...] = ("-", (0, (1, 1.2)), (0, (6, 1.5, 1, 1.5)), (0, (3, 1, 1, 1, 1, 1)))
MARKERS = (".", "x", "+", "1", "s", "^", "d")
COMPANION_DASHES = (0, (4, 2))

PICTURES = ("png", "svg", "pdf")
DATA = "csv"
FORMATS = (*PICTURES, DATA)
DOTS_PER_INCH = 200
# Of its height a figure keeps at least this where it is made narrower.
HEIGHT_SHARE_LEAST = 0.75
# Of a legend above an axis.
NARROW_COLUMNS = 3
# Dates and versions of libraries do not belong to the data.
_METADATA: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}

_PARAMETERS: dict[Any, Any] = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.color": "#d0d0d0",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "hatch.linewidth": 0.6,
    # Without a salt the names of an SVG's parts are random.
    "svg.hashsalt": "airtcp",
    "svg.fonttype": "none",
    # Outlines of TrueType fonts, which journals ask for; Type 3 is the default.
    "pdf.fonttype": 42,
}

# Named arguments that several shapes of a figure share.
Look = dict[str, Any]

P = ParamSpec("P")
R = TypeVar("R")


@contextmanager
def figure_style() -> Iterator[None]:
    """airtcp's settings of matplotlib, whatever a user's own are; they come back at the end."""
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_PARAMETERS)
        mpl.rcParams.update({**FONTS[paper().font], "font.size": points(9), "axes.titlesize": points(10)})
        yield


def in_style(draw: Callable[P, R]) -> Callable[P, R]:
    """Makes a function draw with airtcp's settings."""

    @wraps(draw)
    def styled(*arguments: P.args, **named: P.kwargs) -> R:
        with figure_style():
            return draw(*arguments, **named)

    return styled


def line_style(number: int, dashed: bool = False) -> tuple[str, Any]:
    """Colour and dashes of the line with this number, from 0; 28 lines differ.

    The first lines are solid; `dashed` gives each its own dashes at once, which smooth lines bear and grey
    print needs.
    """
    colours = len(COLOURS)
    turn = number if dashed else number // colours
    return COLOURS[number % colours], DASHES[turn % len(DASHES)]


def area_style(number: int) -> tuple[str, str]:
    """Colour and hatch of the area with this number, from 0; 56 areas differ."""
    # There is one colour fewer than hatches, so that each round has other pairs.
    return AREA_COLOURS[number % len(AREA_COLOURS)], HATCHES[number % len(HATCHES)]


def legend_room_in(labels: Sequence[str], per_column: int) -> float:
    """Inches by which a legend of these labels is wider than that of one column."""
    columns = -(-len(labels) // per_column)
    # A letter of 6 points is half as wide as high; a line and the gaps take half an inch.
    column_in = 0.5 + max(map(len, labels), default=0) * 0.5 * 6 / 72
    return max(0, columns - 1) * column_in


def side_legend(
    axes: "Axes",
    per_column: int,
    labels: Sequence[str] | None = None,
    handles: Mapping[str, Any] | None = None,
    **look: Any,
) -> None:
    """A legend right of an axis, in as many columns of at most so many entries as it takes.

    `labels` are its entries in their order, default: all; `handles` what they stand for, default: the axis's
    own.
    """
    if handles is None:
        handles = dict(zip(*axes.get_legend_handles_labels()[::-1], strict=True))
    shown = {label: handles[label] for label in (handles if labels is None else labels) if label in handles}
    entries = len(shown)
    columns = -(-entries // per_column)
    # Columns cost width that the axis would have.
    size = {"fontsize": points(7 if columns <= 1 else 6), **look}
    place: Look = {
        "loc": "upper left",
        "bbox_to_anchor": (1.0, 1.0),
        "columnspacing": 1.0,
        "handlelength": 1.6,
    }
    named: Look = {"handles": list(shown.values()), "labels": list(shown)}
    if entries and is_narrow():
        above: Look = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "columnspacing": 1.0}
        axes.legend(**named, ncols=min(entries, NARROW_COLUMNS), frameon=False, **above, **size)
    elif entries:
        axes.legend(**named, ncols=columns, frameon=False, **place, **size)


def set_panel_title(axes: "Axes", title: str) -> None:
    """What a panel is of, above it; nothing where it needs no title."""
    if title:
        axes.set_title(title, fontsize=points(8), loc="left", pad=3)


def new_figure(width_in: float, height_in: float) -> "Figure":
    """An empty figure that needs no display."""
    from matplotlib.figure import Figure

    chosen = paper().width_in
    if chosen is not None:
        # Lower where it is narrower, but not as much: what stands in it is as high as before.
        height_in *= min(1.0, max(HEIGHT_SHARE_LEAST, chosen / width_in))
        width_in = chosen
    # Laid out at the resolution of its files: at another one texts have other widths, and legends are cut.
    return Figure(figsize=(width_in, height_in), dpi=DOTS_PER_INCH, layout="constrained")


def set_caption(figure: "Figure", *texts: str) -> None:
    """Sets the caption under a figure; lines that several texts have stand once."""
    lines = dict.fromkeys(line for text in texts for line in text.split("\n"))
    if paper().caption:
        figure.supxlabel("\n".join(lines), fontsize=points(8), wrap=True)


def save_figure(
    figure: "Figure", path_without_suffix: Path, formats: Sequence[str] = ("png", "svg"), data: str = ""
) -> list[Path]:
    """Writes the figure in these of `FORMATS`, and its `data`; no file holds a date, so equal data makes
    equal files.
    """
    files = []
    for name in formats:
        if name not in FORMATS:
            raise ValueError(f"there is no format {name}; known: {', '.join(FORMATS)}")
        # Not with_suffix(), which would take the end of "aoyagi2023-4.2" for one.
        file = path_without_suffix.with_name(f"{path_without_suffix.name}.{name}")
        if name == DATA:
            file.write_text(data, encoding="utf-8")
        else:
            _write(figure, name, file)
        files.append(file)
    return files


def svg_text(figure: "Figure") -> str:
    """The figure as the text of an SVG file, with the same bytes as `save_figure` writes."""
    from io import BytesIO

    written = BytesIO()
    _write(figure, "svg", written)
    return written.getvalue().decode()


def _take_names_literally(figure: "Figure") -> None:
    """Names may have dollars, between which matplotlib reads mathematics.

    Only the numbers of logarithmic axes are meant so.
    """
    from matplotlib.text import Text

    ticks: set[Text] = set()
    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        labels = {found for found in axis.findobj(Text) if isinstance(found, Text)} - {axis.label}
        ticks |= labels
        for label in labels:
            label.set_parse_math(axis.get_scale() == "log")
    for text in figure.findobj(Text):
        if isinstance(text, Text) and text not in ticks:
            # Not by set_parse_math(), which captions do not heed when they are wrapped.
            text.set_text(re.sub(r"(?<!\\)\$", r"\\$", text.get_text()))


def _write(figure: "Figure", name: str, file: "Path | BytesIO") -> None:
    from matplotlib.backend_bases import get_registered_canvas_class

    _take_names_literally(figure)
    with figure_style():
        layout = figure.get_layout_engine()
        if layout is not None:
            # Found once: it takes longer than drawing, and each file would find it anew.
            layout.execute(figure)
            figure.set_layout_engine("none")
        # Not by savefig(), which first lays the figure out again by drawing it to nowhere.
        canvas = get_registered_canvas_class(name)(figure)
        getattr(canvas, f"print_{name}")(file, metadata=_METADATA[name])
