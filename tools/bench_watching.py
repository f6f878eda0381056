"""What watching a run costs: the same traffic with and without samples, traces and captures, side by side."""

from collections.abc import Callable
from pathlib import Path

from airtcp.execution.events import Done
from airtcp.scenario.compiler import compile_scenario
from airtcp.scenario.plan import Plan, PlanCapture, PlanSampling
from airtcp.scenario.reading import parse_toml, scenario_from_tables

SCENARIO = Path(__file__).resolve().parent / "bench" / "ten-flows.toml"
MS = 1_000_000
NOTHING: PlanSampling = {
    "flows_interval_ns": 0,
    "qdiscs_interval_ns": 0,
    "air_interval_ns": 0,
    "acks": False,
    "delays": False,
    "ppdus": False,
}


def watched_plans() -> dict[str, Plan]:
    """The plans by what is watched; nothing comes first. The traffic is the same in all of them."""
    plan = compile_scenario(scenario_from_tables(parse_toml(SCENARIO.read_text(encoding="utf-8"), SCENARIO)))
    plan = {**plan, "sampling": NOTHING, "captures": []}

    def sampled(changed: PlanSampling) -> Plan:
        return {**plan, "sampling": changed}

    return {
        "nothing": plan,
        "tcp_info of 10 flows every 10 ms": sampled({**NOTHING, "flows_interval_ns": 10 * MS}),
        "tcp_info of 10 flows every 1 ms": sampled({**NOTHING, "flows_interval_ns": MS}),
        "every queue every 10 ms": sampled({**NOTHING, "qdiscs_interval_ns": 10 * MS}),
        "every ACK": sampled({**NOTHING, "acks": True}),
        "every one-way delay": sampled({**NOTHING, "delays": True}),
        "a capture at the server": {**plan, "captures": [_capture("server", "h1", ["eth0"])]},
        "a capture of the air": {**plan, "captures": [_capture("air", None, [])]},
    }


def _capture(name: str, node: str | None, names: list[str]) -> PlanCapture:
    point = {"kind": "air"} if node is None else {"kind": "interfaces", "node": node, "names": names}
    start_ns, stop_ns = 0, 2**62
    return {
        "name": name,
        "point": point,
        "snap_bytes": 192,
        "flows": [],
        "start_ns": start_ns,
        "stop_ns": stop_ns,
    }


def watching_costs(run: Callable[[Plan], Done], rounds: int) -> dict[str, list[float]]:
    """For each thing watched the wall time over that of nothing watched, in each round."""
    plans = watched_plans()
    for plan in plans.values():
        run(plan)  # not counted
    ratios: dict[str, list[float]] = {name: [] for name in plans if name != "nothing"}
    for _ in range(rounds):
        quiet_s = run(plans["nothing"]).wall_s
        for name, found in ratios.items():
            found.append(run(plans[name]).wall_s / quiet_s)
    return ratios
