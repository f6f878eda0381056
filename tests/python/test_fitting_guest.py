"""Fits of real guests: the page about fits, hidden values that are found, and causes that look alike."""

import json
import tomllib

import pytest
from prove_fit import Network, prove
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
