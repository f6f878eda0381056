"""Where labels of points stand, so that none lies on another one, on a point or on a line."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

# Directions from the point, in the order in which they are preferred: up right first, as on maps (Imhof,
# "Positioning names on maps", The American Cartographer 2, 1975).
_DIRECTIONS = ((1, 1), (1, -1), (-1, 1), (-1, -1), (1, 0), (-1, 0), (0, 1), (0, -1))
# Distances from the point, in points of 1/72 inch; from the second on a line leads to it.
DISTANCES = (4.0, 11.0, 20.0)
# What is worse: outside, on a label or point, on a line; distances and directions only decide among equals.
_OUTSIDE, _ON_TEXT, _ON_LINE, _FURTHER = 100.0, 10.0, 3.0, 0.5


@dataclass(frozen=True)
class Box:
    """A rectangle."""

    left: float
    bottom: float
    right: float
    top: float

    def overlaps(self, other: "Box") -> bool:
        """Whether they share an area."""
        aside = self.right <= other.left or other.right <= self.left
        return not (aside or self.top <= other.bottom or other.top <= self.bottom)

    def holds(self, other: "Box") -> bool:
        """Whether the other one is inside."""
        inside = self.left <= other.left and other.right <= self.right
        return inside and self.bottom <= other.bottom and other.top <= self.top

    def is_crossed(self, line: "Segment") -> bool:
        """Whether a line goes through (Liang and Barsky, ACM Transactions on Graphics 3, 1984)."""
        dx, dy = line.to_x - line.x, line.to_y - line.y
        enter, leave = 0.0, 1.0
        for change, room in (
            (-dx, line.x - self.left),
            (dx, self.right - line.x),
            (-dy, line.y - self.bottom),
            (dy, self.top - line.y),
        ):
            if change == 0:
                if room < 0:
                    return False
            elif change < 0:
                enter = max(enter, room / change)
            else:
                leave = min(leave, room / change)
        return enter < leave


@dataclass(frozen=True)
class Segment:
    """A line between two points."""

    x: float
    y: float
    to_x: float
    to_y: float


@dataclass(frozen=True)
class Label:
    """A point, and the width and height of its text."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Placed:
    """The lower left corner of a text; `led`: it is so far from its point that a line must lead to it."""

    x: float
    y: float
    led: bool


def place_labels(
    labels: Sequence[Label], bounds: Box, boxes: Iterable[Box] = (), lines: Sequence[Segment] = ()
) -> list[Placed]:
    """Where each text stands; all lengths are in the same unit as `DISTANCES`.

    One after the other, those with the most neighbours first, where it covers least of what is there.
    """
    taken = list(boxes)
    found: dict[int, Placed] = {}
    for number in sorted(range(len(labels)), key=lambda n: (-_neighbours(labels, n), n)):
        label = labels[number]
        _, place, box = min(_rated(label, bounds, taken, lines), key=lambda one: one[0])
        found[number] = place
        taken.append(box)
    return [found[number] for number in range(len(labels))]


def _neighbours(labels: Sequence[Label], number: int) -> int:
    own = labels[number]
    reach = own.width + DISTANCES[-1]
    return sum(math.hypot(one.x - own.x, one.y - own.y) < reach for one in labels)


def _rated(
    label: Label, bounds: Box, taken: Sequence[Box], lines: Sequence[Segment]
) -> Iterator[tuple[float, Placed, Box]]:
    """Every place with how bad it is."""
    for step, distance in enumerate(DISTANCES):
        for order, (right, up) in enumerate(_DIRECTIONS):
            x = label.x + right * distance - (0, label.width / 2, label.width)[1 - right]
            y = label.y + up * distance - (0, label.height / 2, label.height)[1 - up]
            box = Box(x, y, x + label.width, y + label.height)
            bad = _OUTSIDE * (not bounds.holds(box)) + step * _FURTHER + order * _FURTHER / len(_DIRECTIONS)
            bad += _ON_TEXT * sum(box.overlaps(other) for other in taken)
            bad += _ON_LINE * sum(box.is_crossed(line) for line in lines)
            yield bad, Placed(x, y, step > 0), box
