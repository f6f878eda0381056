"""Distributions, stacks, maps and Gantt charts: their data by value, and what of it is drawn."""

import math
from dataclasses import replace

import numpy as np
import pytest
from airtcp.metrics.survival import Sample
from airtcp.plots.cdf import draw_cdf, prepare_cdf, prepare_cdf_line, prepare_cdf_panel
from airtcp.plots.gantt import (
    KIND_LOOKS,
    PPDUS_MOST,
    PlacedRu,
    Ppdu,
    TooManyPpdusError,
    box_text,
    draw_gantt,
    prepare_gantt,
)
from airtcp.plots.heat_map import Factor, HeatCell, Shading, draw_heat_map, prepare_heat_map
from airtcp.plots.rate_stack import RateLayer, draw_rate_stack, prepare_rate_stack
from airtcp.plots.time_series import Panel, draw_time_series, prepare_time_series
from airtcp.quantities.line import Join, Line
from airtcp.wifi.resource_unit import ResourceUnit


def known(*values):
    """A sample of which every value is known."""
    return Sample(np.array(values, dtype=float))


def test_a_distribution_steps_at_each_value():
    line = prepare_cdf_line("up", known(3.0, 1.0, 3.0, 2.0), quantiles=(0.5, 0.75, 1.0))
    assert line.values == (1.0, 2.0, 3.0)
    assert line.shares == (0.25, 0.5, 1.0)
    assert line.marks == ((2.0, 0.5), (3.0, 0.75), (3.0, 1.0))
    assert (line.count, line.lost, line.under_way) == (4, 0, 0)


def test_what_was_lost_keeps_a_distribution_below_one():
    sample = Sample(np.array([1.0, 2.0, 3.0]), np.array([math.inf]))
    line = prepare_cdf_line("up", sample, quantiles=(0.5, 0.95))
    assert line.shares == pytest.approx((0.25, 0.5, 0.75))
    assert line.marks == ((2.0, 0.5),)
    assert (line.count, line.lost, line.under_way) == (3, 1, 0)


def test_what_was_under_way_is_not_lost():
    """Of four packets one was seen for 1.5 ms only: from then on the others stand for it."""
    line = prepare_cdf_line("up", Sample(np.array([1.0, 2.0, 3.0]), np.array([1.5])), quantiles=(0.5, 0.95))
    assert line.shares == pytest.approx((1 / 4, 1 - 3 / 4 * 1 / 2, 1))
    assert line.marks == ((2.0, 0.5), (3.0, 0.95))
    assert (line.count, line.lost, line.under_way) == (3, 0, 1)
    (axes,) = draw_cdf(prepare_cdf([prepare_cdf_panel("RTT [ms]", [line])], "")).axes
    assert axes.get_legend().get_texts()[0].get_text() == "up\n(n = 3, 1 under way)"


@pytest.mark.parametrize("values", [[], [1.0, math.nan], [math.inf]])
def test_a_distribution_of_nothing_or_of_no_numbers_is_refused(values):
    with pytest.raises(ValueError, match="up: "):
        prepare_cdf_line("up", known(*values))


def test_a_logarithmic_axis_has_no_place_for_zero():
    line = prepare_cdf_line("up", known(0.0, 1.0))
    assert prepare_cdf_panel("x", [line]).logarithmic is False
    with pytest.raises(ValueError, match="no place on a logarithmic axis"):
        prepare_cdf_panel("x", [line], logarithmic=True)


def test_a_drawn_distribution_starts_at_zero_and_names_its_marks():
    chart = prepare_cdf(
        [prepare_cdf_panel("RTT [ms]", [prepare_cdf_line("a *", known(10.0, 20.0))], True)], "Run x."
    )
    assert chart.caption.startswith("Run x. Dots: median, 95 %.\n* The congestion control")
    (axes,) = draw_cdf(chart).axes
    curve = axes.lines[0]
    assert (list(curve.get_xdata()), list(curve.get_ydata())) == ([10.0, 10.0, 20.0], [0.0, 0.5, 1.0])
    assert (curve.get_drawstyle(), axes.get_xscale()) == ("steps-post", "log")
    assert axes.get_legend().get_texts()[0].get_text() == "a *\n(n = 2)"


def test_layers_stand_on_each_other():
    layers = [RateLayer("first", (4.0, 2.0)), RateLayer("second *", (0.0, 3.0))]
    chart = prepare_rate_stack([0.0, 1.0, 2.0], layers, "Run x.")
    assert chart.total_mbps == (4.0, 5.0)
    assert "was not what limited" in chart.caption
    (axes,) = draw_rate_stack(chart).axes
    top = axes.collections[1].get_datalim(axes.transData)
    assert (top.y1, axes.get_xlim()) == (5.0, (0.0, 2.0))
    # from the top, as the areas stand
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["second *", "first"]


@pytest.mark.parametrize(
    ("edges", "rates"), [([0.0], ()), ([0.0, 0.0], (1.0,)), ([0.0, 1.0], (1.0, 2.0)), ([0.0, 1.0], (-1.0,))]
)
def test_stacks_that_make_no_sense_are_refused(edges, rates):
    with pytest.raises(ValueError, match=r"edges|values|below 0"):
        prepare_rate_stack(edges, [RateLayer("a", rates)], "")


def test_a_window_keeps_the_neighbours_of_what_it_shows():
    times, values = (0.0, 1.0, 2.0, 3.0, 4.0), (0.0, 10.0, 20.0, 30.0, 40.0)
    lines = (Line("line", times, values), Line("points", times, values, join=Join.NONE))
    chart = prepare_time_series([Panel("x", lines)], "", 2.5, 1.5)
    assert [line.times_s for line in chart.panels[0].lines] == [(1.0, 2.0, 3.0), (2.0,)]
    assert draw_time_series(chart).axes[0].get_xlim() == (1.5, 2.5)
    with pytest.raises(ValueError, match="is empty"):
        prepare_time_series([], "", 1.0, 1.0)


def test_parts_of_a_whole_share_their_times():
    first = Line("cwnd", (0.0, 1.0), (60.0, 60.0), join=Join.SINCE)
    chart = prepare_time_series([Panel("x", (first, first), stacked=True)], "", 1.0)
    (axes,) = draw_time_series(chart).axes
    assert axes.collections[1].get_datalim(axes.transData).y1 == 120.0
    other = Line("pacing", (0.0, 2.0), (40.0, 40.0), join=Join.SINCE)
    with pytest.raises(ValueError, match="pacing: a stack has values since the same times"):
        prepare_time_series([Panel("x", (first, other), stacked=True)], "", 1.0)


def test_an_axis_without_anything_says_so():
    idle = Line("radios", (0.0, 1.0), (0.0, 0.0))
    (axes,) = draw_time_series(prepare_time_series([Panel("Drops [1/s]", (idle,))], "", 1.0)).axes
    assert [text.get_text() for text in axes.texts] == ["radios: 0 all the time"]
    assert axes.get_ylim() == (0.0, 1.0)


FACTORS = (Factor("Queue [packets]", ("20", "100")), Factor("CCA", ("Reno", "BBR")))


def test_a_map_has_a_place_for_each_pair():
    cells = {("20", "Reno"): HeatCell(1.0), ("100", "BBR"): HeatCell(4.0, "*"), ("20", "BBR"): HeatCell(2.0)}
    chart = prepare_heat_map(FACTORS, cells, "Sweep.", "Mbit/s")
    assert chart.cells == ((HeatCell(1.0), HeatCell(2.0)), (None, HeatCell(4.0, "*")))
    assert chart.caption.startswith("Sweep. Hatched: no value.\n* The congestion control")
    axes = draw_heat_map(chart).axes[0]
    assert [text.get_text() for text in axes.texts] == ["1.00", "2.00", "4.00*"]
    assert [patch.get_xy() for patch in axes.patches] == [(0, 1)]
    assert axes.yaxis_inverted()


def test_ratios_and_their_inverse_are_equally_far_from_the_middle():
    cells = {("20", "Reno"): HeatCell(4.0), ("20", "BBR"): HeatCell(0.5)}
    axes = draw_heat_map(prepare_heat_map(FACTORS, cells, "", "", Shading.RATIOS)).axes[0]
    norm = axes.collections[0].norm
    assert [norm(value) for value in (0.25, 1.0, 4.0)] == pytest.approx([0.0, 0.5, 1.0])
    with pytest.raises(ValueError, match="is not a ratio"):
        prepare_heat_map(FACTORS, {("20", "BBR"): HeatCell(0.0)}, "", "", Shading.RATIOS)


def test_large_maps_have_no_numbers_and_dots_below_the_middle():
    factors = (Factor("a", tuple("ab")), Factor("b", tuple(str(n) for n in range(40))))
    cells = {(row, str(n)): HeatCell(n - 20.0) for row in "ab" for n in range(40)}
    chart = prepare_heat_map(factors, cells, "", "", Shading.DIFFERENCES)
    assert "Dotted: below 0." in chart.caption
    axes = draw_heat_map(chart).axes[0]
    assert (len(axes.texts), len(axes.patches)) == (0, 2 * 20)


@pytest.mark.parametrize("cells", [{}, {("20", "Vegas"): HeatCell(1.0)}, {("20", "BBR"): HeatCell(math.nan)}])
def test_maps_that_make_no_sense_are_refused(cells):
    with pytest.raises(ValueError, match=r"needs a value|no cell|not a value"):
        prepare_heat_map(FACTORS, cells, "", "")


def ppdu(start_ns, end_ns, lane=0, to=1, outcome="received"):
    return Ppdu(start_ns, end_ns, lane, to, "data", 2, outcome)


def placed(tones, index):
    ru = ResourceUnit(tones, index, 20)
    return PlacedRu(str(ru), *ru.span)


def test_a_gantt_chart_has_what_touches_its_interval():
    every = [ppdu(0, 10), ppdu(5, 15), ppdu(15, 20), ppdu(20, 30)]
    assert prepare_gantt(["a", "b"], every, (10, 20), "").ppdus == tuple(every[1:3])
    for wrong in (ppdu(10, 10), ppdu(10, 12, lane=2), ppdu(10, 12, to=2)):
        with pytest.raises(ValueError, match="a PPDU from"):
            prepare_gantt(["a", "b"], [wrong], (0, 20), "")
    with pytest.raises(ValueError, match="is empty"):
        prepare_gantt(["a"], [], (20, 20), "")


def test_too_many_ppdus_say_how_long_an_interval_may_be():
    every = [ppdu(10 * n, 10 * n + 5) for n in range(PPDUS_MOST + 1)]
    with pytest.raises(TooManyPpdusError) as error:
        prepare_gantt(["a", "b"], every, (0, 10**9), "")
    assert (error.value.count, error.value.fitting_ns) == (PPDUS_MOST + 1, 10 * PPDUS_MOST)
    assert len(prepare_gantt(["a", "b"], every, (0, error.value.fitting_ns), "").ppdus) == PPDUS_MOST


def test_boxes_say_as_much_as_there_is_room_for():
    chart = prepare_gantt(["ap1", "sta1"], [ppdu(0, 10)], (0, 20), "")
    assert [box_text(chart, [ppdu(0, 10)], room) for room in (10, 8, 1, 0.9)] == ["to sta1, 2", "2", "2", ""]
    beacon = Ppdu(0, 10, 0, None, "beacon", 1, "received")
    assert box_text(chart, [beacon], 99) == ""
    trigger = Ppdu(0, 10, 0, 1, "trigger", 1, "received")
    assert box_text(chart, [trigger, trigger], 99) == "to 2 stations"
    of_user = replace(ppdu(0, 10), ru=placed(52, 3))
    texts = [box_text(chart, [of_user], room) for room in (20, 19, 18, 9, 8)]
    assert texts == ["to sta1, RU 52/3, 2"] * 2 + ["to sta1, 2"] + ["2"] * 2
    answer = Ppdu(0, 10, 1, 0, "BlockAck", 1, "received", placed(106, 1))
    assert [box_text(chart, [answer], room) for room in (17, 8, 5)] == ["to ap1, RU 106/1", "to ap1", ""]


def test_users_of_a_ppdu_lie_in_their_resource_units():
    """From the lowest frequency up; a lane with several users is as high as their lines need."""
    rus = [placed(52, index) for index in (1, 2, 4)]
    users = [replace(ppdu(0, 10, to=number), ru=ru) for number, ru in enumerate(rus, 1)]
    answer = Ppdu(12, 20, 1, 0, "BlockAck", 1, "received", rus[0])
    lanes = ["ap1", "sta1", "sta2", "sta3"]
    (axes,) = draw_gantt(prepare_gantt(lanes, [*users, answer], (0, 20), "")).axes
    first, second, fourth, of_station = axes.patches
    height = first.get_height()
    assert [box.get_height() for box in (second, fourth)] == pytest.approx([height] * 2)
    assert first.get_y() - second.get_y() == pytest.approx(height)
    assert second.get_y() - fourth.get_y() == pytest.approx(2 * height), "the third RU is not used"
    middles = list(axes.get_yticks())
    lane = middles[1] - middles[0]
    assert lane == pytest.approx((4 * height / KIND_LOOKS["data"][2] + 1) / 2)
    assert of_station.get_height() == pytest.approx(KIND_LOOKS["BlockAck"][2]), "its lane is its own"


@pytest.mark.parametrize(
    ("tones", "index", "width_mhz", "span"),
    [
        (26, 9, 20, (8 / 9, 1)),
        (26, 19, 80, (18 / 37, 19 / 37)),
        (106, 2, 40, (0.25, 0.5)),
        (996, 2, 160, (0.5, 1)),
    ],
)
def test_resource_units_are_where_the_standard_has_them(tones, index, width_mhz, span):
    assert ResourceUnit(tones, index, width_mhz).span == pytest.approx(span)


@pytest.mark.parametrize("wrong", [(27, 1, 20), (26, 10, 20), (52, 0, 20), (484, 1, 20), (242, 1, 30)])
def test_resource_units_that_do_not_exist_are_refused(wrong):
    with pytest.raises(ValueError, match="have no RU"):
        ResourceUnit(*wrong)


def test_lost_ppdus_have_a_second_outline_and_the_legend_says_so():
    every = [ppdu(0, 10), ppdu(0, 5, lane=1, to=0, outcome="collision")]
    figure = draw_gantt(prepare_gantt(["ap1", "sta1"], every, (0, 20), "x"))
    (axes,) = figure.axes
    assert len(axes.patches) == 3
    assert [label.get_text() for label in axes.get_yticklabels()] == ["ap1", "sta1"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["data", "collision"]


def test_of_many_radios_those_that_send_are_shown():
    lanes = [f"sta{n}" for n in range(40)]
    (axes,) = draw_gantt(prepare_gantt(lanes, [ppdu(0, 10, lane=7), ppdu(0, 9, lane=30)], (0, 20), "")).axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["sta7", "sta30"]
