"""`airtcp show-plan`: what a scenario means, with every value explicit."""

from pathlib import Path
from typing import Annotated

import typer

from airtcp.cli.changes import Seed, Set, changes
from airtcp.cli.plan_warnings import warn_of_plan
from airtcp.cli.say import say

File = Annotated[Path, typer.Argument(help="Scenario file (TOML).", show_default=False)]


def show_plan(file: File, seed: Seed = None, settings: Set = None) -> None:
    """Print the plan of a scenario as JSON."""
    from airtcp.scenario.compile.compiler import compile_any_file, plan_text

    plan = compile_any_file(file, changes(seed, settings))
    if "flows" in plan:
        warn_of_plan(plan, str(file))
    say(plan_text(plan), nl=False)
