"""`airtcp map` against runs: docs/how-to/place-access-points.md in a real guest, and a cell of airtcp's own MAC."""

import csv

import airtcp
import polars as pl
import pytest
from airtcp.data.run_folder import open_run
from support.command import airtcp as command
from support.documentation_pages import DOCS, blocks

pytestmark = pytest.mark.guest

# Behind a wall, at 12 m: not at its fastest mode.
OWN = """
name = "own"
duration = "3 s"
[wifi.home]
standard = "11ac"
channel = 36
rate = "ideal"
stations = ["sta1"]
[wifi.home.radio.ap1]
position = ["0 m", "0 m", "2 m"]
[wifi.home.radio.sta1]
position = ["12 m", "5 m", "1 m"]
[channel]
propagation = "multi_wall"
exponent = 3.5
reception = "table"
[[channel.wall]]
points = [["6 m", "-5 m"], ["6 m", "9 m"]]
loss = "9 dB"
[[udp]]
from = "ap1"
to = "sta1"
rate = "3 Mbit/s"
"""


def mapped(folder, scenario, *more):
    """The printed tables, and the rows of the data."""
    answer = command("map", scenario, "--out", "floor", "--format", "csv,png", *more, cwd=folder)
    assert answer.returncode == 0, answer.stderr
    assert (folder / "floor.png").stat().st_size > 10_000
    with (folder / "floor.csv").open() as file:
        return answer.stdout, list(csv.DictReader(file))


def stations(text):
    """Access point, signal and rate by station, of the table."""
    lines = text[text.index("Stations (") :].splitlines()
    rows = [line.split() for line in lines[3:] if len(line.split()) == 6]
    return {row[0]: (row[3], float(row[4]), float(row[5])) for row in rows}


def made(folder, scenario):
    answer = command("run", scenario, cwd=folder)
    assert answer.returncode == 0, answer.stderr
    (found,) = (folder / "runs").glob("*/manifest.json")
    return open_run(found.parent)


def test_a_map_has_what_a_run_of_airtcps_own_mac_has(tmp_path):
    (tmp_path / "own.toml").write_text(OWN)
    text, rows = mapped(tmp_path, "own.toml", "--step", "1 m")
    run = made(tmp_path, "own.toml")
    link = run.links.filter((pl.col("node_name") == "ap1") & (pl.col("peer_name") == "sta1"))
    (signal,), (rate,) = (link[name].unique().to_list() for name in ("signal_mdbm", "rate_bps"))
    (here,) = (row for row in rows if (row["x_m"], row["y_m"]) == ("12", "5"))
    assert round(1000 * float(here["signal_dbm"])) == signal
    assert float(here["rate_mbps"]) == rate / 1e6
    assert here["access_point"] == "ap1"
    assert stations(text)["sta1"] == ("ap1", round(signal / 1000, 1), round(rate / 1e6, 1))
    assert airtcp.number(run, "signal", node="sta1") == pytest.approx(signal / 1000)
    # A wall of 9 dB lies between; without it the map has 292.5 Mbit/s there.
    assert rate == 117e6


@pytest.fixture(scope="module")
def office(tmp_path_factory):
    folder = tmp_path_factory.mktemp("office")
    page = (DOCS / "how-to" / "place-access-points.md").read_text(encoding="utf-8")
    (block,) = (block for block in blocks(page) if block.name == "office.toml")
    (folder / "office.toml").write_text(block.text)
    return folder, mapped(folder, "office.toml")[0], made(folder, "office.toml")


def test_the_map_of_the_page_has_the_signals_that_mac80211_measures(office):
    _, text, run = office
    for name in ("desk", "printer"):
        access_point, signal, _ = stations(text)[name]
        heard = run.stations.filter((pl.col("node_name") == name) & (pl.col("signal_dbm") != 0))
        assert heard["peer_name"].unique().to_list() == [access_point]
        assert heard["signal_dbm"].unique().to_list() == [round(signal)]


def test_the_floor_plan_of_the_run_has_signals_and_rates(office):
    folder, _, run = office
    answer = command("plot", run.folder, "--kind", "map", "--out", "plan", "--format", "csv,png", cwd=folder)
    assert answer.returncode == 0, answer.stderr
    with (folder / "plan.csv").open() as file:
        notes = {row["name"]: row["note"] for row in csv.DictReader(file) if row["kind"] == "station"}
    for name in ("desk", "printer"):
        assert notes[name].startswith(f"{airtcp.number(run, 'signal', node=name):.0f} dBm, ")
        assert notes[name].endswith(" Mbit/s")


def test_the_walker_roams(office):
    _, _, run = office
    assert airtcp.number(run, "handovers", node="walker") >= 1
    assert airtcp.number(run, "associated_to", node="walker", peer="ap2") > 0.2
