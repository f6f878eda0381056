"""airtcp's side of the comparison of TCP: a case as a scenario with Linux hosts, and its goodput."""

import tempfile
from pathlib import Path
from typing import Any

import airtcp
from airtcp.data.run_folder import Run
from airtcp.errors import AirtcpError
from airtcp.execution.locate import find_kernel, find_runner
from airtcp.execution.runner import Running, Tools, run_plan
from airtcp.kernels.table import DEFAULT_KERNEL
from airtcp.plans.types.plan import Plan
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.reading.scenario_file import scenario_from_tables

from crosscheck.airtcp_side import STATION, AirtcpUnavailable, set_retry_limits, tables_of
from crosscheck.cases import Case, Scene
from crosscheck.results import Result, mean_of
from crosscheck.results import Run as Figures

SERVER = "server"
# How many times as long as ns-3 airtcp measures.
TIMES_AS_LONG = 2.0
# As long as a receiver waits for more, it acknowledges every second segment, as in ns-3. This is more than
# a PPDU brings: else it would read what came at once, and acknowledge it once.
LOW_WATER = "64 KiB"
# Linux announces as much of its receive buffer as a segment's octets have of the memory that it takes
# (`scaling_ratio` in include/linux/tcp.h): here 1448 of 2192.
BUFFER_PER_WINDOW = 2192 / 1448
# Longer than a run: ns-3 3.44 does not take back what a timeout in error has done to its window (tcp.h).
RTO_MIN_US = 60_000_000
# ns-3's neighbour caches are filled before it starts. Here requests, which collide as broadcasts do, are
# repeated soon and often, in place of three within 3 s.
NEIGHBOUR_REQUESTS, NEIGHBOUR_INTERVAL_MS = 50, 20


def tcp_result(case: Case) -> Result:
    """airtcp's result for the same scene and seeds."""
    seconds = case.scene.seconds * TIMES_AS_LONG
    scene = case.scene.model_copy(update={"seconds": seconds})
    return mean_of([_run(scene, seed) for seed in case.seeds], seconds)


def _run(scene: Scene, seed: int) -> Figures:
    plan = plan_of(scene, seed)
    with tempfile.TemporaryDirectory(prefix="crosscheck-") as folder:
        store = Path(folder)
        tools = Tools(find_runner(), {DEFAULT_KERNEL: find_kernel(DEFAULT_KERNEL)}, store)
        done = run_plan(plan, tools, Running(), lambda _: None)
        run = airtcp.load(Path(done.folder))
        assert isinstance(run, Run)
        demand_connections(run.agent["flows"], scene)
        up, down = ([_goodput_mbps(run, scene, number, way) for number in _stations(scene)] for way in _WAYS)
        nics = run.air_report["nics"]
        return Figures(
            goodput_mbps=sum(up) + sum(down),
            up_mbps=up,
            down_mbps=down,
            failed_exchanges=sum(nic["collisions"] + nic["corrupted"] for nic in nics),
            dropped_mpdus=sum(sum(nic["dropped"].values()) for nic in nics),
            cpu_s_per_s=done.cpu_s / (scene.warmup_s + scene.seconds),
            peak_memory_mb=0.0,
        )


_WAYS = ("up", "down")


def demand_connections(flows: list[dict[str, Any]], scene: Scene) -> None:
    """Each flow sends data when measuring begins: one that does not would leave its share to the others."""
    for flow in flows:
        connected_ns = flow["connected_ns"]
        if connected_ns is None or connected_ns > 1e9 * scene.warmup_s:
            raise AirtcpUnavailable(f"{flow['name']} is not connected when measuring begins: {flow['error']}")


def _stations(scene: Scene) -> range:
    return range(1, scene.stations + 1)


def _has(scene: Scene, number: int, way: str) -> bool:
    direction = scene.direction[(number - 1) % len(scene.direction)]
    return direction in (way, "both")


def _goodput_mbps(run: Run, scene: Scene, number: int, way: str) -> float:
    if not _has(scene, number, way):
        return 0.0
    return float(
        airtcp.number(run, "throughput", flows=f"{way}{number}", skip=f"{1000 * scene.warmup_s:g} ms")
    )


def plan_of(scene: Scene, seed: int) -> Plan:
    """The compiled scenario: the same cell, its access point a bridge to a server without delay."""
    try:
        plan = compile_scenario(scenario_from_tables(_tables(scene, seed)))
    except AirtcpError as problem:
        raise AirtcpUnavailable(str(problem)) from problem
    set_retry_limits(plan["air"], scene)
    return plan


def _tables(scene: Scene, seed: int) -> dict[str, Any]:
    tables = tables_of(scene, seed)
    for key in ("source", "warmup"):
        tables.pop(key)
    for cell in tables["wifi"].values():
        # ns-3's senders have no limit below their window.
        cell["pacing_shift"] = 0
        # ns-3's queues are first in, first out: acknowledgements wait behind data.
        cell["nic_queue"] = cell["nic_queue"] | {"flows": 1}
    tables["sysctl"] = _settings(scene)
    tables["wire"] = [{"between": ["ap1", SERVER], "rate": "unlimited"}]
    tables["flow"] = [
        _flow(number, way) for number in _stations(scene) for way in _WAYS if _has(scene, number, way)
    ]
    return tables


def _settings(scene: Scene) -> dict[str, str]:
    """What differs from Linux's defaults in all hosts."""
    window = scene.tcp_window_bytes
    receive = round(window * BUFFER_PER_WINDOW)
    return {
        "net.ipv4.tcp_rmem": f"4096 {receive} {receive}",
        "net.ipv4.tcp_wmem": f"4096 {2 * window} {2 * window}",
        "net.ipv4.tcp_rto_min_us": f"{RTO_MIN_US}",
        "net.ipv4.neigh.default.mcast_solicit": f"{NEIGHBOUR_REQUESTS}",
        "net.ipv4.neigh.default.retrans_time_ms": f"{NEIGHBOUR_INTERVAL_MS}",
    }


def _flow(number: int, way: str) -> dict[str, str]:
    ends = (f"{STATION}{number}", SERVER)
    sender, receiver = ends if way == "up" else reversed(ends)
    return {
        "name": f"{way}{number}",
        "from": sender,
        "to": receiver,
        "cca": "reno",
        "low_water": LOW_WATER,
    }
