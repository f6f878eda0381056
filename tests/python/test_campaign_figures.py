"""Axes, looks, titles and whiskers of the figures of campaigns, and matrices of two factors."""

import math

import numpy as np
import pytest
from airtcp.errors import AirtcpError
from airtcp.metrics.survival import Sample
from airtcp.plots.bars import Bar, ErrorBars, Whiskers, draw_bars, prepare_bars
from airtcp.plots.boxes import draw_boxes, prepare_boxes
from airtcp.quantities.metric_file import MetricFile
from airtcp.quantities.named_number import NamedNumber
from airtcp.quantities.registry import QUANTITIES
from airtcp.studies.figures.charts import draw_figures
from airtcp.studies.level_numbers import level_numbers
from airtcp.studies.report import ReportRequest, StudyReport
from support.small_study import made_up, small_study


def figure(**keys):
    """A `[[figure]]` of part main."""
    told = {"id": "f", "part": "main", "title": "T", "y": "rtt", **keys}
    lines = [f"{key} = {value if isinstance(value, list) else repr(value)}" for key, value in told.items()]
    return "\n[[figure]]\n" + "\n".join(lines).replace("'", '"') + "\n"


def drawn(tmp_path, number=lambda *_: 1.0, seeds=(1, 2, 3), **keys):
    results = made_up(small_study(tmp_path / "small", figure(**keys)).only_parts(("main",)), number, seeds)
    return draw_figures(results, quick=False)["f"]


def test_levels_with_a_unit_are_numbers_of_an_axis():
    assert level_numbers(["75 ms", "5 ms"]) == ([75.0, 5.0], "ms")
    assert level_numbers(["900 us", "1.5 ms"]) == ([0.9, 1.5], "ms")
    assert level_numbers([4, 2.5]) == ([4.0, 2.5], "")
    assert level_numbers(["-80 dBm", "10%"]) is None
    for words in (["11n", "11ac"], ["20 packets", "fq_codel"], [True, False]):
        assert level_numbers(words) is None


def test_the_axis_of_a_factor_has_its_unit_and_its_numbers_in_order(tmp_path):
    made = drawn(tmp_path, kind="lines", x="queue", series=["cca"])
    (axes,) = made.figure.axes
    assert axes.get_xlabel() == "queue [packets]"
    assert [text.get_text() for text in axes.get_xticklabels()] == ["20", "100"]
    bars = drawn(tmp_path, kind="bars", x="queue", series=["cca"]).figure.axes[0]
    assert bars.get_xlabel() == "queue [packets]"
    assert [text.get_text() for text in bars.get_xticklabels()] == ["20", "100"]
    with pytest.raises(AirtcpError, match="are not numbers of one unit"):
        drawn(tmp_path, kind="lines", x="cca", series=["queue"])


def test_panels_have_titles_one_legend_and_one_scale(tmp_path):
    made = drawn(tmp_path, lambda levels, _: len(levels["cca"]), kind="lines", x="queue", panels="cca")
    titles = [axes.get_title(loc="left") for axes in made.figure.axes]
    assert titles[0] == "CCA: Reno"
    assert {axes.get_ylabel() for axes in made.figure.axes} == {"RTT (ping) [ms]"}
    assert len({axes.get_ylim() for axes in made.figure.axes}) == 1
    assert [axes.get_xlabel() for axes in made.figure.axes] == ["", "", "queue [packets]"]
    made = drawn(tmp_path, kind="bars", x="cca", panels="queue")
    assert [axes.get_title(loc="left") for axes in made.figure.axes] == [
        "queue: 20 packets",
        "queue: 100 packets",
    ]
    assert made.data.splitlines()[1].startswith("queue: 20 packets RTT (ping) [ms],Reno")
    made = drawn(tmp_path, kind="lines", x="queue", series=["cca"], y=["rtt", "throughput"])
    assert [axes.get_legend() is not None for axes in made.figure.axes] == [True, False]


def test_a_level_looks_the_same_in_every_figure(tmp_path):
    keys = {"kind": "lines", "x": "queue", "series": ["cca"]}
    lines = drawn(tmp_path, **keys).figure.axes[0].lines
    colours = {line.get_label(): line.get_color() for line in lines}
    text = figure(**keys) + 'where = { cca = ["vegas"] }\n'
    results = made_up(small_study(tmp_path / "other", text).only_parts(("main",)), lambda *_: 1.0)
    (line,) = draw_figures(results, quick=False)["f"].figure.axes[0].lines
    assert line.get_color() == colours[line.get_label()]


def test_a_matrix_has_a_number_for_each_pair(tmp_path):
    number = lambda levels, seed: len(levels["cca"]) + seed  # noqa: E731
    made = drawn(tmp_path, number, kind="matrix", x="queue", series=["cca"])
    axes, scale = made.figure.axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("queue [packets]", "CCA")
    assert [text.get_text() for text in axes.texts][:2] == ["6.00", "6.00"]
    assert scale.get_ylabel() == "RTT (ping) [ms]"
    assert made.figure.get_supxlabel().endswith("Means of 3 seeds.")
    assert made.data.splitlines()[:2] == ["CCA,queue [packets],RTT (ping) [ms],note", "Reno,20,6,"]


@pytest.mark.parametrize(
    ("keys", "what"),
    [
        ({"x": "queue"}, "needs two factors"),
        ({"x": "queue", "series": ["queue"]}, "needs two factors"),
        ({"x": "queue", "series": ["cca"], "y": ["rtt", "throughput"]}, "shows one metric"),
        ({"x": "queue", "series": ["cca"], "panels": "cca"}, "has no panels"),
    ],
)
def test_a_matrix_that_is_none_is_refused(tmp_path, keys, what):
    with pytest.raises(AirtcpError, match=what):
        small_study(tmp_path / "small", figure(kind="matrix", **keys))


def test_whiskers_end_where_a_value_can_be(tmp_path):
    made = drawn(
        tmp_path,
        lambda _, seed: 10.0 * seed**2,
        (1, 2),
        kind="bars",
        x="cca",
        series=["queue"],
        whiskers="interval",
    )
    (axes,) = made.figure.axes
    assert axes.get_ylim()[0] == 0
    assert "v" in {line.get_marker() for line in axes.lines}
    assert "reach beyond what the value can be" in made.figure.get_supxlabel()
    assert made.data.splitlines()[1].split(",")[4] == "0"
    inside = drawn(
        tmp_path,
        lambda _, seed: 10.0 + seed,
        (1, 2, 3),
        kind="bars",
        x="cca",
        series=["queue"],
        whiskers="interval",
    )
    assert "Arrows" not in inside.figure.get_supxlabel()


def test_what_values_can_be():
    def limits(of, **more):
        return NamedNumber(of, MetricFile(of=of, **more), QUANTITIES[of]).range

    assert limits("rtt") == limits("throughput") == (0.0, math.inf)
    assert limits("jain_index") == limits("rtt", statistic="missing") == limits("airtime") == (0.0, 1.0)
    assert limits("airtime", across="sum") == (0.0, math.inf)
    assert limits("signal") == (-math.inf, math.inf)
    assert limits("signal", statistic="deviation") == (0.0, math.inf)
    # Shares, indices and percentages have an upper end.
    shares = [
        one
        for one in QUANTITIES.values()
        if one.unit == "%" or "share" in one.label.lower() or "Jain" in one.label
    ]
    assert all(
        one.most < math.inf or one.label == "Largest error of an equal share of airtime" for one in shares
    )


def test_a_bar_keeps_its_mean_when_its_whiskers_are_cut():
    assert Bar(1.0, -3.0, 5.0).within(0.0, 2.0) == Bar(1.0, 0.0, 2.0, "", True, True)
    assert Bar(1.0, 0.5, 1.5, "*").within(0.0, 2.0) == Bar(1.0, 0.5, 1.5, "*")
    # A metric of one's own may be anything; a mean outside stays.
    assert Bar(-1.0, -2.0, 0.0).within(0.0, math.inf) == Bar(-1.0, -1.0, 0.0, "", True, False)


def test_panels_with_the_same_groups_name_them_once():
    bars = ErrorBars(Whiskers.NONE)
    charts = [
        prepare_bars(["a", "b"], {"s": {"a": Bar(n, n, n)}}, "C.", label, bars)
        for n, label in ((1.0, "x"), (2.0, "y"))
    ]
    above, below = draw_bars(*charts).axes
    above.figure.canvas.draw()
    visible = [
        [text.get_text() for text in axes.get_xticklabels() if text.get_visible()] for axes in (above, below)
    ]
    assert visible[1] == ["a", "b"]
    assert not any(tick.label1.get_visible() for tick in above.xaxis.get_major_ticks())
    panels = [prepare_boxes(["a"], {"": {"a": Sample(np.arange(5.0))}}, label) for label in "xy"]
    first, _ = draw_boxes(panels, "C.").axes
    assert not any(tick.label1.get_visible() for tick in first.xaxis.get_major_ticks())


def test_a_figure_without_values_is_told(tmp_path):
    study = small_study(tmp_path / "small", figure(kind="bars", x="cca", series=["queue"]))
    results = made_up(study.only_parts(("main",)), lambda *_: math.nan, (1, 2))
    report = StudyReport(results, ReportRequest("airtcp", (1, 2), False, page_runs_most=0))
    report.write(tmp_path / "out", 1)
    told = "Figure f has nothing to draw: no run has a value of rtt."
    assert told in report.notes
    assert told in (tmp_path / "out" / "report.md").read_text()
    assert not list((tmp_path / "out").glob("f.*"))
