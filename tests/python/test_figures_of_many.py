"""Figures of thirty flows: groups, the largest and the others, a small panel for each; the same in every panel."""

import numpy as np
import pytest
from airtcp.data.read_once import open_once
from airtcp.data.run_folder import open_run
from airtcp.plots.boxes import BoxPanel
from airtcp.plots.chart_data import chart_csv
from airtcp.plots.small_multiples import draw_small_multiples
from airtcp.plots.time_series import Panel, draw_time_series, line_looks, new_entries, prepare_time_series
from airtcp.quantities.application_groups import application_groups
from airtcp.quantities.grouping import Grouping
from airtcp.quantities.line import Join, Line
from airtcp.quantities.run_view import RunView
from airtcp.report.html import record
from airtcp.report.run.cdf import run_cdf
from airtcp.report.run.crowd import LARGEST, ONE_BY_ONE_MOST, Crowd, Thing
from airtcp.report.run.each import each_chart
from airtcp.report.run.figure import quantity_panels, run_chart
from airtcp.report.run.latency_boxes import latency_boxes
from airtcp.report.run.pooled_lines import pooled_line
from airtcp.report.run.stacks import run_stack
from support import figure_series as made
from support.run_folder import write_run_folder
from support.wifi_scenarios import plan_of

STATIONS = [f"{kind}{n}" for kind, count in (("d", 10), ("u", 4), ("v", 8), ("w", 2)) for n in range(count)]
SCENARIO = f"""
name = "office"
duration = "4 s"
[wifi.home]
stations = {STATIONS}
[[wire]]
between = ["ap1", "server"]
rate = "100 Mbit/s"
[[flow]]
from = "server"
to = "d*"
[[flow]]
from = "u*"
to = "server"
cca = "bbr"
[[voip]]
from = "v*"
to = "server"
[[web]]
from = "server"
to = "w*"
[[ping]]
from = "v*"
to = "server"
""".replace("'", '"')


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    plan = dict(plan_of(SCENARIO))
    return made.add_series(write_run_folder(tmp_path_factory.mktemp("runs"), plan))


@pytest.fixture
def view(folder):
    return RunView(open_run(folder))


def grouped(view, **groups):
    """The view of the run with groups; `view.run` of one test is not that of the next."""
    return RunView(view.run.with_groups(groups))


def labels(panel):
    return [line.label for line in panel.lines if not line.dashed]


def test_flows_are_grouped_by_application_where_they_are_too_many(view):
    chart = run_chart(view, ["throughput", "cwnd", "rtt"])
    throughput, cwnd, rtt = chart.panels
    assert labels(throughput) == ["downloads (10) *", "uploads (4) *", "web (2)"]
    assert labels(cwnd) == labels(throughput)
    # Of eight pings each has its points.
    assert len(rtt.lines) == 8
    assert "Grouped by application" in chart.caption
    assert "sum of Throughput; median of Congestion window (shaded: 25 to 75 %)" in chart.caption
    each = quantity_panels(view, "throughput")[0].lines
    together = sum(np.asarray(line.values) for line in each[:10])
    assert throughput.lines[0].values == pytest.approx(tuple(together))
    assert throughput.lines[0].spread is None
    assert cwnd.lines[0].spread is not None
    assert ",from,to" in chart_csv(chart).splitlines()[0]


def test_groups_have_the_congestion_control_where_it_differs(view):
    run = view.run
    run.flow_plans[0]["congestion_control"] = "reno"
    groups = application_groups(run)
    assert list(groups) == ["downloads, reno", "downloads, cubic", "uploads", "web", "calls"]
    assert groups["downloads, reno"] == ["server-d0"]
    assert len(groups["calls"]) == 16


def test_groups_asked_for_are_drawn_in_any_case(view):
    view = grouped(view, near=["server-d1", "server-d2"], calls=["v*"])
    view.flows = view.flows[:4]
    assert len(labels(run_chart(view, ["throughput"]).panels[0])) == 4
    chart = run_chart(view, ["throughput", "rtt"], Crowd(view, asked=True))
    assert labels(chart.panels[0]) == ["server-d0 (cubic) *", "near (2) *", "server-d3 (cubic) *"]
    assert labels(chart.panels[1]) == ["calls (8)"]
    # Where there are too many things, those of the scenario are used without being asked for.
    crowded = grouped(RunView(view.run), near=["server-d*"])
    chart = run_chart(crowded, ["throughput"])
    assert labels(chart.panels[0])[0] == "near (10) *"
    assert "by application" not in chart.caption


def test_a_place_is_in_the_group_of_its_traffic(view):
    grouping = Grouping(view.run, application_groups(view.run))
    assert grouping.of("ap1 to d3") == "ap1 to downloads"
    assert (grouping.of("v1"), grouping.of("u0 wlan0 3:")) == ("calls", "uploads wlan0 3:")
    # All have to do with the server, and the access point sends nothing itself.
    assert grouping.of("server eth0 3:") == grouping.of("ap1") == ""
    # An end of all of a group is no part of it.
    assert Grouping(view.run, {"all": [flow["name"] for flow in view.run.flow_plans]}).of("server") == ""


def test_without_groups_the_largest_are_shown_and_the_others_together(view):
    for number, report in enumerate(view.run.flow_reports[:10]):
        report["bytes_received"] = number
    one = [Thing(f"f{n}", f"f{n}", n, float(n)) for n in range(ONE_BY_ONE_MOST + 2)]
    crowd = Crowd(grouped(view, one=["server-d1"]), asked=True)
    shown = crowd.shown([one, list(reversed(one)), one[:3]])
    first, second, third = ([bundle.label for bundle in panel] for panel in shown.panels)
    assert first == [f"f{n}" for n in range(6, 14)] + ["others (6)"]
    # The same ones in every panel, also where the order is another.
    assert set(first) == set(second)
    assert third == ["f0", "f1", "f2"]
    assert len(first) == LARGEST + 1
    assert "the 8 largest" in " ".join(shown.notes)
    # Of flows the size is what they received.
    assert (crowd.size("server-d3", 100.0), crowd.size("ap1", 100.0)) == (3.0, 100.0)
    twelve = crowd.shown([one[:ONE_BY_ONE_MOST]])
    assert len(twelve.panels[0]) == ONE_BY_ONE_MOST
    assert not twelve.notes


def test_the_stack_keeps_the_total(view):
    stack = run_stack(view)
    assert [layer.label for layer in stack.layers] == ["downloads (10) *", "uploads (4) *", "web (2)"]
    alone = run_stack(view, Crowd(grouped(view, one=["server-d1"]), asked=True))
    assert [layer.label for layer in alone.layers][-1] == "others (8) *"
    assert stack.total_mbps == pytest.approx(alone.total_mbps)


def test_distributions_and_boxes_of_groups_have_all_values(view):
    chart = run_cdf([view], ["srtt"])
    assert chart.panels[0].lines[0].label == "downloads (10) *"
    one_by_one = run_cdf([RunView(view.run, flows=["server-d*"])], ["srtt"]).panels[0].lines
    assert chart.panels[0].lines[0].count == sum(line.count for line in one_by_one)
    assert "Values of several are pooled." in chart.caption
    own = grouped(view, calls=["v*"])
    panel, notes = latency_boxes([own], False, Crowd(own, asked=True))
    assert isinstance(panel, BoxPanel)
    assert "calls (ping) (8)" in panel.groups
    assert not notes


def test_limits_of_a_group_are_the_mean_of_its_flows(view):
    panels = run_chart(view, ["limits"]).panels
    assert [panel.title for panel in panels] == ["downloads (10) *", "uploads (4) *", "web (2)"]
    assert [sum(line.values[-1] for line in panel.lines) for panel in panels] == pytest.approx([100.0] * 3)


def test_each_flow_has_a_small_panel_on_the_same_axes(view):
    chart = each_chart(view, ["throughput"], Crowd(view))
    assert len(chart.panels) == 16
    assert chart.panels[0].title == "server-d0 (cubic) *"
    figure = draw_small_multiples(chart)
    drawn = [axes for axes in figure.axes if axes.get_visible()]
    assert len(drawn) == 16
    assert len({axes.get_ylim() for axes in drawn}) == len({axes.get_xlim() for axes in drawn}) == 1
    own = grouped(view, down=["server-d*"])
    groups = each_chart(own, ["throughput"], Crowd(own, asked=True))
    assert (groups.panels[0].title, len(groups.panels[0].lines)) == ("down (10) *", 10)
    stacks = each_chart(view, ["limits"], Crowd(view))
    entries = draw_small_multiples(stacks).legends[0].get_texts()
    assert "congestion window" in [text.get_text() for text in entries]


def test_lines_of_a_group_come_together():
    one = Line("a", (0.0, 1.0, 2.0), (1.0, 1.0, 3.0), join=Join.SINCE)
    late = Line("b", (1.0, 2.0), (5.0, 5.0), join=Join.SINCE)
    total = pooled_line([one, late], "ab", "g", adds=True)
    # The rate of the second is that since 1 s, when it began.
    assert (total.times_s, total.values) == ((0.0, 1.0, 2.0), (1.0, 1.0, 8.0))
    levels = [Line(str(n), (0.0, 2.0), (float(n), float(n))) for n in (1, 2, 3, 10)]
    middle = pooled_line(levels, "m", "g", adds=False)
    assert middle.values == (2.5, 2.5)
    assert middle.spread == ((1.75, 1.75), (4.75, 4.75))
    dots = [Line("a", (0.0, 2.0), (1.0, 2.0), join=Join.NONE), Line("b", (1.0,), (9.0,), join=Join.NONE)]
    assert pooled_line(dots, "ab", "g", adds=False).values == (1.0, 9.0, 2.0)
    held = [
        Line("a", (0.0, 4.0), (1.0, 2.0), join=Join.UNTIL),
        Line("b", (1.0, 4.0), (5.0, 5.0), join=Join.UNTIL),
    ]
    assert pooled_line(held, "ab", "g", adds=True).values == (1.0, 6.0, 7.0)


def test_a_name_has_one_look_and_one_entry_in_a_figure():
    first = Panel(
        "A", (Line("x (cubic)", (0.0, 1.0), (1.0, 1.0), name="x"), Line("y", (0.0, 1.0), (2.0, 2.0)))
    )
    second = Panel("B", (Line("y", (0.0, 1.0), (1.0, 1.0)), Line("x", (0.0, 1.0), (3.0, 3.0), name="x")))
    third = Panel("C", (Line("z", (0.0, 1.0), (1.0, 1.0)), Line("y", (0.0, 1.0), (3.0, 3.0))), title="of z")
    panels = [first, second, third]
    assert line_looks(panels) == {"x": 0, "y": 1, "z": 2}
    assert new_entries(panels) == [["x (cubic)", "y"], [], ["z"]]
    figure = draw_time_series(prepare_time_series(panels, "", 1.0))
    above, middle, below = figure.axes
    assert above.lines[0].get_color() == middle.lines[1].get_color()
    assert above.lines[1].get_color() == middle.lines[0].get_color() == below.lines[1].get_color()
    assert middle.get_legend() is None
    assert below.get_title(loc="left") == "of z"
    assert below.get_ylabel() == "C"


@pytest.mark.parametrize("count", [12, 40])
def test_a_legend_is_no_higher_than_its_axes(count):
    lines = tuple(Line(f"flow {n}", (0.0, 1.0), (float(n), float(n))) for n in range(count))
    figure = draw_time_series(prepare_time_series([Panel("A", lines[: min(count, 36)])], "", 1.0))
    figure.canvas.draw()
    (axes,) = figure.axes
    legend = axes.get_legend()
    assert legend.get_window_extent().height <= axes.get_window_extent().height


def test_groups_and_small_panels_at_the_command_line(airtcp, folder, tmp_path):
    out = tmp_path / "one"
    more = (
        "--group",
        "calls=v*",
        "--group",
        "down=server-d*",
        "--what",
        "throughput,rtt",
        "--out",
        f"{out}.csv",
    )
    answer = airtcp("plot", str(folder), *more)
    assert answer.returncode == 0, answer.stderr
    lines = {row.split(",")[1] for row in out.with_suffix(".csv").read_text().splitlines()}
    assert {"down (10) *", "calls (8)"} <= lines
    assert airtcp("plot", str(folder), "--each", "--out", f"{out}.svg").returncode == 0
    for arguments, why in (
        (("--kind", "map", "--group", "a=server-d*"), "--group has no effect on --kind map"),
        (("--kind", "cdf", "--each"), "--each has no effect on --kind cdf"),
        (("--each", "--what", "rtt,cwnd"), "--each draws one quantity"),
        (("--group", "a=nobody"), 'no flow, stream or ping is named "nobody"'),
    ):
        answer = airtcp("plot", str(folder), *arguments)
        assert (answer.returncode, why in answer.stderr) == (2, True), answer.stderr


def test_charts_of_a_page_have_groups_with_dashed_quartiles(view, monkeypatch):
    monkeypatch.setattr(record, "SHOWN", ("throughput", "cwnd"))
    monkeypatch.setattr(record, "airtime_panels", lambda *_: [])
    panels, notes = record._panels(open_once(view.run.folder))
    throughput, cwnd = panels[:2]
    assert labels(throughput) == ["downloads (10) *", "uploads (4) *", "web (2)"]
    dashed = [line.label for line in cwnd.lines if line.dashed]
    assert dashed[:2] == ["downloads 25 %", "downloads 75 %"]
    assert all(line.spread is None for panel in panels for line in panel.lines)
    assert "Grouped by application" in notes[0]
