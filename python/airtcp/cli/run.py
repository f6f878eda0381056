"""`airtcp run`: executes scenarios and shows a summary of the results."""

import contextlib
import os
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from airtcp.cli.changes import Seed, Set, changes
from airtcp.cli.execute import (
    DEFAULT_STORE,
    ExecutionOptions,
    Fresh,
    Guests,
    Jobs,
    StallLimit,
    Store,
    WallLimit,
    execute,
)
from airtcp.cli.group_option import Group, asked_groups
from airtcp.cli.plan_warnings import warn_of_plan
from airtcp.cli.run_result import Shown, show_run
from airtcp.cli.say import say
from airtcp.errors import AirtcpError
from airtcp.report.run.first_look import Asked

if TYPE_CHECKING:
    from airtcp.execution.limits import Limits
    from airtcp.plans.groups import Groups
    from airtcp.plans.types.plan import Plan

Files = Annotated[
    list[Path],
    typer.Argument(help="Scenario files (TOML), or plans of earlier runs (plan.json).", show_default=False),
]


Json = Annotated[bool, typer.Option("--json", help="Print one JSON object per run.")]
Follow = Annotated[
    bool,
    typer.Option("--follow", help="With --json: lines while runs go on, with each flow's goodput and RTT."),
]


def _print_schema(asked: bool) -> None:
    if asked:
        from airtcp.report.json_reference import schema_text

        say(schema_text("run"), nl=False)
        raise typer.Exit


JsonSchema = Annotated[
    bool,
    typer.Option(
        "--json-schema", callback=_print_schema, is_eager=True, help="Print the JSON Schema of --json."
    ),
]
WatchFiles = Annotated[
    bool, typer.Option("--watch", help="Run again whenever a file in the scenario's folder changes.")
]
Members = Annotated[
    bool, typer.Option("--members", help="Show every member of a group; default: of at most ten.")
]
# Interval between two checks of the watched files.
POLL_S = 0.3


def run(
    files: Files,
    seed: Seed = None,
    settings: Set = None,
    store: Store = DEFAULT_STORE,
    jobs: Jobs = None,
    guests: Guests = None,
    fresh: Fresh = False,
    stall_limit_s: StallLimit = None,
    wall_limit_s: WallLimit = None,
    group: Group = None,
    members: Members = False,
    as_json: Json = False,
    follow: Follow = False,
    json_schema: JsonSchema = False,  # noqa: ARG001 (an option that prints and ends)
    watch: WatchFiles = False,
) -> None:
    """Run scenarios and show a summary of the results."""
    from airtcp.execution.locate import find_ahead
    from airtcp.kernels.table import DEFAULT_KERNEL

    find_ahead(DEFAULT_KERNEL)
    from airtcp.execution.limits import Limits

    changed, limits = changes(seed, settings), Limits(stall_limit_s, wall_limit_s)
    if follow and not as_json:
        raise AirtcpError("prints lines of JSON", "--follow", "Add --json")
    asked = Asked(asked_groups(group), members)
    options = ExecutionOptions(store, jobs, fresh, guests, follow)
    while True:
        saved = _saved(files) if watch else {}
        try:
            for shown in _executed(files, changed, options, limits):
                show_run(shown.label, shown.folder, Shown(as_json, asked, shown.told))
        except AirtcpError as error:
            if not watch:
                raise
            say(f"airtcp: {error}", err=True)
        if not watch:
            return
        say("Waiting for a file to change; stop with Ctrl-C.", err=True)
        while _saved(files) == saved:
            time.sleep(POLL_S)


def _saved(files: Sequence[Path]) -> dict[Path, int]:
    """The modification times of the files beside the scenarios, in ns."""
    found = {}
    for folder in {file.absolute().parent for file in files}:
        with contextlib.suppress(OSError):
            for entry in os.scandir(folder):
                with contextlib.suppress(OSError):
                    if entry.is_file():
                        found[Path(entry.path)] = entry.stat().st_mtime_ns
    return found


@dataclass(frozen=True)
class _Ended:
    """A run that has ended: its heading, its folder, and the warnings that were printed before it began."""

    label: str
    folder: Path
    told: Sequence[str]


def _executed(
    files: Sequence[Path],
    changed: Mapping[str, Any],
    options: ExecutionOptions,
    limits: "Limits",
) -> list[_Ended]:
    """The runs, in the order of the files."""
    from airtcp.data.groups import keep_groups
    from airtcp.execution.executors.executor import Job
    from airtcp.plans.length import lasts_a_day

    plans = [_plan(file, changed, options.store) for file in files]
    told = [warn_of_plan(plan, str(file)) for file, plan in zip(files, plans, strict=True)]
    for file, plan in zip(files, plans, strict=True):
        if lasts_a_day(plan):
            remedy = "End it with a [[session]] that has end = true"
            say(f"warning: {file}: its session has no end, so it computes a day. {remedy}.", err=True)
    # A file that is changed meanwhile has other groups than those of the plan.
    groups = [_groups(file, changed) for file in files]
    labels = _labels(files, [plan["name"] for plan in plans])
    jobs = [Job(label, plan, file=str(file)) for label, plan, file in zip(labels, plans, files, strict=True)]
    ends = execute(jobs, options, limits)
    for end, own in zip(ends, groups, strict=True):
        keep_groups(end.folder, own)
    return [_Ended(label, end.folder, said) for label, end, said in zip(labels, ends, told, strict=True)]


def _labels(files: Sequence[Path], names: Sequence[str]) -> list[str]:
    """The names of the scenarios; with the file where several have one name."""
    counts = Counter(names)
    return [f"{name} ({file})" if counts[name] > 1 else name for name, file in zip(names, files, strict=True)]


def _plan(file: Path, changed: Mapping[str, Any], store: Path) -> "Plan":
    from airtcp.execution.plan_cache import plan_of_file
    from airtcp.scenario.reading.plan_file import is_plan_file, read_plan

    if not is_plan_file(file):
        return plan_of_file(file, changed, store)
    if changed:
        what = "a plan can't be changed"
        option = "--seed" if set(changed) == {"seed"} else "--set"
        raise AirtcpError(what, f"{option} with {file}", f"Remove {option}, or run the scenario")
    return read_plan(file)


def _groups(file: Path, changed: Mapping[str, Any]) -> "Groups":
    """The groups of a scenario; of a plan those of the run that it is of."""
    from airtcp.data.groups import kept_groups
    from airtcp.scenario.reading.plan_file import is_plan_file
    from airtcp.scenario.reading.scenario_groups import groups_of_file

    return kept_groups(file.parent) if is_plan_file(file) else groups_of_file(file, changed)
