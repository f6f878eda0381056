"""Run folders: whole, cut short, foreign."""

import json

import polars as pl
import pytest
from airtcp.data.run_folder import open_run
from airtcp.errors import AirtcpError
from airtcp.report.plan_warnings import levels_without_effect
from airtcp.report.run.report import run_tables
from airtcp.report.run.warnings import run_warnings


def test_a_whole_run_is_read(run_folder):
    run = open_run(run_folder)
    assert run.name == run_folder.name
    assert run.flow_samples(0)["time_ns"].to_list() == list(range(100_000_000, 10_000_000_001, 100_000_000))
    assert run.flow_samples(1).height == 0
    assert run.ping_samples(0).height == 50


def test_a_run_makes_tables(run_folder):
    flows, pings, latency, radios = run_tables(open_run(run_folder))
    assert flows.rows == [["sta1-h1", "cubic", "8.00", "8.00", "8.00", "10.00", "3", "yes"]]
    assert pings.rows == [["sta1-h1", "20.00", "20.00", "> 20.00", "49", "1", "0"]]
    assert latency.rows == [["sta1-h1 (ping)", "50", "20.00", "20.00", "> 20.00", "> 20.00", "2.00%"]]
    assert [row[0] for row in radios.rows] == ["ap1", "sta1"]


def test_warnings_reach_the_reader(run_folder):
    summary = json.loads((run_folder / "summary.json").read_text())
    summary["agent"]["warnings"] = ["the guest's kernel warned"]
    summary["agent"]["flows"][0]["error"] = "Connection timed out"
    (run_folder / "summary.json").write_text(json.dumps(summary))
    warnings = run_warnings(open_run(run_folder))
    assert warnings == ["the guest's kernel warned", "flow sta1-h1: Connection timed out"]


def levels_plan(**changes):
    channel = {
        "propagation": {"kind": "rssi", "links": [{"a": 0, "b": 1, "rssi_dbm": -80.0}], "default_dbm": -45.0},
        "reception": {"kind": "ideal"},
        "carrier_sense_dbm": -82.0,
        "sensitivity_dbm": -93.0,
        "shadowing": None,
        "fading": {"kind": "none"},
        "traces": [],
        "capture_db": None,
    }
    return {"air": {"channel": channel | changes, "nics": [{"rate_control": {"kind": "minstrel_ht"}}]}}


def of_levels(link_dbm, default_dbm=-45.0):
    links = [] if link_dbm is None else [{"a": 0, "b": 1, "rssi_dbm": link_dbm}]
    return {"propagation": {"kind": "rssi", "links": links, "default_dbm": default_dbm}}


def test_levels_that_change_nothing_are_told():
    (told,) = levels_without_effect(levels_plan())
    assert 'reception = "table"' in told
    assert levels_without_effect(levels_plan(**of_levels(None, -60.0)))


@pytest.mark.parametrize(
    "change",
    [
        {"reception": {"kind": "table", "code": "bcc"}},
        {"capture_db": 10.0},
        {"fading": {"kind": "rayleigh"}},
        of_levels(None),
        of_levels(-90.0),
        {"propagation": {"kind": "free_space"}},
    ],
)
def test_levels_that_have_an_effect_are_not(change):
    assert levels_without_effect(levels_plan(**change)) == []


def error_of(folder, read=lambda run: run):
    with pytest.raises(AirtcpError) as caught:
        read(open_run(folder))
    return str(caught.value)


def test_no_folder(tmp_path):
    assert "there is no such run folder" in error_of(tmp_path / "none")


@pytest.mark.parametrize("name", ["plan.json", "manifest.json", "summary.json"])
def test_a_missing_file_is_named(run_folder, name):
    (run_folder / name).unlink()
    assert name in error_of(run_folder)
    assert "not a complete run folder" in error_of(run_folder)


@pytest.mark.parametrize("text", ["", "{", "[]", '"x"', "{}", '{"agent": 5, "air": {}}'])
def test_a_damaged_summary_is_named(run_folder, text):
    (run_folder / "summary.json").write_text(text)
    message = error_of(run_folder)
    assert "summary.json" in message
    assert "Remove the folder and run the scenario again" in message


def test_a_missing_series_is_named(run_folder):
    (run_folder / "series" / "flows.parquet").unlink()
    message = error_of(run_folder, lambda run: run.flow_samples(0))
    assert "flows.parquet: is missing" in message
    assert "[sampling]" in message


@pytest.mark.parametrize("keep", [0, 3, 100, -1])
def test_a_cut_series_is_damaged(run_folder, keep):
    file = run_folder / "series" / "flows.parquet"
    file.write_bytes(file.read_bytes()[:keep])
    assert "flows.parquet: is damaged" in error_of(run_folder, lambda run: run.flow_samples(0))


def test_a_long_series_is_measured_before_it_is_read_whole(run_folder, monkeypatch):
    monkeypatch.setattr("airtcp.data.series_file._ROWS_AT_ONCE", 7)
    assert open_run(run_folder).series("flows").height == 100
    # Eight bytes for each of 100 rows of fewer than 100 columns.
    monkeypatch.setattr("airtcp.data.series_file._BYTES_MOST", 8 * 100 * 100)
    assert open_run(run_folder).series("flows").height == 100
    monkeypatch.setattr("airtcp.data.series_file._BYTES_MOST", 8 * 100)
    monkeypatch.setattr("airtcp.data.series_file.read_plain", lambda file, *_: file.read_bytes())
    assert "has 100 rows, more than fit the memory" in error_of(run_folder, lambda run: run.series("flows"))


def test_a_series_is_split_once_in_the_order_of_time(run_folder):
    file = run_folder / "series" / "pings.parquet"
    pl.read_parquet(file).reverse().write_parquet(file)
    run = open_run(run_folder)
    parts = run.parts("pings", "ping")
    assert list(parts) == [(0,)]
    assert parts[(0,)]["time_ns"].is_sorted()
    assert parts[(0,)].height == run.series("pings").height
    assert run.parts("pings", "ping") is parts


def test_a_foreign_series_is_named(run_folder):
    file = run_folder / "series" / "pings.parquet"
    pl.DataFrame({"time_ns": [1], "ping": [0], "sequence": [0]}).write_parquet(file)
    assert "has no column rtt_ns" in error_of(run_folder, lambda run: run.ping_samples(0))
    pl.DataFrame({"time_ns": [1], "ping": [0], "sequence": [0], "rtt_ns": ["x"]}).write_parquet(file)
    assert "rtt_ns holds String" in error_of(run_folder, lambda run: run.ping_samples(0))
