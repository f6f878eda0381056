"""`airtcp explain`: closed-form capacities of a scenario, and the airtime of a run."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from airtcp.cli.say import say

What = Annotated[
    Path, typer.Argument(help="Scenario file (TOML), or the folder of a run.", show_default=False)
]
Json = Annotated[bool, typer.Option("--json", help="Print it as JSON.")]


def explain(what: What, as_json: Json = False) -> None:
    """Show PPDU durations and analytic capacities, and for a run its airtime."""
    from airtcp.execution.locate import find_runner
    from airtcp.execution.scene import explain_plan

    plan, media = _plan_and_media(what)
    explanation = explain_plan(find_runner(), plan)
    if as_json:
        say(json.dumps({"explanation": explanation, "airtime": media}, indent=2))
        return

    from airtcp.cli.output import Output
    from airtcp.report.explanation import explanation_tables

    out = Output()
    out.heading(plan["name"])
    # The airtime comes first: the tables of modes may fill pages.
    if media:
        from airtcp.report.airtime import airtime_table

        out.table(airtime_table(media))
    for table in explanation_tables(explanation):
        out.table(table)
    if media is None:
        hint = "To see the airtime, explain the folder of a run."
        out.line(hint)


def _plan_and_media(what: Path) -> tuple[Mapping[str, Any], Sequence[Mapping[str, Any]] | None]:
    """The plan of a file or of a run folder, and how the media of a run were used."""
    if not what.is_dir():
        from airtcp.scenario.compile.compiler import compile_any_file

        return compile_any_file(what), None
    from airtcp.data.run_folder import open_run
    from airtcp.data.scene_folder import is_scene_folder, open_scene

    if is_scene_folder(what):
        scene = open_scene(what)
        return scene.plan, scene.report["media"]
    run = open_run(what)
    return run.plan, run.air_report["media"]
