"""The walk of docs/how-to/linux-wifi.md in a real guest: its numbers in every command, against what is in the series."""

import csv

import airtcp
import polars as pl
import pytest
from airtcp.data.run_folder import open_run
from airtcp.quantities.run_view import RunView
from airtcp.report.run.figure import run_chart
from support.command import airtcp as command
from support.documentation_pages import DOCS, blocks

pytestmark = pytest.mark.guest

NAMES = ("associated_to", "handovers", "handover_gap", "signal", "phy_rate")
DATA, RECEIVED = 0, 0


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("walk")
    page = (DOCS / "how-to" / "linux-wifi.md").read_text(encoding="utf-8")
    for block in blocks(page):
        if block.name in ("walk.toml", "scans.toml"):
            (folder / block.name).write_text(block.text)
    answer = command("run", "walk.toml", cwd=folder)
    assert answer.returncode == 0, answer.stderr
    return folder


@pytest.fixture(scope="module")
def run(home):
    (found,) = (home / "runs").glob("*/manifest.json")
    return open_run(found.parent)


def test_the_station_changes_its_access_point_once(run):
    assert airtcp.number(run, "handovers") == 1
    assert airtcp.number(run, "associated_to") == pytest.approx(1, abs=0.03)
    shares = [airtcp.number(run, "associated_to", peer=name) for name in ("ap1", "ap2")]
    assert sum(shares) == pytest.approx(airtcp.number(run, "associated_to"))
    assert min(shares) > 0.2
    (panel,) = run_chart(RunView(run), ["associated_to"]).panels
    assert panel.names == ("ap1", "ap2")
    seen = [value for value in panel.lines[0].values if value == value]
    assert seen == sorted(seen)
    assert (seen[0], seen[-1]) == (0, 1)


def test_the_gap_is_that_between_data_of_the_two_access_points(run):
    """With cells on two channels a station hears one of them at a time."""
    arrived = run.ppdus.filter(
        (pl.col("kind") == DATA) & (pl.col("outcome") == RECEIVED) & (pl.col("to_name") == "sta1")
    )
    ends = {name: arrived.filter(pl.col("node_name") == name)["end_ns"] for name in ("ap1", "ap2")}
    gap_ms = (ends["ap2"].min() - ends["ap1"].max()) / 1e6
    assert airtcp.number(run, "handover_gap") == pytest.approx(gap_ms)
    assert airtcp.number(run, "handover_gap", statistic="most") == pytest.approx(gap_ms)
    assert gap_ms > 0


def test_the_signal_is_that_of_iw_and_ends_where_the_station_goes(run):
    lines = {line.label: line for line in run_chart(RunView(run), ["signal"]).panels[0].lines}
    assert set(lines) == {"ap1 from sta1", "sta1 from ap1", "ap2 from sta1", "sta1 from ap2"}
    # 5 m from each of them: 46 dB and 30 dB for each decade of the distance, from 20 dBm.
    for first, place in (("ap1 from sta1", 0), ("ap2 from sta1", -1)):
        assert lines[first].values[place] == pytest.approx(20 - 46 - 30 * 0.699, abs=1)
    weakest = min(value for value in lines["sta1 from ap1"].values if value == value)
    assert airtcp.number(run, "signal", node="sta1", statistic="least") == weakest
    # ap1 keeps the entry of the station until the end of the run.
    kept = run.stations.filter((pl.col("node_name") == "ap1") & (pl.col("time_ns") == run.end_ns))
    assert kept.height == 1
    assert lines["ap1 from sta1"].values[-1] != lines["ap1 from sta1"].values[-1]


def test_every_command_takes_the_names(home, run):
    names = ",".join(NAMES)
    for arguments in (
        ("plot", str(run.folder), "--what", names, "--out", "walk.svg"),
        ("report", "runs", "--values", names, "--out", "walk.html"),
        ("compare", "runs", "runs", "--values", names, "--out", "same"),
    ):
        answer = command(*arguments, cwd=home)
        assert answer.returncode == 0, answer.stderr
    (row,) = csv.DictReader((home / "same" / "ratios.csv").open())
    for name in NAMES:
        assert float(row[f"{name}_ours"]) == pytest.approx(airtcp.number(run, name), rel=1e-6)
    assert all(text in (home / "walk.svg").read_text() for text in ("Association", "ap2", "Handover gap"))
    assert "Handover gap [ms]" in (home / "walk.html").read_text()


def test_the_campaign_of_the_page_has_a_longer_gap_with_a_later_scan(home):
    made = airtcp.sweep(home / "scans.toml", store=home / "runs")
    by_scan = {row["scan"]: row for row in made.iter_rows(named=True)}
    early, late = by_scan["below -65 dBm"], by_scan["below -72 dBm"]
    assert early["handovers"] == late["handovers"] == 1
    assert early["at_ap2"] > late["at_ap2"]
    assert early["weakest"] >= late["weakest"]
    assert early["handover_gap"] > 0


def test_a_run_without_roaming_has_no_gap_and_says_so(home):
    text = (home / "walk.toml").read_text()
    still = text.replace('position = ["55 m", "0 m"]', 'position = ["6 m", "0 m"]').replace("8 s", "2 s")
    (home / "still.toml").write_text(still.replace('time = "6 s"', 'time = "2 s"'))
    answer = command("run", "still.toml", "--store", "still", cwd=home)
    assert answer.returncode == 0, answer.stderr
    (found,) = (home / "still").glob("*/manifest.json")
    assert airtcp.number(found.parent, "handovers") == 0
    answer = command("plot", str(found.parent), "--what", "handover_gap", cwd=home)
    assert 'the run has no samples of "handover_gap"' in answer.stderr
