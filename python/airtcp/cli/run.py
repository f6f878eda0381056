"""`airtcp run`: scenarios to run folders, with a first look at the results."""

from pathlib import Path
from typing import Annotated

import typer

from airtcp.cli.executing import DEFAULT_STORE, Fresh, Jobs, Store, execute

Files = Annotated[list[Path], typer.Argument(help="Scenario files (TOML).", show_default=False)]
Seed = Annotated[int | None, typer.Option("--seed", min=0, help="Another seed than the scenario's.")]


def run(
    files: Files, seed: Seed = None, store: Store = DEFAULT_STORE, jobs: Jobs = None, fresh: Fresh = False
) -> None:
    """Run scenarios and show what happened."""
    from airtcp.execution.pool import Job
    from airtcp.scenario.compiler import compile_file

    plans = [compile_file(file, seed) for file in files]
    labels = [plan["name"] for plan in plans]
    done = execute([Job(label, plan) for label, plan in zip(labels, plans, strict=True)], store, jobs, fresh)

    from airtcp.cli.output import output
    from airtcp.data.run_folder import open_run
    from airtcp.report.run_report import run_tables, run_warnings

    console = output()
    for label, end in zip(labels, done, strict=True):
        result = open_run(end.folder)
        console.print(f"[bold]{label}[/bold]")
        for table in run_tables(result):
            console.print(table.rich())
        for warning in run_warnings(result):
            console.print(f"warning: {warning}", markup=False, soft_wrap=True)
        console.print(f"Run folder: {end.folder}", markup=False, soft_wrap=True)
