"""Figures: their data without drawing, then that drawing makes files."""

import re

import pytest
from airtcp.plots.bars import Bar, draw_bars, prepare_bars
from airtcp.plots.style import COLOURS, save_figure


def chart(note=""):
    series = {
        "20 packets": {"Reno": Bar(2, 1, 3)},
        "100 packets": {"Reno": Bar(5, 5, 5), "BBR": Bar(1, 0, 9, note)},
    }
    return prepare_bars(["Reno", "BBR"], series, "Figure 5a: RTT.", "RTT [ms]")


def test_bars_keep_the_order_of_groups_and_leave_gaps():
    made = chart()
    assert made.groups == ("Reno", "BBR")
    assert [series.bars for series in made.series] == [
        (Bar(2, 1, 3), None),
        (Bar(5, 5, 5), Bar(1, 0, 9)),
    ]


@pytest.mark.parametrize("bar", [Bar(1, 2, 3), Bar(5, 1, 3), Bar(float("nan"), 1, 2)])
def test_bars_out_of_order_are_refused(bar):
    with pytest.raises(ValueError, match="not in order"):
        prepare_bars(["Reno"], {"a": {"Reno": bar}}, "", "")


def test_a_bar_of_no_group_is_refused():
    with pytest.raises(ValueError, match="not a group"):
        prepare_bars(["Reno"], {"a": {"BBR": Bar(1, 1, 1)}}, "", "")


def test_drawing_makes_png_and_svg_with_the_caption(tmp_path):
    png, svg = save_figure(draw_bars(chart("*")), tmp_path / "figure-5a")
    assert png.read_bytes().startswith(b"\x89PNG")
    text = svg.read_text()
    assert "Figure 5a: RTT." in text
    assert "RTT [ms]" in text
    assert all(label in text for label in ("Reno", "BBR", "20 packets", "100 packets"))


def test_equal_data_makes_equal_files(tmp_path):
    first = save_figure(draw_bars(chart()), tmp_path / "a")
    second = save_figure(draw_bars(chart()), tmp_path / "b")
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes()


def luminance(colour):
    red, green, blue = (int(part, 16) / 255 for part in re.findall("..", colour.lstrip("#")))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_neighbouring_colours_differ_in_brightness():
    assert abs(luminance(COLOURS[0]) - luminance(COLOURS[1])) > 0.15
