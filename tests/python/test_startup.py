"""Commands with nothing to compute load nothing heavy: no library of tables, figures or statistics."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.documentation_pages import ROOT

# Each takes a tenth of a second or more to load.
HEAVY = {
    "polars",
    "numpy",
    "matplotlib",
    "scipy",
    "pandas",
    "pyarrow",
    "dask",
    "jinja2",
    "prompt_toolkit",
    "tomlkit",
    "starlette",
    "uvicorn",
}
SCENARIO = str(ROOT / "tests" / "python" / "scenarios" / "first.toml")
CAMPAIGN = str(ROOT / "examples" / "campaign" / "queues.toml")


def loaded(words, folder):
    """The top-level modules that a command imports, and its own modules."""
    command = [sys.executable, "-X", "importtime", "-m", "airtcp", *words]
    told = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)
    names = re.findall(r"^import time:[^|]*\|[^|]*\|\s*(\S+)", told.stderr, re.MULTILINE)
    assert names, told.stderr
    return set(names)


def heavy(names, of):
    return sorted({name.partition(".")[0] for name in names} & of)


@pytest.mark.parametrize(
    "words",
    [
        ["--version"],
        ["--help"],
        ["init"],
        ["docs"],
        ["docs", "queues"],
        ["help", "seed"],
        ["show-plan", SCENARIO],
        ["store", "ls"],
        ["kernel", "path"],
        ["enter", "sta1"],
        ["study", "--list"],
        ["run", "--help"],
        ["run", "nosuch.toml"],
        ["sweep", CAMPAIGN, "--dry-run"],
        ["help", "srtt"],
        ["trace", "--kinds"],
        ["plot", "nosuch"],
    ],
)
def test_nothing_heavy_is_loaded(words, tmp_path):
    (tmp_path / "runs").mkdir()
    assert heavy(loaded(words, tmp_path), HEAVY) == []


@pytest.mark.parametrize(
    "words",
    [
        ["init"],
        ["docs", "queues"],
        ["help", "srtt"],
        ["help", "nic_queue"],
        ["store", "ls"],
        ["study", "--list"],
        ["kernel", "path"],
        ["--help"],
    ],
)
def test_what_reads_no_scenario_loads_no_models_of_scenarios(words, tmp_path):
    (tmp_path / "runs").mkdir()
    names = loaded(words, tmp_path)
    assert [name for name in names if name.startswith(("airtcp.scenario.keys", "pydantic"))] == []


@pytest.mark.guest
def test_a_run_that_is_in_the_store_is_shown_without_reading_it(tmp_path):
    words = ["run", SCENARIO, "--store", "runs"]
    for _ in range(3):  # the store in which plans are kept is made by the first
        names = loaded(words, tmp_path)
    assert heavy(names, HEAVY) == []
    assert [name for name in names if name.startswith("airtcp.scenario.keys")] == []


@pytest.fixture
def stored(tmp_path):
    """A store with two runs, and a campaign of both, each shown once."""
    (tmp_path / "queues.toml").write_text(
        'name = "q"\nscenario = "s.toml"\nreps = 3\nmetrics = ["throughput"]\n'
        '[factor.cca]\nkey = "flow[*].cca"\nvalues = ["cubic", "reno"]\n'
    )
    (tmp_path / "s.toml").write_text(Path(SCENARIO).read_text().replace('"10 s"', '"1 s"'))
    loaded(["sweep", "queues.toml"], tmp_path)
    return sorted(str(file.parent.relative_to(tmp_path)) for file in tmp_path.glob("runs/*/manifest.json"))


@pytest.mark.guest
def test_what_was_shown_of_stored_runs_is_shown_again_without_computing_it(stored, tmp_path):
    one, other, *_ = stored
    for words in (
        ["plot", one, "--out", "figure.png"],
        ["plot", one, other, "--kind", "cdf"],
        ["report", "runs"],
        ["compare", one, other],
        ["run", f"{one}/plan.json", "--json"],
    ):
        loaded(words, tmp_path)
        assert heavy(loaded(words, tmp_path), HEAVY) == [], words
    for words in (["sweep", "queues.toml"], ["explain", one], ["explain", "s.toml"]):
        assert heavy(loaded(words, tmp_path), HEAVY) == [], words
