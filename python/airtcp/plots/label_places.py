"""Where the names of points go, so that no text lies on another, on a point or on a line."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation, Text
    from matplotlib.transforms import Bbox

Point = tuple[float, float]
# Width and height.
Size = tuple[float, float]
# Directions in which a text may stand from its point, the usual one first.
_DIRECTIONS = ((1, 1), (-1, 1), (1, -1), (-1, -1), (1, 0), (-1, 0), (0, 1), (0, -1))
# How far, in points of print; from the third on a thin line leads back.
_DISTANCES_PT = (4.0, 9.0, 18.0, 30.0, 45.0)
_LEADERS_FROM = 2
# Between texts, in points of print.
_GAP_PT = 1.0
# Shares of a line at which its own text may stand: the middle first.
_ALONG = (0.5, 0.35, 0.65, 0.2, 0.8, 0.1, 0.9)


@dataclass(frozen=True)
class _Candidate:
    """A place for a text: what it costs, of which the first number counts first, and how far it is."""

    cost: tuple[float, ...]
    box: "Bbox"
    distance: int


@dataclass
class LabelPlaces:
    """The places of an axis that texts have taken. Positions are in pixels, so its layout must be final."""

    axes: "Axes"
    taken: "list[Bbox]" = field(default_factory=list)
    lines: list[tuple[Point, Point]] = field(default_factory=list)

    @property
    def _pixels_per_point(self) -> float:
        return float(self.axes.figure.dpi) / 72

    def keep_free(self, points: Iterable[Point], size_pt: float) -> None:
        """No text goes on markers of this size."""
        from matplotlib.transforms import Bbox

        half = size_pt * self._pixels_per_point / 2
        for x, y in self.axes.transData.transform(list(points) or [(0.0, 0.0)])[: len(list(points))]:
            self.taken.append(Bbox.from_extents(x - half, y - half, x + half, y + half))

    def avoid(self, lines: Iterable[tuple[Point, Point]]) -> None:
        """No text goes across these lines if there is another place for it."""
        for ends in lines:
            begin, end = self.axes.transData.transform(ends)
            self.lines.append((tuple(begin), tuple(end)))

    def name(self, at: Point, text: str, **look: Any) -> "Annotation":
        """Writes the name of a point at the best free place near it."""
        label = self.axes.annotate(text, at, (0, 0), textcoords="offset points", **look)
        label.set_in_layout(False)
        best = min(self._candidates(at, self._size(label)), key=lambda candidate: candidate.cost)
        self.taken.append(best.box)
        x, y = self.axes.transData.transform(at)
        ratio = self._pixels_per_point
        label.set_position(((best.box.x0 - x) / ratio, (best.box.y0 - y) / ratio))
        label.set_horizontalalignment("left")
        label.set_verticalalignment("bottom")
        if best.distance >= _LEADERS_FROM:
            self._lead(at, best.box)
        return label

    def _candidates(self, at: Point, size: Size) -> "Iterator[_Candidate]":
        """The places for a text of this size around a point, up to the distance at which one is free."""
        x, y = self.axes.transData.transform(at)
        width, height = size
        for rank, distance in enumerate(_DISTANCES_PT):
            gap, is_free = distance * self._pixels_per_point, False
            for number, (right, up) in enumerate(_DIRECTIONS):
                left, low = x + right * gap - (1 - right) * width / 2, y + up * gap - (1 - up) * height / 2
                box = _box((left, low), width, height)
                covered, crossed = self._covered(box), sum(_crosses(box, line) for line in self.lines)
                is_free |= not covered and not crossed
                yield _Candidate((covered, float(crossed), float(rank), float(number)), box, rank)
            if is_free:
                return

    def along(self, begin: Point, end: Point, text: str, **look: Any) -> "Text | None":
        """Writes the text of a line on it, where no other text is; nowhere if there is no such place."""
        label = self.axes.text(*begin, text, ha="center", va="center", **look)
        label.set_in_layout(False)
        width, height = self._size(label)
        for share in _ALONG:
            at = (begin[0] + share * (end[0] - begin[0]), begin[1] + share * (end[1] - begin[1]))
            x, y = self.axes.transData.transform(at)
            box = _box((x - width / 2, y - height / 2), width, height)
            if not any(_overlap(box, other) for other in self.taken):
                label.set_position(at)
                self.taken.append(box)
                return label
        label.remove()
        return None

    def _size(self, label: "Text") -> Size:
        box = label.get_window_extent()
        gap = _GAP_PT * self._pixels_per_point
        return float(box.width) + gap, float(box.height) + gap

    def _covered(self, box: "Bbox") -> float:
        """The area of a text that would lie on others, or outside the axis."""
        covered = sum(_overlap(box, other) for other in self.taken)
        return covered + max(0.0, box.width * box.height - _overlap(box, self.axes.bbox))

    def _lead(self, at: Point, box: "Bbox") -> None:
        x, y = self.axes.transData.transform(at)
        near = min(max(x, box.x0), box.x1), min(max(y, box.y0), box.y1)
        (to_x, to_y) = self.axes.transData.inverted().transform(near)
        (line,) = self.axes.plot([at[0], to_x], [at[1], to_y], color="#808080", linewidth=0.5, zorder=1.5)
        line.set_in_layout(False)


def settle_layout(axes: "Axes") -> None:
    """Makes the layout of an axis final: what is added from now on has to leave it alone."""
    figure = axes.get_figure(root=True)
    engine = figure.get_layout_engine() if figure is not None else None
    if figure is not None and engine is not None:
        engine.execute(figure)
        figure.set_layout_engine("none")
    axes.apply_aspect()


def _box(corner: Sequence[float], width: float, height: float) -> "Bbox":
    from matplotlib.transforms import Bbox

    return Bbox.from_bounds(corner[0], corner[1], width, height)


def _overlap(a: "Bbox", b: "Bbox") -> float:
    """The area that two boxes share."""
    width = min(a.x1, b.x1) - max(a.x0, b.x0)
    height = min(a.y1, b.y1) - max(a.y0, b.y0)
    return float(width * height) if width > 0 and height > 0 else 0.0


def _crosses(box: "Bbox", line: tuple[Point, Point]) -> bool:
    from matplotlib.path import Path

    return bool(Path(line).intersects_bbox(box, filled=False))
