"""A plan in a file, executed as it is: what repeats a run exactly."""

import json
from pathlib import Path
from typing import cast

from airtcp.plans.types.plan import PLAN_VERSION, Plan
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.reading.toml_file import read_text

_NEEDED = ("version", "name", "seed", "kernel", "duration_ns", "nodes", "flows", "datagrams")


def is_plan_file(path: Path) -> bool:
    """Whether the name says that the file is a plan (JSON) and not a scenario (TOML)."""
    return path.suffix == ".json"


def read_plan(path: Path) -> Plan:
    """The plan in the file; the runner checks the rest of it before it starts."""
    try:
        plan = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise ScenarioError("", f"is not a plan: {error}", "Name a run's plan.json", path) from None
    version = plan.get("version") if isinstance(plan, dict) else None
    if isinstance(version, int) and version != PLAN_VERSION:
        what = f"is a plan of version {version}; this airtcp executes version {PLAN_VERSION}"
        remedy = "Compile its scenario again, or use the airtcp that its manifest.json names"
        raise ScenarioError("version", what, remedy, path)
    missing = [key for key in _NEEDED if key not in plan] if isinstance(plan, dict) else list(_NEEDED)
    if missing:
        what = f"is not the plan of a run: it has no {', '.join(missing)}"
        raise ScenarioError("", what, "Name a run's plan.json", path)
    if version != PLAN_VERSION:
        what = f"is damaged: its version is {version!r:.40}"
        raise ScenarioError("version", what, "Name a run's plan.json", path)
    return cast(Plan, plan)
