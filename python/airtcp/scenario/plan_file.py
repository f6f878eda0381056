"""A plan in a file, executed as it is: what repeats a run exactly."""

import json
from pathlib import Path
from typing import cast

from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.plan import PLAN_VERSION, Plan
from airtcp.scenario.reading import read_text

_NEEDED = ("name", "seed", "kernel", "duration_ns", "nodes", "flows", "datagrams")


def is_plan_file(path: Path) -> bool:
    """Whether the name says that the file is a plan (JSON) and not a scenario (TOML)."""
    return path.suffix == ".json"


def read_plan(path: Path) -> Plan:
    """The plan in the file; the runner checks the rest of it before it starts."""
    try:
        plan = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise ScenarioError("", f"is not a plan: {error}", "Name a run's plan.json", path) from None
    missing = [key for key in _NEEDED if key not in plan] if isinstance(plan, dict) else list(_NEEDED)
    if missing:
        what = f"is not the plan of a run: it has no {', '.join(missing)}"
        raise ScenarioError("", what, "Name a run's plan.json", path)
    if plan.get("version") != PLAN_VERSION:
        what = f"is a plan of version {plan.get('version')}; this airtcp executes version {PLAN_VERSION}"
        raise ScenarioError("version", what, "Use the version of airtcp that its manifest.json names", path)
    return cast(Plan, plan)
