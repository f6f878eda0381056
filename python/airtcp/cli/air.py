"""`airtcp air`: a scenario with sources, computed by the model of the air alone."""

import json
from pathlib import Path
from typing import Annotated

import typer

from airtcp.cli.changes import Seed, Set, changes
from airtcp.cli.execute import DEFAULT_STORE, Store
from airtcp.cli.say import say

File = Annotated[Path, typer.Argument(help="Scenario file (TOML) with [[source]].", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="Print the report as JSON.")]


def air(
    file: File,
    seed: Seed = None,
    settings: Set = None,
    store: Store = DEFAULT_STORE,
    as_json: Json = False,
) -> None:
    """Run the model of the air without guests: throughput, delay and airtime of sources."""
    from airtcp.execution.locate import find_runner
    from airtcp.execution.scene import REPORT_FILE, run_scene
    from airtcp.execution.store import prepare_store
    from airtcp.scenario.compile.compiler import compile_scene_file

    plan = compile_scene_file(file, changes(seed, settings))
    runner = find_runner()
    folder, report = run_scene(runner, plan, prepare_store(store))
    if as_json:
        from airtcp.report.scene_report import with_payload_throughput

        say(json.dumps(with_payload_throughput(plan, report), indent=2))
        return

    from airtcp.cli.output import Output
    from airtcp.report.scene_report import scene_tables, scene_warnings

    out = Output()
    out.heading(plan["name"])
    for table in scene_tables(plan, report):
        out.table(table)
    for warning in scene_warnings(report):
        out.line(f"warning: {warning}")
    out.line(f"Report: {folder / REPORT_FILE}")
