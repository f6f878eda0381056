"""The look of every figure: readable in print, safe for colour-blind readers."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Okabe and Ito's palette, told apart by readers with any of the common colour deficiencies; light and dark
# alternate, so that it survives a black-and-white printer.
COLOURS = ("#56B4E9", "#D55E00", "#009E73", "#F0E442", "#0072B2", "#CC79A7", "#E69F00", "#000000")
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "++", "ooo", "--")

_PARAMETERS: dict[Any, Any] = {
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.color": "#d0d0d0",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "hatch.linewidth": 0.6,
    # The same data gives the same bytes of SVG.
    "svg.hashsalt": "airtcp",
    "svg.fonttype": "none",
}


def new_figure(width_in: float, height_in: float) -> "Figure":
    """An empty figure that needs no display."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.use("Agg")
    for name, value in _PARAMETERS.items():
        mpl.rcParams[name] = value
    return Figure(figsize=(width_in, height_in), layout="constrained")


def save_figure(figure: "Figure", path_without_suffix: Path) -> list[Path]:
    """Writes PNG and SVG; neither holds a date, so equal data makes equal files."""
    png, svg = path_without_suffix.with_suffix(".png"), path_without_suffix.with_suffix(".svg")
    figure.savefig(png, dpi=200, metadata={"Software": None})
    figure.savefig(svg, metadata={"Date": None})
    return [png, svg]
