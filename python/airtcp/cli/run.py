"""`airtcp run`: scenarios to run folders, with a first look at the results."""

import contextlib
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from airtcp.cli.changes import Seed, Set, changes
from airtcp.cli.executing import DEFAULT_STORE, Fresh, Jobs, StallLimit, Store, WallLimit, execute
from airtcp.errors import AirtcpError

if TYPE_CHECKING:
    from airtcp.execution.limits import Limits
    from airtcp.scenario.plan_types.plan import Plan

Files = Annotated[
    list[Path],
    typer.Argument(
        help="Scenario files (TOML), or plans of runs (plan.json), repeated as they are.", show_default=False
    ),
]


Json = Annotated[bool, typer.Option("--json", help="Print a JSON object for each run, one a line.")]
Watch = Annotated[
    bool, typer.Option("--watch", help="Run again whenever a file of the scenario's folder is saved.")
]
# Between two looks at the files that are watched.
LOOK_S = 0.3


def run(
    files: Files,
    seed: Seed = None,
    settings: Set = None,
    store: Store = DEFAULT_STORE,
    jobs: Jobs = None,
    fresh: Fresh = False,
    stall_limit_s: StallLimit = None,
    wall_limit_s: WallLimit = None,
    as_json: Json = False,
    watch: Watch = False,
) -> None:
    """Run scenarios and show what happened."""
    from airtcp.execution.limits import Limits

    changed, limits = changes(seed, settings), Limits(stall_limit_s, wall_limit_s)
    while True:
        saved = _saved(files) if watch else {}
        try:
            show = _show_json if as_json else _show
            show(*_executed(files, changed, (store, jobs, fresh), limits))
        except AirtcpError as error:
            if not watch:
                raise
            typer.echo(f"airtcp: {error}", err=True)
        if not watch:
            return
        typer.echo("Waiting for a file to be saved; Ctrl-C ends.", err=True)
        while _saved(files) == saved:
            time.sleep(LOOK_S)


def _saved(files: Sequence[Path]) -> dict[Path, int]:
    """When each file beside the scenarios was written last."""
    found = {}
    for folder in {file.absolute().parent for file in files}:
        with contextlib.suppress(OSError):
            for entry in os.scandir(folder):
                with contextlib.suppress(OSError):
                    if entry.is_file():
                        found[Path(entry.path)] = entry.stat().st_mtime_ns
    return found


def _executed(
    files: Sequence[Path],
    changed: Mapping[str, Any],
    where: tuple[Path, int | None, bool],
    limits: "Limits",
) -> tuple[list[str], list[Path]]:
    """Names and run folders, in the order of the files."""
    from airtcp.execution.executors.executor import Job

    plans = [_plan(file, changed, where[0]) for file in files]
    labels = [plan["name"] for plan in plans]
    wanted = [
        Job(label, plan, file=str(file)) for label, plan, file in zip(labels, plans, files, strict=True)
    ]
    return labels, [end.folder for end in execute(wanted, *where, limits)]


def _show_json(labels: Sequence[str], folders: Sequence[Path]) -> None:  # noqa: ARG001
    import json

    from airtcp.data.read_once import open_once
    from airtcp.report.run_facts import run_facts

    for folder in folders:
        typer.echo(json.dumps(run_facts(open_once(folder))))


def _show(labels: Sequence[str], folders: Sequence[Path]) -> None:
    from airtcp.cli.output import Output
    from airtcp.report.first_look import first_look

    out = Output()
    for label, folder in zip(labels, folders, strict=True):
        tables, warnings = first_look(folder)
        out.heading(label)
        for table in tables:
            out.table(table)
        for warning in warnings:
            out.line(f"warning: {warning}")
        out.line(f"Run folder: {folder}")


def _plan(file: Path, changed: Mapping[str, Any], store: Path) -> "Plan":
    from airtcp.execution.kept_plans import plan_of_file
    from airtcp.scenario.reading.plan_file import is_plan_file, read_plan

    if not is_plan_file(file):
        return plan_of_file(file, changed, store)
    if changed:
        what = "a plan is executed as it is, with its own values and its own seed"
        option = "--seed" if set(changed) == {"seed"} else "--set"
        raise AirtcpError(what, f"{option} with {file}", f"Leave {option} out, or run the scenario")
    return read_plan(file)
