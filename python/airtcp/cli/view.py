"""`airtcp view`: the timeline of a run as one HTML file, or the runs of a store on a page that is served."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from airtcp.cli.say import say
from airtcp.errors import AirtcpError

if TYPE_CHECKING:
    from airtcp.web.store_site import Table

What = Annotated[Path, typer.Argument(help="Folder of a run, or a store of runs.", show_default=False)]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out", help="Of a run: the HTML file to write. Default: named after it.", show_default=False
    ),
]
Values = Annotated[
    str, typer.Option("--values", help="Of a store: the numbers in its table, as throughput,rtt.")
]
Port = Annotated[int, typer.Option("--port", help="Of a store: the port on loopback; 0: any that is free.")]
# The numbers that reports have in their list of runs.
USUAL_VALUES = "throughput,rtt,srtt,retransmits"
MANIFEST = "manifest.json"


def view(what: What, out: Out = None, values: Values = USUAL_VALUES, port: Port = 0) -> None:
    """Write the timeline of a run as one HTML file, or serve a page with the runs of a store."""
    if what.is_dir() and not (what / MANIFEST).exists() and not (what / "plan.json").exists():
        if out is not None:
            remedy = f"Leave --out out, or write a report: airtcp report {what} --out {out}"
            raise AirtcpError("a store is served, and no file", "--out", remedy)
        _serve(what, values, port)
        return
    from airtcp.data.run_folder import open_run
    from airtcp.report.html.page import check_page

    run = open_run(what)
    file = out or Path(f"{run.plan['name']}-{run.name}.html")
    check_page(file)
    _timeline(what, file)
    say(f"Timeline: {file}")


def _serve(store: Path, values: str, port: int) -> None:
    """Until Ctrl-C."""
    import signal

    from airtcp.cli.option_lists import words
    from airtcp.web.server import Server
    from airtcp.web.store_site import Pages, StoreSite

    asked = words(values)
    # Once now: what is wrong with the store or the words is said here, and the page opens at once.
    _table(store, asked)
    site = StoreSite(store, asked, Pages(lambda own: _table(store, own), _timeline, _report, _comparison))
    server = Server(port)
    server.start(site.app())
    for end in (signal.SIGHUP, signal.SIGTERM):
        signal.signal(end, signal.default_int_handler)
    say(f"Runs of {store}: {server.address}/{site.token}/\nCtrl-C ends it.")
    try:
        signal.pause()
    except KeyboardInterrupt:
        say("")
    finally:
        server.close()
        site.close()


def _table(store: Path, values: Sequence[str]) -> "Table":
    from airtcp.cli.run_table import Wanted, kept_table, shown
    from airtcp.web.store_site import Table

    found = kept_table(store, Wanted(values, "*", {}, ""))
    return Table(found.columns, found.rows, shown(found))


def _timeline(run: Path, file: Path) -> None:
    from airtcp.data.run_folder import open_run
    from airtcp.report.html.timeline_page import write_timeline_page
    from airtcp.report.html.timeline_script import timeline_script
    from airtcp.timeline.timeline import timeline_of

    timeline_script()
    write_timeline_page(timeline_of(open_run(run)), file)


def _report(runs: Sequence[Path], file: Path) -> None:
    from airtcp.report.html.campaign import campaign_page
    from airtcp.report.html.page import write_page
    from airtcp.report.html.runs import Runs

    with Runs.of(runs) as found:
        write_page(campaign_page(found), found, file)


def _comparison(one: Path, other: Path, file: Path) -> None:
    """Ratios of the first run to the second."""
    from airtcp.cli.compare import command_of, sides_of
    from airtcp.report.comparison.comparison import compare_sides
    from airtcp.report.comparison.output import write_comparison_page
    from airtcp.report.html.runs import Runs

    (ours, theirs), broken = sides_of((one, other), {}, (), ())
    found = compare_sides(ours, theirs, [], [], {})
    with Runs.of([*found.folders, *broken]) as runs:
        write_comparison_page(found, runs, file, command_of((one, other), {}))
