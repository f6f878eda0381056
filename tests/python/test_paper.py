"""Figures for papers: widths, fonts, captions, and the data beside them."""

import csv
import io
import tomllib

import numpy as np
import pytest
from airtcp.campaign.campaign import read_campaign
from airtcp.errors import AirtcpError
from airtcp.metrics.survival import Sample
from airtcp.plots.bars import Bar, ErrorBars, Whiskers, draw_bars, prepare_bars
from airtcp.plots.boxes import draw_boxes, prepare_boxes
from airtcp.plots.chart_data import chart_csv
from airtcp.plots.floor_map import FloorMap, Path, Place, WallLine, draw_floor_map
from airtcp.plots.paper import Paper, on_paper, read_width
from airtcp.plots.style import save_figure, svg_text
from airtcp.plots.time_series import Panel, draw_time_series, named, prepare_time_series
from airtcp.quantities.line import Join, Line
from support.small_campaign import CAMPAIGN, write_campaign

GROUPS = ("short queue", "a queue that is very long")


def bars():
    values = {"cubic": {GROUPS[0]: Bar(9.5, 9.0, 10.0), GROUPS[1]: Bar(9.5, 9.5, 9.5)}}
    return prepare_bars(GROUPS, values, "A caption.", "Goodput [Mbit/s]", ErrorBars(Whiskers.EXTREMES))


def lines(values=(1.0, 2.0)):
    return prepare_time_series(
        [Panel("cwnd\n[segments]", (Line("a", (0.0, 1.0), values),))], "A caption.", 2.0
    )


@pytest.mark.parametrize(
    ("text", "inches"),
    [("ieee-column", 3.5), ("88.9 mm", 3.5), ("8.89cm", 3.5), ("252.945 pt", 3.5), ("7 in", 7.0)],
)
def test_widths_are_names_or_lengths(text, inches):
    assert read_width(text) == pytest.approx(inches)


@pytest.mark.parametrize("text", ["wide", "3", "0.1 in", "3 m", "1e9 in", ""])
def test_other_widths_are_told(text):
    with pytest.raises(ValueError, match="width"):
        read_width(text)


def test_paper_decides_width_font_and_caption():
    with on_paper(Paper(3.5, 7.0, "serif", caption=False)):
        figure = draw_bars(bars())
        text = svg_text(figure)
    assert figure.get_figwidth() == 3.5
    assert "STIXGeneral" in text
    assert "A caption." not in text
    assert "font-size: 7px" in text
    usual = draw_bars(bars())
    assert usual.get_figwidth() == 7.2
    assert "A caption." in svg_text(usual)


def test_legends_of_narrow_figures_stand_above():
    def legend_place(chosen):
        with on_paper(chosen):
            figure = draw_time_series(lines())
            figure.draw_without_rendering()
            (axes,) = figure.axes
            return axes.get_legend().get_window_extent().y0 >= axes.get_window_extent().y1 - 1

    assert legend_place(Paper(3.5))
    assert not legend_place(Paper())


def test_names_of_groups_stand_upright_where_there_is_room():
    def rotations(width_in):
        with on_paper(Paper(width_in)):
            return {label.get_rotation() for label in draw_bars(bars()).axes[0].get_xticklabels()}

    assert rotations(None) == {0.0}
    assert rotations(1.6) == {35.0}


def read(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_data_of_bars_lines_boxes_and_maps_come_back():
    rows = read(chart_csv(bars(), bars()))
    assert len(rows) == 4
    assert rows[0] == {
        "quantity": "Goodput [Mbit/s]",
        "group": "short queue",
        "series": "cubic",
        "value": "9.5",
        "least": "9",
        "most": "10",
        "note": "",
    }
    rows = read(chart_csv(lines((1.0, float("nan")))))
    assert [(row["quantity"], row["time_s"], row["value"]) for row in rows] == [
        ("cwnd [segments]", "0", "1"),
        ("cwnd [segments]", "1", ""),
    ]
    # Of ten values two never came: 95 % is only known to be larger than the longest.
    sample = Sample(np.arange(1.0, 9.0), np.full(2, np.inf))
    (row,) = read(chart_csv(prepare_boxes(["voice"], {"": {"voice": sample}}, "Delay [ms]")))
    assert (row["count"], row["p50"], row["p75"], row["p95"]) == ("10", "5", "8", "8")
    assert row["only_known_to_be_larger"] == "p95"


def floor():
    walls = (WallLine((5.0, 0.0), (5.0, 7.0), "5 dB"),)
    places = (Place((1.0, 2.0), "ap1", "access_point", 0), Place((8.0, 3.0), "sta1", "station", 0))
    return FloorMap("A flat.", ("home",), walls, places, (Path(((8.0, 3.0), (2.0, 3.0)), "sta1", 0),))


def test_a_floor_plan_has_walls_places_and_paths(tmp_path):
    text = svg_text(draw_floor_map(floor()))
    for word in ("5 dB", "ap1", "sta1", "home: access point", "x [m]"):
        assert word in text
    assert [row["kind"] for row in read(chart_csv(floor()))] == ["wall", "path", "access_point", "station"]
    data = save_figure(draw_floor_map(floor()), tmp_path / "map", ["pdf", "csv"], chart_csv(floor()))
    assert [file.name for file in data] == ["map.pdf", "map.csv"]


def test_arrows_show_what_is_only_known_to_be_larger():
    known = prepare_boxes(["a"], {"x": {"a": Sample(np.arange(1.0, 9.0))}}, "Delay [ms]", logarithmic=True)
    bounded = prepare_boxes(
        ["a"], {"x": {"a": Sample(np.arange(1.0, 9.0), np.full(2, np.inf))}}, "Delay [ms]"
    )
    assert "Arrows" not in svg_text(draw_boxes([known], "."))
    assert "Arrows" in svg_text(draw_boxes([bounded], "."))


def test_campaigns_have_a_style(tmp_path):
    write_campaign(tmp_path)
    tables = tomllib.loads(CAMPAIGN)
    tables = {**tables, "style": {"width": "acm-column", "font": "serif", "caption": False}}
    assert read_campaign(tables, tmp_path).study.paper_style == Paper(3.33, 9.0, "serif", caption=False)
    with pytest.raises(AirtcpError, match=r"style.width: .*there is no width \"big\""):
        read_campaign({**tables, "style": {"width": "big"}}, tmp_path)


def test_lost_packets_are_marked_and_counted():
    nan = float("nan")
    pings = Line("ping", (0.0, 1.0, 2.0), (10.0, nan, 12.0), join=Join.NONE)
    figure = draw_time_series(prepare_time_series([Panel("RTT [ms]", (pings,))], "A caption.", 3.0))
    (axes,) = figure.axes
    (marks,) = (line for line in axes.get_lines() if line.get_marker() == "x" and line.get_label()[:1] == "_")
    assert list(marks.get_xdata()) == [1.0]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["ping, 1 lost"]
    # A sample that is not known yet is no packet.
    samples = Line("srtt", (0.0, 1.0), (nan, 1.0))
    assert named(samples) == "srtt"
