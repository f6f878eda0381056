"""`airtcp export`: runs as tables, or as files of Flent."""

from pathlib import Path
from typing import Annotated

import typer

from airtcp.cli.say import say
from airtcp.errors import AirtcpError, remedy_for

TABLES = ("csv", "parquet")
FLENT = "flent"

What = Annotated[
    Path,
    typer.Argument(
        help="Folder of a run, a store of runs, or a folder with sources.toml.", show_default=False
    ),
]
Kind = Annotated[str, typer.Option("--format", help="csv or parquet: tables; flent: a data file of Flent.")]
Out = Annotated[
    Path | None,
    typer.Option(
        help="Folder of the tables, or Flent's file. Default: named after the run.",
        show_default=False,
    ),
]


def export(run_folder: What, kind: Kind = "csv", out: Out = None) -> None:
    """Write the series of runs as tables with names and units, or a run as a Flent data file."""
    from airtcp.data.export.flent import write_flent
    from airtcp.data.export.tables import write_tables
    from airtcp.data.load import load
    from airtcp.data.result_set import ResultSet
    from airtcp.data.run_folder import Run
    from airtcp.sources.imported import with_sources

    if kind not in (*TABLES, FLENT):
        raise AirtcpError(f'there is no format "{kind}"', "--format", remedy_for(kind, (*TABLES, FLENT)))
    found = load(with_sources([run_folder])[0])
    if isinstance(found, ResultSet) and len(found) == 1 and kind == FLENT:
        found = found[0]
    if not isinstance(found, Run | ResultSet):
        raise AirtcpError("is neither a run nor a store of runs", str(run_folder), "Give a folder in runs/")
    label = f"{found.plan['name']}-{found.name}" if isinstance(found, Run) else run_folder.resolve().name
    if kind != FLENT:
        for file in write_tables(found, out or Path(f"{label}-{kind}"), kind):
            say(f"Table: {file}")
        return
    if not isinstance(found, Run):
        raise AirtcpError("Flent's files hold one run each", str(run_folder), "Export the runs one by one")
    file = out or Path(f"{label}.flent.gz")
    if file.is_dir():
        file = file / f"{label}.flent.gz"
    write_flent(found, file)
    say(f"Flent data: {file}")
