"""Areas on top of each other: parts of a whole over time."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from airtcp.plots.paper import points
from airtcp.plots.style import Look, area_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import Patch

# With more entries the legend is longer than an axis is high.
LEGEND_ENTRIES_MOST = 24


def draw_stack(
    axes: "Axes", edges_s: Sequence[float], labels: Sequence[str], values: Sequence[Sequence[float]]
) -> None:
    """Draws one area for each label; `values[i][n]` holds from the edge n to the edge n + 1."""
    import numpy as np

    below = np.zeros(len(edges_s))
    for number, (label, layer) in enumerate(zip(labels, values, strict=True)):
        # A step from the edge before: the first value stands at the first two edges.
        above = below + np.array([layer[0], *layer])
        colour, hatch = area_style(number)
        look: Look = {"facecolor": colour, "hatch": hatch, "edgecolor": "black", "linewidth": 0.3}
        axes.fill_between(edges_s, below, above, step="pre", label=label, **look)
        below = above
    axes.set_ylim(bottom=0)


def stack_handles(labels: Sequence[str]) -> "list[Patch]":
    """What a legend shows for each area of a stack."""
    from matplotlib.patches import Patch

    made = []
    for number, label in enumerate(labels):
        colour, hatch = area_style(number)
        look: Look = {"facecolor": colour, "hatch": hatch, "edgecolor": "black", "linewidth": 0.3}
        made.append(Patch(label=label, **look))
    return made


def draw_stack_legend(axes: "Axes") -> None:
    """A legend in the order of the areas, from the top."""
    handles, labels = axes.get_legend_handles_labels()
    if len(labels) <= LEGEND_ENTRIES_MOST:
        look: Look = {"frameon": False, "fontsize": points(7)}
        axes.legend(handles[::-1], labels[::-1], loc="upper left", bbox_to_anchor=(1.0, 1.0), **look)


def check_stack(edges_s: Sequence[float], labels: Sequence[str], values: Sequence[Sequence[float]]) -> None:
    """Refuses (`ValueError`) what can't be stacked: edges out of order, gaps, values below 0."""
    if len(edges_s) < 2 or any(b <= a for a, b in pairwise(edges_s)):
        raise ValueError("the edges of a stack are at least two, in order")
    for label, layer in zip(labels, values, strict=True):
        if len(layer) != len(edges_s) - 1:
            raise ValueError(f"{label}: {len(layer)} values between {len(edges_s)} edges")
        if not all(math.isfinite(value) and value >= 0 for value in layer):
            raise ValueError(f"{label}: a value is missing or below 0")
