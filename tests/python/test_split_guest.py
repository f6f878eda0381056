"""Real guests: a network in two parts has the same results whether one guest computes it or two, part by part."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from airtcp.data.run_folder import open_run
from airtcp.data.run_integrity import find_damage
from airtcp.execution.locate import find_kernel
from airtcp.execution.runner import Running, Tools, run_plan
from airtcp.execution.store import prepare_store
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.reading.scenario_file import scenario_from_tables

pytestmark = pytest.mark.guest

MS = 1_000_000
EVERYTHING = {
    "flows": "10 ms",
    "qdiscs": "10 ms",
    "air": "10 ms",
    "acks": True,
    "ppdus": True,
}
SLOW = {"standard": "11g"}
FAST = {"standard": "11ac"}
WEST, EAST = ["sta1", "sta2"], ["sta3", "sta4"]
BACKBONE = {"between": ["s1", "s2"], "rate": "1 Gbit/s", "delay": "5 ms"}


def split(name: str, **tables: Any) -> dict[str, Any]:
    return {
        "name": name,
        "duration": "3 s",
        "guest": {"split": True},
        "sampling": EVERYTHING,
        **tables,
    }


def two_cells(west: dict[str, Any], east: dict[str, Any], **backbone: Any) -> dict[str, Any]:
    """Two cells with an access point, two stations, a node `s1` or `s2` and a server each."""
    return {
        "wifi": {"west": {"stations": WEST, **west}, "east": {"stations": EAST, **east}},
        "wire": [
            {"between": ["ap1", "s1"], "queue": "fq_codel"},
            {"between": ["ap2", "s2"], "rate": "500 Mbit/s", "queue": "pfifo limit 100"},
            {"between": ["h1", "s1"], "delay": "0.1 ms"},
            {"between": ["h2", "s2"], "delay": "0.2 ms"},
            {**BACKBONE, **backbone},
        ],
    }


def of_kind(kind: str) -> dict[str, Any]:
    """The nodes at both ends of the backbone are of this kind."""
    return {name: {"kind": kind} for name in ("s1", "s2")}


# Inside of the cells, and over the backbone in both directions.
TRAFFIC: dict[str, Any] = {
    "flow": [
        {"from": "h1", "to": "sta1", "cca": "cubic"},
        {"from": "sta2", "to": "h1", "cca": "reno"},
        {"from": "h2", "to": "sta3", "cca": "bbr"},
        {"from": "sta1", "to": "h2", "cca": "bbr"},
        {"from": "h2", "to": "sta2", "cca": "cubic", "start": "300 ms"},
        {"name": "upload", "from": "sta4", "to": "h1", "bytes": "500 kB", "start": "500 ms"},
        {"name": "download", "from": "h1", "to": "sta4", "cca": "reno", "bytes": "1 MB", "start": "1 s"},
    ],
    "udp": [
        {"from": "h1", "to": "sta2", "rate": "1 Mbit/s"},
        {"from": "sta3", "to": "h2", "rate": "500 kbit/s", "pace": "poisson"},
    ],
    "ping": [
        {"from": "sta1", "to": "sta4", "interval": "20 ms"},
        {"from": "h2", "to": "h1", "interval": "50 ms", "phase": "none"},
        {"from": "sta3", "to": "h2", "interval": "50 ms"},
    ],
}
# Nearly all of it in one cell.
ONE_SIDED: dict[str, Any] = {
    "flow": [
        {"from": "h1", "to": WEST, "cca": "bbr"},
        {"from": WEST, "to": "h1"},
        {"from": "sta3", "to": "h1", "bytes": "200 kB", "start": "1 s"},
    ],
    "request": [{"from": "h1", "to": "sta1", "response": "20 kB", "think": "10 ms"}],
    "ping": [{"from": "sta3", "to": "sta1", "interval": "50 ms"}],
}
# More than the backbone carries.
TOO_MUCH: dict[str, Any] = {
    "flow": [
        {"from": "h1", "to": "h2", "cca": "cubic"},
        {"from": "h1", "to": "sta3", "cca": "bbr"},
        {"from": "sta4", "to": "h1", "cca": "reno"},
        {"from": "sta1", "to": "h1"},
    ],
    "ping": [{"from": "h1", "to": "h2", "interval": "10 ms"}],
}
SCENARIOS = {
    "11g": split(
        "11g", **two_cells({**SLOW, "channel": 1}, {**SLOW, "channel": 11}), **TRAFFIC, node=of_kind("switch")
    ),
    "11ac": split(
        "11ac",
        **two_cells({**FAST, "channel": 36}, {**FAST, "channel": 149}),
        **TRAFFIC,
        node=of_kind("router"),
    ),
    "one-sided": split(
        "one-sided",
        **two_cells({**FAST, "channel": 36}, {**SLOW, "channel": 1}),
        **ONE_SIDED,
        node=of_kind("switch"),
    ),
    "bottleneck": split(
        "bottleneck",
        **two_cells(
            {**SLOW, "channel": 1},
            {**SLOW, "channel": 11},
            rate="10 Mbit/s",
            queue="20 packets",
            towards={"s1": {"rate": "5 Mbit/s", "delay": "12 ms", "queue": "fq_codel limit 30"}},
        ),
        **TOO_MUCH,
        node=of_kind("router"),
    ),
    # Hosts send into the backbone themselves, and its shorter direction is as short as it may be.
    "hosts": split(
        "hosts",
        wire=[
            {
                "between": ["n1", "n2"],
                "rate": "200 Mbit/s",
                "queue": "fq",
                "delay": "1 ms",
                "towards": {"n1": {"delay": "9 ms", "rate": "unlimited", "queue": "none"}},
            }
        ],
        flow=[{"from": "n1", "to": "n2", "cca": "bbr"}, {"from": "n2", "to": "n1"}],
        ping=[
            {"from": "n1", "to": "n2", "interval": "7 ms"},
            {"from": "n2", "to": "n1", "interval": "50 ms", "ip": 6},
        ],
    ),
}


@dataclass(frozen=True)
class Computer:
    """Computes the scenarios, in a store for each number of guests."""

    runner: Path
    folder: Path

    def computed(self, scenario: str, guests: int, seed: int = 1, store: str = "") -> Path:
        plan = compile_scenario(scenario_from_tables({**SCENARIOS[scenario], "seed": seed}))
        kernels = {plan["kernel"]: find_kernel(plan["kernel"])}
        runs = prepare_store(self.folder / (store or f"{guests} guests"))
        tools = Tools(self.runner, kernels, runs, guests=guests)
        return run_plan(plan, tools, Running(), lambda _: None).folder


@pytest.fixture(scope="module")
def computer(real_runner: Path, tmp_path_factory: pytest.TempPathFactory) -> Computer:
    return Computer(real_runner, tmp_path_factory.mktemp("split"))


def manifest(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "manifest.json").read_text(encoding="utf-8")))


def summary(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "summary.json").read_text(encoding="utf-8")))


def assert_same(one: Path, two: Path) -> None:
    """Name, plan, summary, all series and the hash of frames; what a run cost may differ."""
    first, second = manifest(one), manifest(two)
    different = [file for file, hashed in first["sha256"].items() if second["sha256"].get(file) != hashed]
    assert not different
    assert first["sha256"].keys() == second["sha256"].keys()
    assert {"plan.json", "summary.json", "series/flows.parquet", "series/acks.parquet"} <= first[
        "sha256"
    ].keys()
    for key in ("run", "frame_hash", "virtual_s"):
        assert first[key] == second[key], key
    assert find_damage(one) == []
    assert find_damage(two) == []


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("seed", [1, 2])
def test_two_guests_compute_what_one_guest_computes(computer: Computer, scenario: str, seed: int) -> None:
    one, two = (computer.computed(scenario, guests, seed) for guests in (1, 2))
    assert_same(one, two)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_everything_arrives(computer: Computer, scenario: str) -> None:
    """Runs in which nothing happens would be the same, too."""
    told = summary(computer.computed(scenario, 2))["agent"]
    assert not told["failure"]
    assert not told["warnings"]
    for flow in told["flows"]:
        assert flow["bytes_received"] > 50_000, flow["name"]
    for ping in told["pings"]:
        assert ping["received"] > 0.5 * ping["sent"] > 10, ping["name"]
    for stream in told["datagrams"]:
        assert stream["received"] > 0.5 * stream["sent"] > 10, stream["name"]
    for flow in told["flows"]:
        if flow["name"] in ("upload", "download"):
            assert flow["finished_ns"], flow["name"]


def test_what_crosses_takes_the_delay_of_the_backbone(computer: Computer) -> None:
    pings = open_run(computer.computed("11ac", 2)).pings
    rtts = pings.filter((pings["ping"] == 1) & (pings["rtt_ns"] >= 0))["rtt_ns"]
    assert rtts.len() > 50
    # There and back: twice 5 ms of the backbone, and 0.1 and 0.2 ms between servers and routers.
    assert rtts.min() >= 2 * 5.3 * MS
    assert rtts.min() < 11 * MS


def test_the_backbone_may_be_the_bottleneck(computer: Computer) -> None:
    told = summary(computer.computed("bottleneck", 2))["agent"]
    plan = json.loads((computer.computed("bottleneck", 2) / "plan.json").read_text(encoding="utf-8"))
    ends = {
        (node["name"], interface["name"])
        for node in plan["nodes"]
        for interface in node["interfaces"]
        if interface["attachment"] == {"kind": "wire", "wire": 4}
    }
    drops = {
        (queue["node"], queue["interface"]): queue["drops"]
        for queue in told["qdiscs"]
        if (queue["node"], queue["interface"]) in ends
    }
    assert len(drops) == 2
    assert min(drops.values()) > 0
    assert sum(flow["retransmits"] for flow in told["flows"]) > 10


@contextmanager
def on_one_core() -> Iterator[None]:
    """What is started meanwhile shares a core."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


def test_two_guests_on_one_core_compute_the_same(computer: Computer) -> None:
    with on_one_core():
        shared = computer.computed("11g", 2, store="one core")
    assert_same(computer.computed("11g", 1), shared)
