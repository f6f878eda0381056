"""What mac80211 knows of peers: names of modes and choices, what is complete, and what a figure shows of it."""

import json

import polars as pl
import pytest
from airtcp.data.completeness import check_rows
from airtcp.data.run_folder import open_run
from airtcp.data.series.mac80211 import GROUP, chosen_name
from airtcp.data.series.modes import MODE_PARTS, mode_text
from airtcp.errors import AirtcpError
from airtcp.quantities.run_view import RunView
from airtcp.report.run.figure import run_chart
from airtcp.scenario.keys.mode import read_mode_text
from support.recorded_series import add_new_series

MS, S = 1_000_000, 1_000_000_000


@pytest.fixture
def folder(run_folder):
    return add_new_series(run_folder)


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ((0, 2, 1, 20, 0, 5_500_000), "HR/DSSS 5.5 Mbit/s"),
        ((1, 7, 1, 20, 800, 54_000_000), "OFDM 54 Mbit/s"),
        ((2, 7, 2, 40, 400, 300_000_000), "HT-MCS 15 40 MHz SGI"),
        ((3, 9, 1, 80, 800, 390_000_000), "VHT-MCS 9 80 MHz"),
        ((4, 11, 2, 80, 1600, 1_134_200_000), "HE-MCS 11 x2 80 MHz GI 1600 ns"),
        ((0, 0, 0, 0, 0, 0), None),
    ],
)
def test_modes_are_named_as_scenarios_write_them(code, name):
    assert mode_text(dict(zip(MODE_PARTS, code, strict=True))) == name
    if name is not None:
        read = read_mode_text(name)
        assert ("mcs" in read) == ("MCS" in name)
        assert read.get("width", f"{code[3]} MHz") == f"{code[3]} MHz"


def test_what_minstrel_chose_has_the_letters_of_rc_stats():
    assert [chosen_name(bits) for bits in (0, 1, 2, 4, 8, 16, 32, 17, 63)] == [
        *("", "A", "B", "C", "D", "P", "S", "AP"),
        "ABCDPS",
    ]


def test_rows_have_names(folder):
    run = open_run(folder)
    names = [nic["node"] for nic in run.plan["air"]["nics"]]
    station = run.stations.row(0, named=True)
    assert (station["node_name"], station["peer_name"]) == (names[0], names[1])
    assert station["tx_mode"] == station["rx_mode"] == "VHT-MCS 8 x2 80 MHz SGI"
    queues = run.station_queues
    assert queues["ac_name"].unique().to_list() == ["BE"]
    assert queues.filter(peer=GROUP)["peer_name"].to_list() == [None]
    assert run.radio_queues["node_name"].unique().to_list() == [names[0]]
    assert run.station_rates.row(0, named=True)["chosen_name"] == "AP"


def test_a_figure_shows_airtime_queues_limits_and_the_best_rate(folder):
    run = open_run(folder)
    view = RunView(run)
    names = ["station_airtime", "station_queue", "aql", "minstrel_rate", "minstrel_probability"]
    panels = run_chart(view, names).panels
    ap, sta = view.radio_names[:2]
    (airtime,), queues, pending, (rate,), (success,) = (panel.lines for panel in panels)
    assert airtime.label == rate.label == success.label == f"{ap} to {sta}"
    assert airtime.values[-1] == pytest.approx(20)
    assert {line.label for line in queues} == {f"{ap} to {sta}, BE", f"{ap} to groups, BE"}
    assert queues[0].values[0] == 12
    assert pending[0].values[0] == 2
    assert rate.values[0] == 780
    assert success.values[0] == pytest.approx(90)


def test_a_station_that_joins_anew_begins_at_zero(folder):
    file = folder / "series" / "stations.parquet"
    frame = pl.read_parquet(file)
    anew = (
        pl.when(pl.col("time_ns") > 5 * S)
        .then(pl.col("tx_airtime_us") - S // 1000)
        .otherwise("tx_airtime_us")
    )
    frame.with_columns(anew.alias("tx_airtime_us")).write_parquet(file)
    (line,) = run_chart(RunView(open_run(folder)), ["station_airtime"]).panels[0].lines
    # Before and after it is 20 %; what the first 100 ms of the new entry counted is all that is known of them.
    assert min(line.values) >= 0
    assert line.values[-1] == pytest.approx(20)


def test_one_interface_of_several_is_named(folder):
    file = folder / "series" / "stations.parquet"
    frame = pl.read_parquet(file)
    other = frame.with_columns(pl.lit(2, pl.Int64).alias("interface"))
    pl.concat([frame, other]).write_parquet(file)
    lines = run_chart(RunView(open_run(folder)), ["station_airtime"]).panels[0].lines
    assert [line.label.partition(" to ")[0].partition(" ")[2] for line in lines] == [
        "(interface 1)",
        "(interface 2)",
    ]


def test_a_run_without_mac80211_says_how_to_have_its_series(run_folder):
    with pytest.raises(AirtcpError) as caught:
        run_chart(RunView(open_run(run_folder)), ["station_airtime"])
    assert 'stations = "100 ms" in [sampling], with a cell of mac = "linux"' in caught.value.remedy


def test_radios_of_mac80211_have_a_row_at_every_instant(run_folder):
    nics = [{"node": "ap1", "cell": 0}, {"node": "sta1", "cell": 1}]
    cells = [{"linux": {"ssid": "x"}}, {"linux": None}]
    plan = {
        "duration_ns": 10 * S,
        "sampling": {"stations_interval_ns": S},
        "air": {"nics": nics, "cells": cells},
        **json.loads('{"flows": [], "pings": [], "nodes": []}'),
    }
    times = [S, 2 * S, 3 * S, 4 * S, 4 * S + 7]
    frame = pl.DataFrame({"time_ns": times, "nic": [0] * 5})
    check_rows("radio_queues", frame, plan, {"end_ns": 4 * S + 7}, run_folder)
    for damaged in (frame[1:], frame[:0]):
        with pytest.raises(AirtcpError, match="rows are missing: radio 0 \\(ap1\\) has"):
            check_rows("radio_queues", damaged, plan, {"end_ns": 4 * S + 7}, run_folder)
    with pytest.raises(AirtcpError, match="a number that the plan does not have"):
        check_rows("stations", frame.with_columns(peer=pl.lit(7)), plan, {}, run_folder)
    group = frame.with_columns(peer=pl.lit(GROUP))
    check_rows("station_queues", group, plan, {}, run_folder)
    with pytest.raises(AirtcpError, match="a number that the plan does not have"):
        check_rows("stations", group, plan, {}, run_folder)
