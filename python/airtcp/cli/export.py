"""`airtcp export`: runs as tables, as files of Flent, or as traces of Perfetto."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from airtcp.cli.say import say
from airtcp.errors import AirtcpError, remedy_for
from airtcp.sources.places import with_sources

if TYPE_CHECKING:
    from airtcp.data.result_set import ResultSet
    from airtcp.data.run_folder import Run

TABLES = ("csv", "parquet")
FLENT = "flent"
PERFETTO = "perfetto"
FORMATS = (*TABLES, FLENT, PERFETTO)

What = Annotated[
    Path,
    typer.Argument(
        help="Folder of a run, a store of runs, or a folder with sources.toml.", show_default=False
    ),
]
Kind = Annotated[
    str,
    typer.Option(
        "--format", help="csv or parquet: tables; flent: a data file of Flent; perfetto: a trace of Perfetto."
    ),
]
Perfetto = Annotated[bool, typer.Option("--perfetto", help="The same as --format perfetto.")]
Out = Annotated[
    Path | None,
    typer.Option(
        help="Folder of the tables, or the file of Flent or Perfetto. Default: named after the run.",
        show_default=False,
    ),
]


def export(run_folder: What, kind: Kind = "csv", out: Out = None, perfetto: Perfetto = False) -> None:
    """Write the series of runs as tables, or a run as a data file of Flent or a trace of Perfetto."""
    from airtcp.data.load import load
    from airtcp.data.result_set import ResultSet
    from airtcp.data.run_folder import Run

    kind = PERFETTO if perfetto else kind
    if kind not in FORMATS:
        raise AirtcpError(f'there is no format "{kind}"', "--format", remedy_for(kind, FORMATS))
    found = load(with_sources([run_folder])[0])
    if isinstance(found, ResultSet) and len(found) == 1 and kind in (FLENT, PERFETTO):
        found = found[0]
    if not isinstance(found, Run | ResultSet):
        raise AirtcpError("is neither a run nor a store of runs", str(run_folder), "Give a folder in runs/")
    if kind in TABLES:
        from airtcp.data.export.tables import write_tables

        for file in write_tables(found, out or Path(f"{_label(found, run_folder)}-{kind}"), kind):
            say(f"Table: {file}")
        return
    if not isinstance(found, Run):
        whose = {FLENT: "Flent's files hold", PERFETTO: "traces of Perfetto hold"}[kind]
        raise AirtcpError(f"{whose} one run each", str(run_folder), "Export the runs one by one")
    if kind == FLENT:
        from airtcp.data.export.flent import write_flent

        file = _file(out, f"{_label(found, run_folder)}.flent.gz")
        write_flent(found, file)
        say(f"Flent data: {file}")
        return
    _write_perfetto(found, _file(out, f"{_label(found, run_folder)}.pftrace"))


def _label(found: "Run | ResultSet", folder: Path) -> str:
    from airtcp.data.run_folder import Run

    return f"{found.plan['name']}-{found.name}" if isinstance(found, Run) else folder.resolve().name


def _file(out: Path | None, name: str) -> Path:
    file = out or Path(name)
    return file / name if file.is_dir() else file


def _write_perfetto(run: "Run", file: Path) -> None:
    from airtcp.timeline.perfetto.trace import write_trace
    from airtcp.timeline.timeline import timeline_of

    timeline = timeline_of(run)
    written = write_trace(timeline, file)
    for lacking in timeline.lacking:
        remedy = f" (a scenario asks for it by {lacking.setting})" if lacking.setting else ""
        say(f"Not recorded: {lacking.what}{remedy}", err=True)
    say(f"Trace of Perfetto: {file} ({written / 1e6:.1f} MB); open it at https://ui.perfetto.dev")
