"""The cost of observing a run: the same traffic with and without samples, traces and captures."""

import math
from collections.abc import Callable
from pathlib import Path

from airtcp.execution.events import Done
from airtcp.plans.types.plan import Plan, PlanCapture, PlanSampling
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.reading.scenario_file import scenario_from_tables
from airtcp.scenario.reading.toml_file import parse_toml

SCENARIO = Path(__file__).resolve().parent / "bench" / "ten-flows.toml"
MS = 1_000_000
NOTHING: PlanSampling = {
    "flows_interval_ns": 0,
    "qdiscs_interval_ns": 0,
    "stations_interval_ns": 0,
    "rates_interval_ns": 0,
    "air_interval_ns": 0,
    "sockets_least_bytes": None,
    "acks": False,
    "delays": False,
    "ppdus": False,
}


def watched_plans() -> dict[str, Plan]:
    """The plans by what is observed; "nothing" is first. All have the same traffic."""
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


def watching_costs(run: Callable[[Plan], Done], rounds: int) -> dict[str, float]:
    """For each kind of observation, its least wall time divided by the least without observation.

    Runs are short, so that others on the machine weigh more than what is measured; the least times know
    least of them.
    """
    plans = watched_plans()
    least_s = dict.fromkeys(plans, math.inf)
    for _ in range(rounds):
        for name, plan in plans.items():
            least_s[name] = min(least_s[name], run(plan).wall_s)
    return {name: s / least_s["nothing"] for name, s in least_s.items() if name != "nothing"}
