"""Whether observation changes a run: one plan, watched in every way, must give one result.

What is watched is the samples, traces and captures of a plan. The frames on the air, with their times, and what programs print
must not depend on them.
"""

import copy
import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from airtcp.errors import AirtcpError
from airtcp.execution.runner import Running, Tools, run_plan
from airtcp.scenario.compiler import compile_scenario
from airtcp.scenario.plan import Plan
from airtcp.scenario.reading import scenario_from_tables
from random_scenarios import Tables

INTERVALS = ("flows", "qdiscs", "stations", "rates", "air")
TRACES = ("acks", "delays", "ppdus")


@dataclass(frozen=True)
class Outcome:
    """What a run came to, apart from what was watched."""

    frame_hash: str
    received_bytes: tuple[int, ...]
    programs: str
    late_max_ns: int


def _sampled(plan: Plan, interval_ns: int, traces: bool = False) -> Plan:
    watched: Any = copy.deepcopy(plan)
    watched["sampling"] |= {f"{name}_interval_ns": interval_ns for name in INTERVALS}
    watched["sampling"] |= dict.fromkeys(TRACES, traces)
    watched["captures"] = []
    return watched


def _captured(plan: Plan) -> Plan:
    watched: Any = _sampled(plan, 0)
    span = {"flows": [], "start_ns": 0, "stop_ns": plan["duration_ns"]}
    for node in plan["nodes"]:
        names = [device["name"] for device in [*node["interfaces"], *node["bridges"]]]
        point = {"kind": "interfaces", "node": node["name"], "names": names}
        watched["captures"].append({"name": node["name"], "point": point, "snap_bytes": 1600, **span})
    watched["captures"].append({"name": "the air", "point": {"kind": "air"}, "snap_bytes": 192, **span})
    return watched


WATCHED: dict[str, Callable[[Plan], Plan]] = {
    "nothing": lambda plan: _sampled(plan, 0),
    "samples every 1 ms": lambda plan: _sampled(plan, 1_000_000),
    "samples every 100 ms": lambda plan: _sampled(plan, 100_000_000),
    "all traces": lambda plan: _sampled(plan, 0, traces=True),
    "captures everywhere": _captured,
}


def outcomes(tables: Tables, tools: Tools, watched: Iterable[str] = WATCHED) -> dict[str, Outcome | str]:
    """What a scenario comes to in each way of watching; of a failure its words."""
    plan = compile_scenario(scenario_from_tables(tables))
    return {name: _outcome(WATCHED[name](plan), tools) for name in watched}


def _outcome(plan: Plan, tools: Tools) -> Outcome | str:
    try:
        folder = run_plan(plan, tools, Running(), lambda _: None).folder
    except AirtcpError as error:
        return str(error)
    summary = json.loads((folder / "summary.json").read_bytes())
    received = tuple(flow["bytes_received"] for flow in summary["agent"]["flows"])
    air = summary["air"]
    return Outcome(air["frame_hash"], received, _printed(folder / "programs"), air["late_max_ns"])


def _printed(folder: Path) -> str:
    digest = hashlib.sha256()
    for file in sorted(folder.glob("*")) if folder.is_dir() else []:
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def moved(found: dict[str, Outcome | str]) -> list[str]:
    """The ways of watching that give another result than watching nothing."""
    reference = found["nothing"]
    return [name for name, outcome in found.items() if outcome != reference]
