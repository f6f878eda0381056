"""Examples and tables of the documentation hold what the code does."""

import re
from pathlib import Path

import pytest
from airtcp.scenario.compile.compiler import compile_scenario, compile_scene
from airtcp.wifi.standard import BANDS
from airtcp.wifi.wall_material import MATERIALS, wall_loss_db
from support.wifi_scenarios import plan_of, scenario_of

ROOT = Path(__file__).parents[2]
WIFI = (ROOT / "docs" / "wifi.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```toml\n(.*?)```", WIFI, re.DOTALL)


def test_there_are_examples_of_every_part():
    for key in ("kind", "rate", "nic_queue", "aggregation", "wall", "trace", "source", "access", "waypoints"):
        assert any(re.search(rf"\b{key}\b", example) for example in EXAMPLES), key


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_examples_of_the_wifi_page_compile(number, tmp_path):
    (tmp_path / "walk.csv").write_text(re.search(r"```csv\n(.*?)```", WIFI, re.DOTALL).group(1))
    scenario = scenario_of(f'name = "example"\nduration = "10 s"\n{EXAMPLES[number]}')
    compiler = compile_scene if scenario.source else compile_scenario
    assert compiler(scenario, tmp_path)["air"]["nics"]


def test_the_table_of_walls():
    for name, row in MATERIALS.items():
        losses = []
        for band in BANDS:
            try:
                losses.append(f"{wall_loss_db(name, band, None):.1f} dB")
            except ValueError:
                losses.append("-")
        assert f"| `{name}` | {row.what} | {' | '.join(losses)} |" in WIFI


def test_the_example_of_the_readme_compiles():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    example = re.search(r"```toml\n(name = .*?)```", readme, re.DOTALL)
    plan = plan_of(example.group(1))
    assert plan["air"]["nics"][0]["rate_control"]["mode"] == {"kind": "legacy", "rate_bps": 54_000_000}


WORKLOADS = (ROOT / "docs" / "how-to" / "workloads.md").read_text(encoding="utf-8")
WORKLOAD_EXAMPLES = re.findall(r"```toml\n(.*?)```", WORKLOADS, re.DOTALL)


@pytest.mark.parametrize("number", range(len(WORKLOAD_EXAMPLES)))
def test_examples_of_the_page_of_workloads_compile(number):
    whole = WORKLOAD_EXAMPLES[0]
    text = whole if number == 0 else whole + WORKLOAD_EXAMPLES[number]
    plan = plan_of(text)
    assert len(plan["flows"]) + len(plan["datagrams"]) >= 3 + (number > 0)


SWEEPS = (ROOT / "docs" / "how-to" / "sweeps.md").read_text(encoding="utf-8")


def test_the_example_of_the_page_of_campaigns(airtcp):
    """It is the one in `examples`, and all of it compiles."""
    base, queues = re.findall(r"```toml\n(.*?)```", SWEEPS, re.DOTALL)[:2]
    folder = ROOT / "examples" / "campaign"
    assert (folder / "base.toml").read_text(encoding="utf-8") == base
    assert (folder / "queues.toml").read_text(encoding="utf-8") == queues
    told = airtcp("sweep", str(folder / "queues.toml"), "--dry-run")
    assert told.stdout == "27 runs: 0 cached, 27 to compute (135 virtual s)\n", told.stderr


def test_the_example_of_fading_in_an_office(airtcp):
    """It compiles, and the README beside it says how many runs it has."""
    folder = ROOT / "examples" / "office-fading"
    told = airtcp("sweep", str(folder / "fading.toml"), "--dry-run")
    assert told.stdout == "9 runs: 0 cached, 9 to compute (108 virtual s)\n", told.stderr
    assert "three seeds: 9 runs" in (folder.parent / "README.md").read_text(encoding="utf-8")
