"""`airtcp trace`: recordings of other programs become files that scenarios replay."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from airtcp.cli.say import say

if TYPE_CHECKING:
    from airtcp.traces.recording import Recording

Files = Annotated[
    list[Path] | None,
    typer.Argument(metavar="FILE...", help="What another program recorded.", show_default=False),
]
As = Annotated[
    str | None,
    typer.Option("--as", help="Kind of the file, if its content does not say it.", show_default=False),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "-o", "--out", help="CSV file to write; several recordings get their names added.", show_default=False
    ),
]
Columns = Annotated[
    str | None,
    typer.Option(help="Only these columns, as rssi_dbm,rate_mbps.", show_default=False),
]
Link = Annotated[
    str | None,
    typer.Option(help="Only recordings whose name contains this text.", show_default=False),
]
Every = Annotated[
    float | None,
    typer.Option(min=1e-6, help="Seconds between dumps or lines without a time.", show_default=False),
]
Step = Annotated[float, typer.Option(min=1e-4, help="Seconds of a step of a monitor's capture.")]
ListKinds = Annotated[bool, typer.Option("--kinds", help="List the kinds of files, and exit.")]
# More recordings than this are named, not written: a capture of a busy channel has hundreds of links.
_WRITTEN_MOST = 16


def trace(
    files: Files = None,
    kind: As = None,
    out: Out = None,
    columns: Columns = None,
    link: Link = None,
    every: Every = None,
    step: Step = 0.1,
    list_kinds: ListKinds = False,
) -> None:
    """Read a recording, say what is in it, and write it as a trace for wires, links or radios."""
    from airtcp.errors import AirtcpError
    from airtcp.traces.kinds import KINDS, Options, open_recordings

    if list_kinds:
        for name, each in KINDS.items():
            say(f"{name:<11} {each.about}")
        return
    if not files:
        raise AirtcpError("names no file", "trace", "Give the file that another program wrote")
    found: list[Recording] = []
    for file in files:
        name, recordings = open_recordings(file, kind, Options(every, step))
        chosen = [each for each in recordings if link is None or link.lower() in each.name.lower()]
        say(f"{file}: {name} ({KINDS[name].about})")
        if not chosen:
            names = ", ".join(each.name for each in recordings[:_WRITTEN_MOST])
            raise AirtcpError(f'has no recording called "{link}"', str(file), f"It has: {names}")
        found += [each.only(columns.split(",")) if columns else each for each in chosen]
    for recording in found[:_WRITTEN_MOST]:
        _say(recording)
    if len(found) > _WRITTEN_MOST:
        say(f"and {len(found) - _WRITTEN_MOST} more: choose with --link")
    if out is not None:
        _write(found[:_WRITTEN_MOST], out)


def _say(recording: "Recording") -> None:
    """Its name, its length, quantiles over time of its columns."""
    from airtcp.traces.recording import QUANTILES

    rows = len(recording.times_s)
    say(f"\n{recording.name}: {rows} rows, {recording.end_s:g} s")
    heads = ("least", *(f"{share:.0%}" for share in QUANTILES[1:-1]), "most")
    say(f"  {'':<10}" + "".join(f"{head:>10}" for head in heads))
    for column in recording.columns:
        cells = "".join(f"{value:>10.4g}" for value in recording.quantiles(column))
        say(f"  {column:<10}{cells}")
    for note in recording.notes:
        say(f"  note: {note}")


def _write(found: "list[Recording]", out: Path) -> None:
    from airtcp.traces.trace_file import file_name, scenario_lines, trace_text

    lines = []
    for recording in found:
        file = file_name(out, recording, len(found) > 1)
        if recording.use != "way":
            file.write_text(trace_text(recording), encoding="utf-8")
            say(f"\nTrace: {file}")
        lines.append(scenario_lines(recording, file))
    say("\nFor a scenario, with the names of its nodes:\n\n" + "\n".join(lines))
