"""Fits of real guests: the page about fits, hidden values that are found, and causes that look alike."""

import json
import tomllib

import pytest
import tomlkit
from prove_fit import Network, prove
from support.command import airtcp, run_file
from support.documentation_pages import DOCS
from support.page_commands import execute_page, shell_environment

pytestmark = pytest.mark.guest

TRAFFIC = {
    "flow": [{"from": "h1", "to": "h2", "cca": "cubic", "start": "1 s"}],
    "ping": [{"from": "h1", "to": "h2", "interval": "50 ms"}],
}


def wired(name, **more):
    wires = [{"between": ["h1", "s1"]}, {"between": ["s1", "h2"]}]
    return {"name": name, "duration": "5 s", "wire": wires, **TRAFFIC, **more}


def test_hidden_values_are_found_within_5_percent(tmp_path):
    hidden = {"wire[1].rate": "4.7 Mbit/s", "wire[1].delay": "8.3 ms", "wire[1].queue": "23 packets"}
    found, outcomes = prove(Network("wired", wired("wired"), hidden), tmp_path, tmp_path / "store")
    assert found.complete
    assert found.explains
    assert all(one.error <= 0.05 for one in outcomes)
    assert all(one.covered for one in outcomes)


def test_causes_that_look_alike_are_refused_and_their_sum_is_found(tmp_path):
    # Short runs: the idle second tells all that these runs can tell of delays.
    hidden = {"wire[0].delay": "3 ms", "wire[1].delay": "8 ms", "wire[1].rate": "4.7 Mbit/s"}
    unknown = ("wire[0].delay", "wire[1].delay")
    found, outcomes = prove(
        Network("alike", {**wired("alike"), "duration": "2 s"}, hidden, frozenset(unknown), unknown),
        tmp_path,
        tmp_path / "store",
    )
    assert all(one.refused for one in outcomes)
    (together,) = found.conditionals
    assert together.found.value + together.given[0].value == pytest.approx(11e6, rel=0.01)
    assert found.advice == ("A ping to or from a node between the wires tells their delays apart.",)


def test_a_signal_that_changes_is_recorded_from_station_dumps(tmp_path):
    channel = {
        "reception": "table",
        "trace": [{"from": "sta1", "to": "ap1", "file": "walk.csv"}],
    }
    tables = {
        "name": "walk",
        "duration": "4 s",
        "wifi": {"home": {"mac": "linux", "standard": "11n", "stations": ["sta1"]}},
        "channel": channel,
        "wire": [{"between": ["ap1", "h1"], "rate": "20 Mbit/s", "delay": "6 ms", "queue": "40 packets"}],
        "ping": [{"from": "sta1", "to": "h1", "interval": "50 ms"}],
        "sampling": {"stations": "200 ms"},
    }
    (tmp_path / "walk.csv").write_text("time_s,rssi_dbm\n0,-50\n1.5,-60\n3.1,-71\n")
    (tmp_path / "walk.toml").write_text(tomlkit.dumps(tables))
    run_file(tmp_path / "walk.toml", tmp_path / "measured")
    channel["trace"][0]["file"] = tables["wire"][0]["delay"] = "?"
    (tmp_path / "model.toml").write_text(tomlkit.dumps(tables))
    answer = airtcp("fit", "measured", "--model", "model.toml", "--out", "found.toml", cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
    assert "channel.trace[0].file: station dumps of ap1 in the run" in answer.stdout
    # A dump shows a change that was up to its interval before.
    written = [line.split(",") for line in (tmp_path / "found-sta1-ap1.csv").read_text().splitlines()[1:-1]]
    assert [float(level) for _, level in written] == [-50, -60, -71]
    assert [float(time) for time, _ in written] == [
        0,
        pytest.approx(1.6, abs=0.11),
        pytest.approx(3.2, abs=0.11),
    ]
    found = tomllib.loads((tmp_path / "found.toml").read_text())
    assert float(found["wire"][0]["delay"].removesuffix(" ms")) == pytest.approx(6, rel=0.05)
    run_file(tmp_path / "found.toml", tmp_path / "again")


def test_the_page_about_fits_does_what_it_says(real_runner, tmp_path):
    folder = tmp_path / "page"
    folder.mkdir()
    page = (DOCS / "how-to" / "fit.md").read_text(encoding="utf-8")
    assert execute_page(page, folder, shell_environment(real_runner, tmp_path / "bin")) == 5
    prediction = json.loads((folder / "predicted" / "prediction.json").read_text())
    assert prediction["fitted_on"] == {"cca": "cubic"}
    assert {tuple(one["case"]) for one in prediction["residuals"]} == {("bbr",), ("reno",)}
    assert (folder / "predicted" / "ratio-cdf.png").stat().st_size > 1000
    # What is not identifiable stays unknown, and the file says why.
    text = (folder / "alike-fitted.toml").read_text()
    tables = tomllib.loads(text)
    assert tables["wifi"]["home"]["host_delay"]["fixed"] == tables["wire"][0]["delay"] == "?"
    assert text.count("# not identifiable") == 2
