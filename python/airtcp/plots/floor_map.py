"""A floor plan from above: walls, radios by role and cell, and the paths of those that move."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from airtcp.plots.bars import place_legend
from airtcp.plots.label_places import Box, Label, Segment, place_labels
from airtcp.plots.paper import Paper, paper, points
from airtcp.plots.style import Look, in_style, line_style, new_figure, set_caption, svg_text

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Point = tuple[float, float]
MARKERS = {"access_point": "^", "station": "o", "mesh": "s", "ad_hoc": "D", "monitor": "x"}
WIDTH_IN, HEIGHT_MOST_IN, HEIGHT_LEAST_IN = 7.2, 9.0, 2.6
# Free space around everything, as a share of the plan's extent.
ROOM = 0.08
# Of the width the plan has what the axis of y leaves; the legend stands above, an axis and the caption below.
AXIS_SHARE, MARGIN_IN = 0.9, 1.2
WALL, DOT_POINTS = "#404040", 6
# Where on a wall its loss may stand, from its middle on.
LOSS_PLACES = (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8)
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
    """A radio: where it is at the start, its name, role, and the number of its cell."""

    at: Point
    label: str
    kind: str
    cell: int


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
    xs, ys = zip(*chart.every_point, strict=True)
    extent = max(max(xs) - min(xs), max(ys) - min(ys), 1.0)
    room = ROOM * extent
    width, height = max(xs) - min(xs) + 2 * room, max(ys) - min(ys) + 2 * room
    height_in = min(HEIGHT_MOST_IN, max(HEIGHT_LEAST_IN, WIDTH_IN * height / width * AXIS_SHARE + MARGIN_IN))
    figure = new_figure(WIDTH_IN, height_in)
    axes = figure.subplots()
    for wall in chart.walls:
        axes.plot(*zip(wall.begin, wall.end, strict=True), color=WALL, linewidth=2.4, solid_capstyle="butt")
    for path in chart.paths:
        _draw_path(axes, path)
    for (kind, cell), places in _by_look(chart.places).items():
        _draw_places(axes, chart, kind, cell, places)
    axes.set_aspect("equal", adjustable="box")
    axes.set_xlim(min(xs) - room, max(xs) + room)
    axes.set_ylim(min(ys) - room, max(ys) + room)
    axes.set_xlabel("x [m]")
    axes.set_ylabel("y [m]")
    axes.grid(visible=True, axis="both", alpha=0.5)
    place_legend(figure, axes, [str(label) for label in axes.get_legend_handles_labels()[1]])
    set_caption(figure, chart.caption)
    _write_labels(figure, axes, chart)
    return figure


def _by_look(places: Sequence[Place]) -> dict[tuple[str, int], list[Place]]:
    found: dict[tuple[str, int], list[Place]] = {}
    for place in places:
        found.setdefault((place.kind, place.cell), []).append(place)
    return found


def _draw_path(axes: "Axes", path: Path) -> None:
    colour, _ = line_style(path.cell)
    for begin, end in zip(path.points, path.points[1:], strict=False):
        arrow: Look = {"arrowstyle": "->", "color": colour, "linewidth": 0.9, "linestyle": "--"}
        axes.annotate("", xy=end, xytext=begin, arrowprops=arrow)


def _draw_places(axes: "Axes", chart: FloorMap, kind: str, cell: int, places: Sequence[Place]) -> None:
    colour, _ = line_style(cell)
    xs, ys = zip(*(place.at for place in places), strict=True)
    label = f"{chart.cells[cell]}: {kind.replace('_', ' ')}"
    look: Look = {"linestyle": "none", "markersize": DOT_POINTS, "color": colour}
    axes.plot(xs, ys, marker=MARKERS.get(kind, "o"), label=label, **look)


def _write_labels(figure: "Figure", axes: "Axes", chart: FloorMap) -> None:
    """The loss of each wall on it, then the names of radios, which are on nothing else."""
    # Only once everything has its place is it known how large a metre is.
    figure.draw_without_rendering()
    dots = [_around(_in_points(figure, axes, place.at)) for place in chart.places]
    walls = [
        Segment(*_in_points(figure, axes, one.begin), *_in_points(figure, axes, one.end))
        for one in chart.walls
    ]
    losses: list[Box] = []
    for wall in chart.walls:
        losses.append(_write_loss(figure, axes, wall, [*dots, *losses]))
    # Radios at one place share a line of names.
    named: dict[Point, list[str]] = {}
    for place in chart.places:
        named.setdefault(place.at, []).append(place.label)
    look: Look = {
        "fontsize": points(7),
        "textcoords": "offset points",
        "annotation_clip": False,
        "va": "bottom",
    }
    texts = [axes.annotate(_listed(names), at, (0, 0), **look) for at, names in named.items()]
    labels = [
        Label(*_in_points(figure, axes, at), box.right - box.left, box.top - box.bottom)
        for at, box in zip(named, (_box_of(figure, text) for text in texts), strict=True)
    ]
    placed = place_labels(labels, _box_of(figure, axes), [*dots, *losses], walls)
    for text, label, at_points in zip(texts, labels, placed, strict=True):
        right, up = at_points.x - label.x, at_points.y - label.y
        text.set_position((right, up))
        if at_points.led:
            end = right + label.width / 2, up + label.height / 2
            line: Look = {"arrowstyle": "-", "linewidth": 0.4, "color": "#808080", "shrinkB": 3}
            axes.annotate("", text.xy, end, textcoords="offset points", arrowprops=line, zorder=1)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def _write_loss(figure: "Figure", axes: "Axes", wall: WallLine, taken: Sequence[Box]) -> Box:
    """The loss of a wall, at its middle or where there is room; what it covers is returned."""
    (x, y), (to_x, to_y) = wall.begin, wall.end
    look: Look = {"fontsize": points(6), "color": WALL, "ha": "center", "va": "center"}
    behind = {"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.8}
    text = axes.text((x + to_x) / 2, (y + to_y) / 2, wall.label, bbox=behind, **look)
    middle = _box_of(figure, text)
    for share in LOSS_PLACES:
        at = x + share * (to_x - x), y + share * (to_y - y)
        right, up = (
            a - b
            for a, b in zip(
                _in_points(figure, axes, at), _in_points(figure, axes, text.get_position()), strict=True
            )
        )
        box = Box(middle.left + right, middle.bottom + up, middle.right + right, middle.top + up)
        if not any(box.overlaps(other) for other in taken):
            text.set_position(at)
            return box
    return middle


def _in_points(figure: "Figure", axes: "Axes", at: Point) -> Point:
    x, y = axes.transData.transform(at)
    return float(x) * 72 / figure.dpi, float(y) * 72 / figure.dpi


def _around(at: Point) -> Box:
    x, y = at
    return Box(x - DOT_POINTS / 2, y - DOT_POINTS / 2, x + DOT_POINTS / 2, y + DOT_POINTS / 2)


def _box_of(figure: "Figure", drawn: "Artist") -> Box:
    """What an artist covers, in points."""
    found = drawn.get_window_extent()
    return Box(*(float(edge) * 72 / figure.dpi for edge in (found.x0, found.y0, found.x1, found.y1)))
