"""Figures: their data without drawing, then that drawing makes files."""

import re
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pytest
from airtcp.metrics.survival import Sample
from airtcp.plots.bars import Bar, ErrorBars, Whiskers, draw_bars, prepare_bars
from airtcp.plots.cdf import draw_cdf, prepare_cdf, prepare_cdf_line, prepare_cdf_panel
from airtcp.plots.gantt import Ppdu, draw_gantt, prepare_gantt
from airtcp.plots.heat_map import Factor, HeatCell, draw_heat_map, prepare_heat_map
from airtcp.plots.rate_stack import RateLayer, draw_rate_stack, prepare_rate_stack
from airtcp.plots.style import COLOURS, PICTURES, area_style, line_style, save_figure
from airtcp.plots.time_series import Panel, draw_time_series, prepare_time_series
from airtcp.quantities.line import Join, Line

BINS = ErrorBars(Whiskers.EXTREMES, "bins of 1 s")


def chart(note=""):
    series = {
        "20 packets": {"Reno": Bar(2, 1, 3)},
        "100 packets": {"Reno": Bar(5, 5, 5), "BBR": Bar(1, 0, 9, note)},
    }
    return prepare_bars(["Reno", "BBR"], series, "Figure 5a: RTT.", "RTT [ms]", BINS)


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
        prepare_bars(["Reno"], {"a": {"Reno": bar}}, "", "", BINS)


def test_whiskers_say_what_they_are():
    assert chart().caption == "Figure 5a: RTT. Bars: mean; whiskers: least and most of bins of 1 s."
    assert chart("*").caption.endswith("\n* The congestion control was not what limited the flow.")
    interval = ErrorBars(Whiskers.CONFIDENCE_95, "10 seeds", "Student's t")
    told = "Bars: mean of 10 seeds; whiskers: 95 % confidence interval of the mean (Student's t)."
    assert interval.text() == told
    assert ErrorBars(Whiskers.NONE).text() == "Bars: mean."


@pytest.mark.parametrize(
    ("whiskers", "bar", "why"),
    [
        (Whiskers.NONE, Bar(2, 1, 3), "the chart has none"),
        (Whiskers.DEVIATION, Bar(2, 1, 4), "no standard deviation"),
        (Whiskers.CONFIDENCE_95, Bar(2, float("-inf"), 3), "not in order"),
    ],
)
def test_whiskers_that_are_not_what_they_say_are_refused(whiskers, bar, why):
    with pytest.raises(ValueError, match=why):
        prepare_bars(["Reno"], {"a": {"Reno": bar}}, "", "", ErrorBars(whiskers))


def test_an_interval_may_reach_below_zero():
    made = prepare_bars(["a"], {"x": {"a": Bar(1, -1, 3)}}, "", "", ErrorBars(Whiskers.CONFIDENCE_95))
    assert draw_bars(made).axes[0].get_ylim()[0] < -1
    assert draw_bars(chart()).axes[0].get_ylim()[0] == 0


def test_a_bar_of_no_group_is_refused():
    with pytest.raises(ValueError, match="not a group"):
        prepare_bars(["Reno"], {"a": {"BBR": Bar(1, 1, 1)}}, "", "", BINS)


def test_drawing_makes_png_and_svg_with_the_caption(tmp_path):
    png, svg = save_figure(draw_bars(chart("*")), tmp_path / "figure-5a")
    assert png.read_bytes().startswith(b"\x89PNG")
    text = svg.read_text()
    assert "Figure 5a: RTT." in text
    assert "RTT [ms]" in text
    assert all(label in text for label in ("Reno", "BBR", "20 packets", "100 packets"))


def test_dollars_in_names_are_no_mathematics(tmp_path):
    name = "up $_$"
    line = prepare_cdf_line(name, Sample(np.array([1.0, 200.0, 3000.0])))
    figure = draw_cdf(prepare_cdf([prepare_cdf_panel("RTT [ms]", [line], logarithmic=True)], name))
    (svg,) = save_figure(figure, tmp_path / "dollars", ["svg"])
    text = re.sub("<!--.*?-->", "", svg.read_text())
    assert text.count(name) == 2
    # The numbers of the axis have exponents still.
    assert "$" not in text.replace(name, "")
    bars = prepare_bars([name], {name: {name: Bar(2, 1, 3)}}, name, "Mbit/s", BINS)
    for _ in ("once", "again"):
        (svg,) = save_figure(draw_bars(bars), tmp_path / "bars", ["svg"])
        assert re.sub("<!--.*?-->", "", svg.read_text()).count(name) >= 2


def every_kind():
    """A figure of each kind, made anew."""
    yield "bars", draw_bars(chart("*"))
    line = Line("up", (0.0, 1.0), (1.0, 2.0))
    parts = tuple(Line(name, (0.0, 1.0, 2.0), (3.0, 3.0, 4.0), join=Join.SINCE) for name in ("a", "b"))
    panels = [Panel("x", (line,)), Panel("share", parts, stacked=True)]
    yield "time", draw_time_series(prepare_time_series(panels, "", 2.0))
    curve = prepare_cdf_line("up", Sample(np.array([1.0, 2.0, 3.0]), np.array([np.inf])))
    yield "cdf", draw_cdf(prepare_cdf([prepare_cdf_panel("RTT [ms]", [curve])], ""))
    yield "stack", draw_rate_stack(prepare_rate_stack([0.0, 1.0], [RateLayer("up", (2.0,))], ""))
    factors = (Factor("queue", ("1", "2")), Factor("CCA", ("Reno",)))
    yield "map", draw_heat_map(prepare_heat_map(factors, {("1", "Reno"): HeatCell(3.0)}, "", "Mbit/s"))
    ppdu = Ppdu(0, 10, 0, 1, "data", 1, "collision")
    yield "gantt", draw_gantt(prepare_gantt(["ap1", "sta1"], [ppdu], (0, 20), ""))


def test_equal_data_makes_equal_files_of_every_kind_and_format(tmp_path):
    for (name, one), (_, other) in zip(every_kind(), every_kind(), strict=True):
        first = save_figure(one, tmp_path / f"{name}-4.2", PICTURES)
        second = save_figure(other, tmp_path / f"{name}-again", PICTURES)
        assert [file.name for file in first] == [f"{name}-4.2.{kind}" for kind in ("png", "svg", "pdf")]
        heads = [file.read_bytes()[:5] for file in first]
        assert heads == [b"\x89PNG\r", b"<?xml", b"%PDF-"]
        for file, again in zip(first, second, strict=True):
            assert file.read_bytes() == again.read_bytes(), file.name
            # a date would differ between two days, not between two files of one second
            assert not re.search(rb"CreationDate|<dc:date>|Matplotlib v|matplotlib.org", file.read_bytes())


def test_a_format_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(ValueError, match="known: png, svg, pdf"):
        save_figure(draw_bars(chart()), tmp_path / "a", ["jpg"])


def test_a_users_own_settings_change_nothing_and_stay(tmp_path):
    before = save_figure(draw_bars(chart()), tmp_path / "a")[0].read_bytes()
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "red"}):
        assert save_figure(draw_bars(chart()), tmp_path / "b")[0].read_bytes() == before
        assert mpl.rcParams["font.size"] == 30


def test_many_lines_and_areas_differ():
    assert (
        len({line_style(n) for n in range(28)}) == len({line_style(n, dashed=True) for n in range(28)}) == 28
    )
    assert len({area_style(n) for n in range(56)}) == 56
    # An area has the hue of the line with its number, but for black, on which hatches would not show.
    hues = [(line_style(n)[0], area_style(n)[0]) for n in range(56)]
    assert {pair for pair in hues if len(set(pair)) > 1} == {("#000000", "#999999")}


def luminance(colour):
    red, green, blue = (int(part, 16) / 255 for part in re.findall("..", colour.lstrip("#")))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_neighbouring_colours_differ_in_brightness():
    assert abs(luminance(COLOURS[0]) - luminance(COLOURS[1])) > 0.15
    greys = [luminance(colour) for colour in COLOURS[:5]]
    assert all(abs(a - b) > 0.15 for a, b in pairwise(greys))
    assert min(abs(greys[0] - greys[1]), abs(greys[0] - greys[2])) > 0.15
