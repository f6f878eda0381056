"""One scenario, observed in every way: samples, traces and captures must not change its results.

Results are the frames on the air with their times, the bytes received, and what programs and sessions print.
"""

import copy
import hashlib
import json
import re
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from airtcp.errors import AirtcpError
from airtcp.execution.runner import Running, Tools, run_plan
from airtcp.plans.types.plan import Plan
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.reading.scenario_file import scenario_from_tables

from observation.scenarios import Tables

# How a run reports an error that the kernel detected in itself (`crates/runner/src/verdict.rs`).
KERNEL_WARNED = "the kernel warned"
# How a run ends whose stations have no network when traffic would start: in a scenario of chance, noise or a
# neighbour can be too strong. It must end so however it is observed.
NOT_READY = re.compile(r"[Cc]hoose a later epoch")
INTERVALS = ("flows", "qdiscs", "stations", "rates", "air")
TRACES = ("acks", "delays", "ppdus")


@dataclass(frozen=True)
class Outcome:
    """The result of a run, without the observations."""

    frame_hash: str
    received_bytes: tuple[int, ...]
    programs: str


@dataclass(frozen=True)
class Finding:
    """The results of a scenario for all kinds of observation."""

    # Kinds of observation whose result differs from that without observation.
    moved: tuple[str, ...] = ()
    # Messages of failures, by kind of observation.
    failed: dict[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether there is anything to report."""
        return bool(self.moved or self.failed)

    def __str__(self) -> str:
        """The report as text."""
        parts = [f"moved by {', '.join(self.moved)}"] if self.moved else []
        for words in dict.fromkeys(self.failed.values()):
            ways = ", ".join(name for name, same in self.failed.items() if same == words)
            parts.append(f"failed with {ways}: {words}")
        return "; ".join(parts)


def _sampled(plan: Plan, interval_ns: int, traces: bool = False) -> Plan:
    watched = copy.deepcopy(plan)
    sampling: Any = watched["sampling"]
    sampling |= {f"{name}_interval_ns": interval_ns for name in INTERVALS}
    sampling |= dict.fromkeys(TRACES, traces)
    # Everything that programs send to each other, down to single bytes.
    sampling["sockets_least_bytes"] = 1 if interval_ns or traces else None
    watched["captures"] = []
    return watched


def _captured(plan: Plan) -> Plan:
    watched = _sampled(plan, 0)
    captures: Any = watched["captures"]
    span = {"flows": [], "start_ns": 0, "stop_ns": plan["duration_ns"]}
    for node in plan["nodes"]:
        names = [device["name"] for device in [*node["interfaces"], *node["bridges"]]]
        point = {"kind": "interfaces", "node": node["name"], "names": names}
        captures.append({"name": node["name"], "point": point, "snap_bytes": 1600, **span})
    captures.append({"name": "the air", "point": {"kind": "air"}, "snap_bytes": 192, **span})
    return watched


WATCHED: dict[str, Callable[[Plan], Plan]] = {
    "nothing": lambda plan: _sampled(plan, 0),
    "samples every 1 ms": lambda plan: _sampled(plan, 1_000_000),
    "samples every 100 ms": lambda plan: _sampled(plan, 100_000_000),
    "all traces": lambda plan: _sampled(plan, 0, traces=True),
    "captures everywhere": _captured,
}


def watch(tables: Tables, tools: Tools, ways: Iterable[str] = WATCHED) -> Finding:
    """Runs the scenario with each of these kinds of observation; "nothing" is one of them."""
    plan = compile_scenario(scenario_from_tables(tables))
    # Of a network that was not ready, the message.
    found: dict[str, Outcome | str] = {}
    failed: dict[str, str] = {}
    for name in ways:
        try:
            found[name] = _outcome(WATCHED[name](plan), tools)
        except AirtcpError as error:
            if NOT_READY.search(str(error)):
                found[name] = str(error)
            else:
                failed[name] = str(error)
    reference = found.get("nothing")
    moved = [name for name, outcome in found.items() if reference and outcome != reference]
    return Finding(tuple(moved), failed)


def _outcome(plan: Plan, tools: Tools) -> Outcome:
    folder = run_plan(plan, tools, Running(), lambda _: None).folder
    summary = json.loads((folder / "summary.json").read_bytes())
    if warned := [text for text in summary["agent"]["warnings"] if text.startswith(KERNEL_WARNED)]:
        raise AirtcpError(warned[0], str(folder), "Look at its console")
    received = tuple(flow["bytes_received"] for flow in summary["agent"]["flows"])
    outcome = Outcome(summary["air"]["frame_hash"], received, _printed(folder / "programs"))
    shutil.rmtree(folder)
    return outcome


def _printed(folder: Path) -> str:
    digest = hashlib.sha256()
    session = folder.with_name("session.jsonl")
    for file in [*sorted(folder.glob("*")), *([session] if session.is_file() else [])]:
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()
