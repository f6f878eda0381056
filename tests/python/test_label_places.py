"""Labels of points lie on no other label, point or wall."""

import itertools
import random

from airtcp.plots.floor_map import FloorMap, Place, WallLine, draw_floor_map
from airtcp.plots.label_places import Box, Label, Placed, Segment, place_labels

EVERYWHERE = Box(-500, -500, 500, 500)


def box(label, placed):
    return Box(placed.x, placed.y, placed.x + label.width, placed.y + label.height)


def test_a_label_alone_is_above_its_point_to_the_right():
    assert place_labels([Label(0, 0, 20, 8)], EVERYWHERE) == [Placed(4.0, 4.0, False)]


def test_a_label_keeps_off_walls_points_and_edges():
    label = Label(0, 0, 20, 8)
    wall = Segment(10, -100, 10, 100)
    (placed,) = place_labels([label], EVERYWHERE, lines=[wall])
    assert not box(label, placed).is_crossed(wall)
    (placed,) = place_labels([label], EVERYWHERE, boxes=[Box(0, 2, 40, 20)])
    assert not box(label, placed).overlaps(Box(0, 2, 40, 20))
    (placed,) = place_labels([label], Box(-100, -100, 10, 100))
    assert Box(-100, -100, 10, 100).holds(box(label, placed))


def test_thirty_labels_do_not_overlap():
    dice = random.Random(1)
    labels = [Label(dice.uniform(-150, 150), dice.uniform(-150, 150), 24, 8) for _ in range(30)]
    boxes = [
        box(label, placed) for label, placed in zip(labels, place_labels(labels, EVERYWHERE), strict=True)
    ]
    assert not [pair for pair in itertools.combinations(boxes, 2) if pair[0].overlaps(pair[1])]


def test_a_line_crosses_a_box_it_goes_through():
    unit = Box(0, 0, 1, 1)
    assert unit.is_crossed(Segment(-1, 0.5, 2, 0.5))
    assert unit.is_crossed(Segment(0.5, 0.5, 0.6, 0.6))
    assert not unit.is_crossed(Segment(-1, 0.5, -0.1, 0.5))
    assert not unit.is_crossed(Segment(-1, 2, 2, 2))
    assert not unit.is_crossed(Segment(-1, 0.5, 0.5, 2.1))


def test_names_on_a_floor_plan_are_apart():
    walls = (WallLine((0, 0), (10, 0), "4 dB"), WallLine((5, -4), (5, 4), "12 dB"))
    places = tuple(
        Place((4.2 + 0.8 * (n % 3), -0.6 + 0.6 * (n // 3)), f"meeting-room-{n}", "station", 0)
        for n in range(9)
    )
    figure = draw_floor_map(
        FloorMap("x", ("home",), walls, (*places, Place((0, 3), "ap1", "access_point", 0)), ())
    )
    figure.draw_without_rendering()
    texts = [text for text in figure.axes[0].texts if text.get_text()]
    assert len(texts) == 12
    extents = [text.get_window_extent() for text in texts]
    lapped = [
        (one, other)
        for one, other in itertools.combinations(extents, 2)
        if Box(*one.extents).overlaps(Box(*other.extents))
    ]
    assert lapped == []
