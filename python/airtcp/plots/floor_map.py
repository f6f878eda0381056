"""A floor plan from above: walls, radios by role and cell, and the paths of those that move."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from airtcp.plots.bars import place_legend
from airtcp.plots.label_places import LabelPlaces, settle_layout
from airtcp.plots.paper import Paper, paper, points
from airtcp.plots.style import Look, in_style, line_style, new_figure, set_caption, svg_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Point = tuple[float, float]
MARKER_POINTS = 6.0
MARKERS = {"access_point": "^", "station": "o", "mesh": "s", "ad_hoc": "D", "monitor": "x"}
WIDTH_IN, HEIGHT_MOST_IN, HEIGHT_LEAST_IN = 7.2, 9.0, 2.6
# Free space around everything, as a share of the plan's extent.
ROOM = 0.08
# Of the width the plan has what the axis of y leaves; the legend stands above, an axis and the caption below.
AXIS_SHARE, MARGIN_IN = 0.9, 1.2
# As text, some 50 kB each.
MAPS_KEPT = 256


@dataclass(frozen=True)
class WallLine:
    """A wall from above; the label is its loss."""

    begin: Point
    end: Point
    label: str


@dataclass(frozen=True)
class Place:
    """A radio: where it is at the start, its name, role, and the number of its cell.

    A `note` stands under the name.
    """

    at: Point
    label: str
    kind: str
    cell: int
    note: str = ""


@dataclass(frozen=True)
class Path:
    """Where a radio moves, in straight lines."""

    points: tuple[Point, ...]
    label: str
    cell: int


@dataclass(frozen=True)
class FloorMap:
    """Everything on the plan, in metres."""

    caption: str
    cells: tuple[str, ...]
    walls: tuple[WallLine, ...]
    places: tuple[Place, ...]
    paths: tuple[Path, ...]

    @property
    def every_point(self) -> list[Point]:
        """All that has to be on the plan."""
        ends = [end for wall in self.walls for end in (wall.begin, wall.end)]
        return [*ends, *(place.at for place in self.places), *(p for path in self.paths for p in path.points)]


def floor_map_svg(chart: FloorMap) -> str:
    """The plan as the text of an SVG file. Runs of a campaign share a plan, which is drawn once."""
    return _svg_on(chart, paper())


@lru_cache(maxsize=MAPS_KEPT)
def _svg_on(chart: FloorMap, paper: Paper) -> str:  # noqa: ARG001
    return svg_text(draw_floor_map(chart))


@in_style
def draw_floor_map(chart: FloorMap) -> "Figure":
    """Draws the plan to scale; the caption stands under it."""
    figure, axes = new_floor(chart)
    draw_floor(axes, chart)
    axes.grid(visible=True, axis="both", alpha=0.5)
    place_legend(figure, axes, [str(label) for label in axes.get_legend_handles_labels()[1]])
    set_caption(figure, chart.caption)
    write_names(axes, chart)
    return figure


@dataclass(frozen=True)
class Extent:
    """A rectangle in metres."""

    left: float
    right: float
    low: float
    high: float


def extent_of(chart: FloorMap) -> Extent:
    """What a plan shows: everything, with some room around."""
    xs, ys = zip(*chart.every_point, strict=True)
    room = ROOM * max(max(xs) - min(xs), max(ys) - min(ys), 1.0)
    return Extent(min(xs) - room, max(xs) + room, min(ys) - room, max(ys) + room)


def new_floor(chart: FloorMap) -> "tuple[Figure, Axes]":
    """A figure with an axis to the scale of a plan, still empty."""
    shown = extent_of(chart)
    width, height = shown.right - shown.left, shown.high - shown.low
    height_in = min(HEIGHT_MOST_IN, max(HEIGHT_LEAST_IN, WIDTH_IN * height / width * AXIS_SHARE + MARGIN_IN))
    figure = new_figure(WIDTH_IN, height_in)
    axes = figure.subplots()
    axes.set_aspect("equal", adjustable="box")
    axes.set_xlim(shown.left, shown.right)
    axes.set_ylim(shown.low, shown.high)
    axes.set_xlabel("x [m]")
    axes.set_ylabel("y [m]")
    return figure, axes


def draw_floor(axes: "Axes", chart: FloorMap) -> None:
    """Everything on a plan but its texts, which need the final layout."""
    for wall in chart.walls:
        _draw_wall(axes, wall)
    for path in chart.paths:
        _draw_path(axes, path)
    for (kind, cell), places in _by_look(chart.places).items():
        _draw_places(axes, chart, kind, cell, places)


def write_names(axes: "Axes", chart: FloorMap) -> None:
    """The names of radios beside them, and the losses of walls where names leave room."""
    settle_layout(axes)
    places = LabelPlaces(axes)
    places.keep_free([place.at for place in chart.places], MARKER_POINTS)
    places.avoid([(wall.begin, wall.end) for wall in chart.walls])
    # Radios at one place share a line of names.
    named: dict[Point, list[Place]] = {}
    for place in chart.places:
        named.setdefault(place.at, []).append(place)
    behind = {"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.8}
    look: Look = {"fontsize": points(7), "bbox": behind, "zorder": 4, "linespacing": 1.0}
    for at, there in named.items():
        names = [place.label for place in there]
        text = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
        notes = [place.note for place in there[:4] if place.note]
        places.name(at, "\n".join([text, *notes]), **look)
    look = {"fontsize": points(6), "color": "#404040", "bbox": behind, "zorder": 3}
    for wall in chart.walls:
        places.along(wall.begin, wall.end, wall.label, **look)


def _by_look(places: Sequence[Place]) -> dict[tuple[str, int], list[Place]]:
    found: dict[tuple[str, int], list[Place]] = {}
    for place in places:
        found.setdefault((place.kind, place.cell), []).append(place)
    return found


def _draw_wall(axes: "Axes", wall: WallLine) -> None:
    (x, y), (to_x, to_y) = wall.begin, wall.end
    axes.plot([x, to_x], [y, to_y], color="#404040", linewidth=2.4, solid_capstyle="butt")


def _draw_path(axes: "Axes", path: Path) -> None:
    colour, _ = line_style(path.cell)
    for begin, end in zip(path.points, path.points[1:], strict=False):
        arrow: Look = {"arrowstyle": "->", "color": colour, "linewidth": 0.9, "linestyle": "--"}
        axes.annotate("", xy=end, xytext=begin, arrowprops=arrow)


def _draw_places(axes: "Axes", chart: FloorMap, kind: str, cell: int, places: Sequence[Place]) -> None:
    colour, _ = line_style(cell)
    xs, ys = zip(*(place.at for place in places), strict=True)
    label = f"{chart.cells[cell]}: {kind.replace('_', ' ')}"
    # Stations may stand close around their access point.
    above = kind == "access_point"
    look: Look = {"linestyle": "none", "markersize": MARKER_POINTS + 2 * above, "color": colour}
    look |= {"markeredgecolor": "white", "markeredgewidth": 0.5, "zorder": 3.5 if above else 3}
    axes.plot(xs, ys, marker=MARKERS.get(kind, "o"), label=label, **look)
