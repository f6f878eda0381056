"""Floor plans and heat maps: what they show, and that no text lies on another."""

import csv
import io
import itertools

import numpy as np
import pytest
from airtcp.errors import AirtcpError
from airtcp.plots.chart_data import chart_csv
from airtcp.plots.coverage_map import CoverageMap, Shown, Spot, draw_coverage_map
from airtcp.plots.floor_map import FloorMap, Place, WallLine, draw_floor_map
from airtcp.plots.style import save_figure
from airtcp.report.coverage import cover, coverage_map, grid_of, share_table, station_table
from support.wifi_scenarios import plan_of

CORNERS = ((0.0, 0.0), (20.0, 0.0), (20.0, 10.0), (0.0, 10.0))
WALLS = (
    *(WallLine(begin, end, "8 dB") for begin, end in zip(CORNERS, (*CORNERS[1:], CORNERS[0]), strict=True)),
    WallLine((10.0, 0.0), (10.0, 6.0), "5 dB"),
    WallLine((10.0, 6.0), (20.0, 6.0), "5 dB"),
)


def office(stations=24):
    """Stations 40 cm from each other, on and beside a wall."""
    desks = [
        Place((10 + 0.4 * (n % 6), 3 + 0.5 * (n // 6)), f"d{n}", "station", 0, "-52 dBm, 87 Mbit/s")
        for n in range(stations)
    ]
    others = (Place((10.2, 3.2), "ap1", "access_point", 0), Place((5.0, 0.1), "u1", "station", 0))
    return FloorMap("An office.", ("home",), WALLS, (*others, *desks), ())


def texts_of(figure, folder):
    """The texts inside the axis with their places, as they are in the file."""
    save_figure(figure, folder / "map", ["png"])
    return [(text.get_text(), text.get_window_extent()) for text in figure.axes[0].texts if text.get_text()]


def overlapping(texts):
    return [
        (a, b)
        for (a, box), (b, other) in itertools.combinations(texts, 2)
        if min(box.x1, other.x1) > max(box.x0, other.x0) and min(box.y1, other.y1) > max(box.y0, other.y0)
    ]


def test_no_name_lies_on_another_or_on_the_label_of_a_wall(tmp_path):
    texts = texts_of(draw_floor_map(office(12)), tmp_path)
    assert overlapping(texts) == []
    assert {text.split("\n")[0] for text, _ in texts} >= {*(f"d{n}" for n in range(12)), "ap1", "u1", "8 dB"}


def test_names_leave_points_free_and_stay_inside(tmp_path):
    chart = office(12)
    figure = draw_floor_map(chart)
    texts = texts_of(figure, tmp_path)
    axes = figure.axes[0]
    points = axes.transData.transform([place.at for place in chart.places])
    for _, box in texts:
        assert not any(box.contains(*point) for point in points)
        assert axes.bbox.padded(2).containsx(box.x0)
        assert axes.bbox.padded(2).containsy(box.y1)


def test_a_name_stands_beside_a_wall_where_there_is_room(tmp_path):
    chart = FloorMap("", ("home",), WALLS, (Place((9.9, 2.0), "sta1", "station", 0),), ())
    figure = draw_floor_map(chart)
    (box,) = (box for text, box in texts_of(figure, tmp_path) if text == "sta1")
    wall, _ = figure.axes[0].transData.transform((10.0, 2.0))
    assert box.x1 < wall or box.x0 > wall


ROOMS = """
name = "flat"
duration = "1 s"
[wifi.east]
stations = ["near", "far"]
[wifi.east.radio.ap1]
position = ["1 m", "1 m"]
[wifi.east.radio.near]
position = ["2 m", "1 m", "1 m"]
[wifi.east.radio.far]
position = ["9 m", "1 m", "1 m"]
[wifi.west]
channel = 6
stations = ["other"]
[wifi.west.radio.ap2]
position = ["9 m", "2 m"]
[wifi.west.radio.other]
position = ["8 m", "2 m", "1 m"]
[channel]
propagation = "log_distance"
"""


def made_up(places):
    """ap1 is weaker by 1 dB with each metre to the right, ap2 with each to the left; both have two modes."""
    xs = np.array([place[0] for place in places])
    signals = {"ap1": -50 - xs, "ap2": -80 + xs}
    modes = [{"name": "slow", "rate_bps": 6_000_000}, {"name": "fast", "rate_bps": 54_000_000}]
    access_points = [
        {
            "nic": nic,
            "node": node,
            "cell": cell,
            "signal_dbm": levels.tolist(),
            "mode": [int(level > -58) for level in levels],
            "modes": modes,
        }
        for (node, levels), nic, cell in zip(signals.items(), (0, 3), ("east", "west"), strict=True)
    ]
    return {"sensitivity_dbm": -90.0, "access_points": access_points}


def covered(nodes=()):
    plan = plan_of(ROOMS)
    return cover(plan, made_up, nodes, grid_of(plan, "flat.toml", 1.0, None))


def test_the_places_of_a_map_are_multiples_of_its_step_at_the_height_of_stations():
    grid = grid_of(plan_of(ROOMS), "flat.toml", 1.0, None)
    assert (grid.xs[0], grid.xs[-1], grid.height) == (0.0, 10.0, 1.0)
    assert all(x == round(x) for x in grid.xs)
    assert grid_of(plan_of(ROOMS), "flat.toml", 1.0, 2.5).height == 2.5


def test_at_each_place_the_strongest_access_point_counts():
    found = covered()
    chart = coverage_map(found, Shown.SIGNAL, 0.01)
    rows = list(csv.DictReader(io.StringIO(chart_csv(chart))))
    assert rows[0] == {
        "x_m": "0",
        "y_m": rows[0]["y_m"],
        "access_point": "ap1",
        "signal_dbm": "-50",
        "rate_mbps": "54",
    }
    assert [row["signal_dbm"] for row in rows[:3]] == ["-50", "-51", "-52"]
    alone = coverage_map(covered(["ap2"]), Shown.ACCESS_POINT, 0.01)
    assert alone.access_points == ("ap2",)
    assert {spot.access_point for row in alone.spots for spot in row} == {0}


def test_stations_join_their_own_network_whatever_is_stronger():
    """`far` is a station of ap1's network, though ap2 stands beside it."""
    table = station_table(covered())
    assert [row[0] for row in table.rows] == ["near", "far", "other"]
    assert [row[3:] for row in table.rows] == [
        ["ap1", "-52.0", "54.0"],
        ["ap1", "-59.0", "6.0"],
        ["ap2", "-72.0", "6.0"],
    ]
    shares = share_table(covered())
    assert [row[0] for row in shares.rows] == ["ap1", "ap2", "none"]


def test_where_nothing_can_be_received_there_is_nothing(tmp_path):
    spots = ((Spot(0, -60.0, 54.0), Spot(None, -95.0, 6.0)), (Spot(1, -70.0, 6.0), Spot(0, -61.0, 54.0)))
    for shown in Shown:
        chart = CoverageMap(office(3), shown, ("ap1", "ap2"), (5.0, 15.0), (2.0, 8.0), spots)
        values = chart.values()
        assert np.isnan(values[0][1])
        texts = texts_of(draw_coverage_map(chart), tmp_path)
        assert overlapping(texts) == []
    assert "15,2,,-95," in chart_csv(chart)


def test_what_has_no_floor_has_no_map():
    plan = plan_of('name = "x"\nduration = "1 s"\n[wifi.home]\nstations = 1\n')
    with pytest.raises(AirtcpError, match="no positions"):
        grid_of(plan, "x.toml", None, None)
    with pytest.raises(AirtcpError, match="places are too many"):
        grid_of(plan_of(ROOMS), "x.toml", 0.001, None)
    with pytest.raises(AirtcpError, match="ap1, ap2"):
        covered(["ap7"])
