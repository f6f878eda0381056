"""From a scenario, a plan or a finished run to what a session begins with."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from airtcp.errors import AirtcpError
from airtcp.execution.locate import find_kernel, find_runner
from airtcp.execution.runner import Tools
from airtcp.execution.store import prepare_store
from airtcp.plans.types.plan import Plan, PlanSessionInput
from airtcp.scenario.compile.compiler import NO_CHANGES, compile_file, compile_scenario
from airtcp.scenario.keys.model import Scenario
from airtcp.scenario.reading.plan_file import is_plan_file, read_plan
from airtcp.scenario.reading.toml_file import read_text

PLAN_FILE = "plan.json"
MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Opened:
    """A network that is not running yet."""

    plan: Plan
    """Plan of the network, without a session."""
    tools: Tools
    inputs: tuple[PlanSessionInput, ...] = ()
    """What enters, of a session that was saved."""
    scenario: str | None = None
    """The text of its scenario file, if it has one that was not changed."""
    run: Path | None = None
    """The finished run that it is."""


def tools_for(plan: Plan, store: Path) -> Tools:
    """What sessions of a plan are made with."""
    return Tools(find_runner(), {plan["kernel"]: find_kernel(plan["kernel"])}, prepare_store(store))


def open_file(file: Path, store: Path, changed: Mapping[str, Any] = NO_CHANGES) -> Opened:
    """Opens a scenario file, a plan, or the folder of a finished run."""
    if file.is_dir():
        return _open_run(file, store)
    if is_plan_file(file):
        plan = read_plan(file)
        return _without_session(plan, tools_for(plan, store), None)
    plan = compile_file(file, changed)
    text = read_text(file) if not changed and plan["session"] is None else None
    return _without_session(plan, tools_for(plan, store), text)


def open_scenario(scenario: Scenario, store: Path, folder: Path) -> Opened:
    """Opens a network that was built in Python; its files and recordings are looked for in `folder`."""
    plan = compile_scenario(scenario, folder)
    return _without_session(plan, tools_for(plan, store), None)


def _without_session(plan: Plan, tools: Tools, text: str | None) -> Opened:
    if plan.get("split") is not None:
        what = "the network is split, and a session has one guest with all of it"
        raise AirtcpError(
            what, "guest.split", "Leave it out, or open the scenario with --set guest.split=false"
        )
    inputs = plan["session"]["inputs"] if plan["session"] else []
    kept = tuple(one for one in inputs if one["act"]["kind"] != "end")
    return Opened({**plan, "session": None}, tools, kept, text)


def _open_run(folder: Path, store: Path) -> Opened:
    if not (folder / MANIFEST).is_file():
        raise AirtcpError(
            "is not the folder of a finished run", str(folder), "Name a folder that airtcp run made"
        )
    plan = read_plan(folder / PLAN_FILE)
    opened = _without_session(plan, tools_for(plan, store), None)
    return Opened(opened.plan, opened.tools, opened.inputs, None, folder)


def frame_hash_of(run: Path) -> str:
    """The hash over all frames of a finished run."""
    return str(json.loads((run / MANIFEST).read_text(encoding="utf-8"))["frame_hash"])
