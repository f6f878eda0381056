"""No way of watching changes what happens: scenarios of chance, and those that were moved once."""

import json
import os
from pathlib import Path
from random import SystemRandom

import pytest
from airtcp.execution.locate import find_kernel
from airtcp.execution.runner import Tools
from airtcp.execution.store import prepare_store
from observation.generations import with_generations
from observation.multi_user import ACKNOWLEDGEMENTS, SCHEDULERS, with_multi_user
from observation.scenarios import draw
from observation.search import KEPT, scenario_of
from observation.shrinking import shrunk
from observation.watching import watch

# Other scenarios at each time; AIRTCP_FUZZ_SEED brings those of a time before.
FIRST_SEED = int(os.environ.get("AIRTCP_FUZZ_SEED", SystemRandom().randrange(10**9)))
SCENARIOS = 20


@pytest.fixture
def tools(real_runner: Path, tmp_path: Path) -> Tools:
    return Tools(real_runner, {"6.12": find_kernel("6.12")}, prepare_store(tmp_path / "runs"))


@pytest.mark.guest
@pytest.mark.parametrize("number", range(SCENARIOS))
def test_no_way_of_watching_changes_a_scenario_of_chance(number: int, tools: Tools) -> None:
    seed = FIRST_SEED + number
    finding = watch(scenario_of(seed), tools)
    told = f"`python -m observation.search --plans 1 --first-seed {seed}` keeps it as a regression"
    assert not finding, f"the scenario of seed {seed}: {finding}; {told}"


@pytest.mark.guest
@pytest.mark.parametrize("file", sorted(KEPT.glob("*.json")), ids=lambda file: file.stem)
def test_what_was_moved_once_stays(file: Path, tools: Tools) -> None:
    finding = watch(json.loads(file.read_text(encoding="utf-8")), tools)
    assert not finding, str(finding)


@pytest.mark.guest
def test_a_network_that_is_never_ready_is_an_outcome(tools: Tools) -> None:
    cell = {"mac": "linux", "standard": "11n", "stations": 1}
    far = {
        "name": "far",
        "wifi": {"home": cell},
        "channel": {"rssi": "-120 dBm", "reception": "table"},
        "duration": "1 s",
    }
    assert not watch(far, tools, ["nothing", "all traces"])


def test_a_scenario_follows_from_its_seed() -> None:
    assert draw(7) == draw(7)
    assert len({json.dumps(draw(seed)) for seed in range(50)}) == 50


def test_the_search_draws_everything_that_it_promises() -> None:
    text = " ".join(json.dumps(draw(seed)) for seed in range(300))
    inputs = (
        "unlimited",
        '"up": false',
        "tc qdisc del",
        "close_input",
        "signal",
        "rssi",
        "loss",
        "move",
        "r1",
    )
    told = ("SO_SNDBUF", "AF_PACKET", "1,37,", "iperf3")
    for word in ("linux", "mesh", "power_save", "fq_codel", "cake", "ping", "udp", "tcpdump", "clock_skew"):
        assert word in text, word
    for word in (*inputs, *told):
        assert word in text, word
    assert "tracefs" not in text
    assert "tracefs" in " ".join(json.dumps(draw(seed, lab=True)) for seed in range(20))


def test_the_search_mixes_generations() -> None:
    mixed = [with_generations(seed, draw(seed)) for seed in range(60)]
    assert mixed[7] == with_generations(7, draw(7))
    radios = [
        own for tables in mixed for cell in tables["wifi"].values() for own in cell.get("radio", {}).values()
    ]
    assert {"11n", "11a", "11g", "11b"} <= {own["standard"] for own in radios if "standard" in own}
    assert {cell.get("mac") for tables in mixed for cell in tables["wifi"].values() if "radio" in cell} == {
        None,
        "linux",
    }


def test_shrinking_leaves_what_it_needs() -> None:
    def still_moved(tables: dict[str, object]) -> bool:
        return bool(tables["ping"])

    drawn = next(tables for tables in map(draw, range(100)) if len(tables["ping"]) > 1 and tables["program"])
    small = shrunk(drawn, still_moved)
    assert (len(small["ping"]), small["program"], small["flow"]) == (1, [], [])


def test_the_search_has_cells_that_send_to_several_stations_at_once() -> None:
    cells = [
        cell["multi_user"] | {"mac": cell.get("mac")}
        for seed in range(200)
        for cell in with_multi_user(seed, draw(seed))["wifi"].values()
        if "multi_user" in cell
    ]
    for key, values in {
        "scheduler": SCHEDULERS,
        "acknowledgement": ACKNOWLEDGEMENTS,
        "mac": (None, "linux"),
    }.items():
        assert {cell[key] for cell in cells} == set(values)
    for key in ("mu_rts", "bsrp", "mu_edca", "random_access", "target_rssi"):
        assert any(cell.get(key) for cell in cells), key
