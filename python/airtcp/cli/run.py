"""`airtcp run`: scenarios to run folders, with a first look at the results."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from airtcp.cli.changes import Seed, Set, changes
from airtcp.cli.executing import DEFAULT_STORE, Fresh, Jobs, StallLimit, Store, WallLimit, execute
from airtcp.errors import AirtcpError

if TYPE_CHECKING:
    from airtcp.scenario.plan import Plan

Files = Annotated[
    list[Path],
    typer.Argument(
        help="Scenario files (TOML), or plans of runs (plan.json), repeated as they are.", show_default=False
    ),
]


def run(
    files: Files,
    seed: Seed = None,
    settings: Set = None,
    store: Store = DEFAULT_STORE,
    jobs: Jobs = None,
    fresh: Fresh = False,
    stall_limit_s: StallLimit = None,
    wall_limit_s: WallLimit = None,
) -> None:
    """Run scenarios and show what happened."""
    from airtcp.execution.executors.executor import Job
    from airtcp.execution.limits import Limits

    changed = changes(seed, settings)
    plans = [_plan(file, changed) for file in files]
    labels = [plan["name"] for plan in plans]
    wanted = [
        Job(label, plan, file=str(file)) for label, plan, file in zip(labels, plans, files, strict=True)
    ]
    done = execute(wanted, store, jobs, fresh, Limits(stall_limit_s, wall_limit_s))

    from airtcp.cli.output import Output
    from airtcp.data.run_folder import open_run
    from airtcp.report.run_report import run_tables, run_warnings

    out = Output()
    for label, end in zip(labels, done, strict=True):
        result = open_run(end.folder)
        out.heading(label)
        for table in run_tables(result):
            out.table(table)
        for warning in run_warnings(result):
            out.line(f"warning: {warning}")
        out.line(f"Run folder: {end.folder}")


def _plan(file: Path, changed: Mapping[str, Any]) -> "Plan":
    from airtcp.scenario.compiler import compile_file
    from airtcp.scenario.plan_file import is_plan_file, read_plan

    if not is_plan_file(file):
        return compile_file(file, changed)
    if changed:
        what = "a plan is executed as it is, with its own values and its own seed"
        option = "--seed" if set(changed) == {"seed"} else "--set"
        raise AirtcpError(what, f"{option} with {file}", f"Leave {option} out, or run the scenario")
    return read_plan(file)
