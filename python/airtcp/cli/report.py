"""`airtcp report`: a set of runs as one HTML file."""

from pathlib import Path
from typing import Annotated

import typer

from airtcp.cli.group_option import Group, asked_groups
from airtcp.cli.option_lists import words
from airtcp.cli.say import say

# More gain little: one process writes the page.
PROCESSES_MOST = 2

Folders = Annotated[
    list[Path], typer.Argument(help="Run folders, or folders that hold them (a store).", show_default=False)
]
Out = Annotated[Path, typer.Option("--out", help="The HTML file to write.")]
Title = Annotated[str, typer.Option("--title", help="Title of the page; default: the scenario's name.")]

Rank = Annotated[
    str,
    typer.Option("--rank", help="Factor to rank on common seeds. Default: cca, if it differs between runs."),
]
Values = Annotated[
    str,
    typer.Option(
        "--values", help="Quantities to compare the runs by, as throughput,cwnd. Default: the usual."
    ),
]


def report(
    folders: Folders,
    out: Out = Path("report.html"),
    title: Title = "",
    rank: Rank = "",
    values: Values = "",
    group: Group = None,
) -> None:
    """Write one HTML file with summary, comparisons, figures and every run; it needs no network."""
    from airtcp.data.find_runs import find_runs
    from airtcp.report.kept_answer import KeptAnswer

    found = find_runs(folders)
    groups = asked_groups(group)
    asked = {"report": str(out), "title": title, "rank": rank, "values": values, "groups": groups}
    kept = KeptAnswer(found, asked)
    if kept.files() is not None:
        say(f"Runs: {len(found)}\nReport: {out}")
        return

    from airtcp.execution.cores import cores, read_on_one_thread
    from airtcp.report.html.campaign import campaign_page
    from airtcp.report.html.page import check_page, write_page
    from airtcp.report.html.runs import Runs

    check_page(out)
    # Its processes read a run each: threads within them would only wait for each other.
    read_on_one_thread()
    with Runs.of(found, min(PROCESSES_MOST, cores()), words(values), groups) as runs:
        write_page(campaign_page(runs, title, rank=rank.replace("_", " ")), runs, out)
        shown, broken = len(runs.records), len(runs.broken)
    # A run that could not be read may be readable next time: then the page is made again.
    if not broken:
        kept.put_files([out])
    for reason in runs.broken:
        say(f"warning: {reason.text}", err=True)
    say(f"Runs: {shown}{f', and {broken} that could not be read' if broken else ''}")
    say(f"Report: {out}")
