"""`airtcp compare`: two sets of results, ours over theirs."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from airtcp.cli.report import PROCESSES_MOST
from airtcp.errors import AirtcpError

if TYPE_CHECKING:
    from airtcp.report.comparison.comparison import Comparison
    from airtcp.report.comparison.side import Side

_WHAT = "run folder, store, CSV of results, iperf3 JSON or text of ping"
Ours = Annotated[Path, typer.Argument(help=f"Our results: {_WHAT}.", show_default=False)]
Theirs = Annotated[Path, typer.Argument(help="What they are held against: the same.", show_default=False)]
By = Annotated[
    str, typer.Option("--by", help="Keys that match results, as cca,queue. Default: what differs.")
]
Values = Annotated[
    str, typer.Option("--values", help="Values, as goodput_mbps,rtt_ms. Default: both sides'.")
]
Where = Annotated[str, typer.Option("--where", help="Only results with these keys, as flows=1,cca=reno.")]
Names = Annotated[
    str, typer.Option("--names", help="Columns of files by other names, as mean=rtt_ms,cc=cca.")
]
Out = Annotated[
    Path | None,
    typer.Option("--out", help="Folder of CSV, tables and figure; or one page: a name that ends in .html."),
]


def compare(
    ours: Ours,
    theirs: Theirs,
    by: By = "",
    values: Values = "",
    where: Where = "",
    names: Names = "",
    out: Out = None,
) -> None:
    """Hold results against others: ratios, their distribution, and differences on common seeds."""
    from airtcp.execution.cores import cores
    from airtcp.report.comparison.comparison import compare_sides
    from airtcp.report.comparison.output import write_comparison, write_comparison_page
    from airtcp.report.folder import check_output
    from airtcp.report.html.page import check_page

    is_page = out is not None and out.suffix == ".html"
    if out is not None:
        (check_page if is_page else check_output)(out)
    options = {"--by": by, "--values": values, "--where": where, "--names": names}
    command = _command(ours, theirs, options)
    sides, broken = _sides((ours, theirs), _pairs(names, "--names"), _words(by))
    found = compare_sides(*sides, _words(by), _words(values), _pairs(where, "--where"))
    _show(found)
    if out is not None:
        if is_page:
            from airtcp.report.html.runs import Runs

            with Runs.of([*found.folders, *broken], min(PROCESSES_MOST, cores())) as runs:
                write_comparison_page(found, runs, out, command)
        else:
            write_comparison(found, out, command)
        typer.echo(f"{'Report' if is_page else 'Folder'}: {out}")


def _sides(
    where: tuple[Path, Path], names: Mapping[str, str], by: Sequence[str]
) -> "tuple[tuple[Side, Side], list[Path]]":
    """Both sides, and the folders that can't be read."""
    from airtcp.report.comparison.files import file_side
    from airtcp.report.comparison.runs import RunSides

    for place in where:
        if not place.exists():
            raise AirtcpError("there is no such file or folder", str(place), "Check the path")
    folders = RunSides()
    places = [folders.read(place) if place.is_dir() else None for place in where]
    for reason in folders.broken:
        typer.echo(f"warning: {reason.text}", err=True)
    made = None in places
    ours, theirs = (
        folders.side(place, span, made) if span is not None else file_side(place, names, by)
        for place, span in zip(where, places, strict=True)
    )
    return (ours, theirs), folders.broken_folders


def _show(found: "Comparison") -> None:
    from airtcp.cli.output import output
    from airtcp.report.comparison.tables import comparison_tables, notes, sides_text

    console = output()
    for line in sides_text(found):
        console.print(line, markup=False, soft_wrap=True)
    # The numbers of all ratios last, where they stay in view.
    summary, *tables = comparison_tables(found)
    for table in (*tables, summary):
        console.print(table.rich())
    for line in notes(found):
        console.print(line, markup=False, soft_wrap=True)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _pairs(text: str, option: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for word in _words(text):
        name, equals, value = (part.strip() for part in word.partition("="))
        if not (name and equals and value):
            raise AirtcpError(f'"{word}" is not NAME=VALUE', option, "Write them as a=b,c=d")
        pairs[name] = value
    return pairs


def _command(ours: Path, theirs: Path, options: Mapping[str, str]) -> str:
    given = [word for name, value in options.items() if value for word in (name, value)]
    return shlex.join(["airtcp", "compare", str(ours), str(theirs), *given])
