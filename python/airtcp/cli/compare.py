"""`airtcp compare`: ratios of two sets of results."""

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from airtcp.cli.option_lists import pairs, words
from airtcp.cli.report import PROCESSES_MOST
from airtcp.cli.say import say
from airtcp.errors import AirtcpError
from airtcp.sources.places import with_sources

if TYPE_CHECKING:
    from airtcp.report.comparison.comparison import Comparison
    from airtcp.report.comparison.side import Side
    from airtcp.report.kept_answer import KeptAnswer

_WHAT = "run folder, store, folder with sources.toml, CSV of results, or a file of iperf3, ping, ..."
Ours = Annotated[Path, typer.Argument(help=f"Our results: {_WHAT}.", show_default=False)]
Theirs = Annotated[
    Path | None,
    typer.Argument(help="The results to compare with. Default: other results of OURS.", show_default=False),
]
By = Annotated[
    str, typer.Option("--by", help="Keys that match results, as cca,queue. Default: what differs.")
]
Values = Annotated[
    str,
    typer.Option("--values", help="Values, as throughput,rtt, or all. Default: both sides' usual ones."),
]
Where = Annotated[str, typer.Option("--where", help="Only results with these keys, as flows=1,cca=reno.")]
OfOurs = Annotated[str, typer.Option("--ours", help="Only results of ours with these keys, as mac=linux.")]
OfTheirs = Annotated[str, typer.Option("--theirs", help="Only results of theirs with these keys.")]
Names = Annotated[str, typer.Option("--names", help="Columns of files by other names, as mean=rtt,cc=cca.")]
Out = Annotated[
    Path | None,
    typer.Option("--out", help="Folder of CSV, tables and figure; or one page: a name that ends in .html."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def compare(
    ours: Ours,
    theirs: Theirs = None,
    by: By = "",
    values: Values = "",
    where: Where = "",
    of_ours: OfOurs = "",
    of_theirs: OfTheirs = "",
    names: Names = "",
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Compare results with others: ratios, their distribution, differences on common seeds."""
    chosen = {"--ours": of_ours, "--theirs": of_theirs}
    options = {"--by": by, "--values": values, "--where": where, **chosen, "--names": names}
    command = command_of((ours, theirs), options)
    places = with_sources([place for place in (ours, theirs) if place is not None])
    ours, theirs = places[0], places[1] if len(places) > 1 else None
    kept = _kept(places, {"command": command, "json": as_json}) if out is None else None
    known = kept.get() if kept is not None else None
    if known is not None:
        _show(known)
        return
    from airtcp.execution.cores import cores
    from airtcp.quantities.named_number import find_number
    from airtcp.report.comparison.comparison import compare_sides
    from airtcp.report.comparison.output import write_comparison, write_comparison_page
    from airtcp.report.folder import check_output
    from airtcp.report.html.page import check_page

    is_page = out is not None and out.suffix == ".html"
    if out is not None:
        (check_page if is_page else check_output)(out)
    if theirs is None and not any(chosen.values()):
        raise AirtcpError(
            "there is nothing to compare it with",
            str(ours),
            "Name other results behind it, or --ours and --theirs",
        )
    # A word that names no quantity may name a column of a file.
    asked = [number.name if (number := find_number(word)) else word for word in words(values)]
    sides, broken = sides_of((ours, theirs or ours), pairs(names, "--names"), words(by), asked)
    here, there = (
        side.only(pairs(text, option), option)
        for side, (option, text) in zip(sides, chosen.items(), strict=True)
    )
    found = compare_sides(here, there, words(by), asked, pairs(where, "--where"))
    shown = _shown(found, as_json)
    _show(shown)
    if kept is not None and not broken:
        kept.put(shown)
    if out is not None:
        if is_page:
            from airtcp.report.html.runs import Runs

            listed = [value for value in asked if find_number(value)]
            with Runs.of([*found.folders, *broken], min(PROCESSES_MOST, cores()), listed) as runs:
                write_comparison_page(found, runs, out, command)
        else:
            write_comparison(found, out, command)
        say(f"{'Report' if is_page else 'Folder'}: {out}", err=as_json)


def sides_of(
    where: tuple[Path, Path], names: Mapping[str, str], by: Sequence[str], values: Sequence[str]
) -> "tuple[tuple[Side, Side], list[Path]]":
    """Both sides, and the folders that can't be read."""
    from airtcp.quantities.named_number import find_number
    from airtcp.report.comparison.files import file_side
    from airtcp.report.comparison.runs import RunSides

    for place in where:
        if not place.exists():
            raise AirtcpError("there is no such file or folder", str(place), "Check the path")
    folders = RunSides(tuple(value for value in values if find_number(value)))
    spans = {place: folders.read(place) if place.is_dir() else None for place in dict.fromkeys(where)}
    places = [spans[place] for place in where]
    for reason in folders.broken:
        say(f"warning: {reason.text}", err=True)
    made = None in places
    ours, theirs = (
        folders.side(place, span, made) if span is not None else file_side(place, names, by)
        for place, span in zip(where, places, strict=True)
    )
    return (ours, theirs), folders.broken_folders


def _kept(places: Sequence[Path], options: Mapping[str, Any]) -> "KeptAnswer | None":
    """The answer of a comparison of runs alone; files of others have no state that is known."""
    from airtcp.data.find_runs import find_runs
    from airtcp.report.kept_answer import KeptAnswer

    try:
        return KeptAnswer(find_runs(places), options)
    except AirtcpError:
        return None


def _shown(found: "Comparison", as_json: bool) -> dict[str, Any]:
    """What the terminal shows: an object of JSON; or lines, tables and lines."""
    from airtcp.report.comparison.tables import comparison_tables, notes, sides_text

    if as_json:
        from airtcp.report.comparison.record import comparison_record
        from airtcp.report.record import as_json as json_of

        return {"json": json_of(comparison_record(found))}
    # The numbers of all ratios last, where they stay in view.
    summary, *tables = comparison_tables(found)
    shown = [table.facts() for table in (*tables, summary)]
    return {"head": sides_text(found), "tables": shown, "foot": notes(found)}


def _show(shown: Mapping[str, Any]) -> None:
    if "json" in shown:
        say(json.dumps(shown["json"]))
        return
    from airtcp.cli.output import Output
    from airtcp.report.table import Table

    out = Output()
    for line in shown["head"]:
        out.line(line)
    for table in shown["tables"]:
        out.table(Table(**table))
    for line in shown["foot"]:
        out.line(line)


def command_of(places: Sequence[Path | None], options: Mapping[str, str]) -> str:
    """The command that compares these places with these options."""
    given = [word for name, value in options.items() if value for word in (name, value)]
    return shlex.join(["airtcp", "compare", *(str(place) for place in places if place), *given])
