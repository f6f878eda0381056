"""`airtcp view`: the timeline of a run as one HTML file."""

from pathlib import Path
from typing import Annotated

import typer

from airtcp.cli.say import say

What = Annotated[Path, typer.Argument(help="Folder of a run.", show_default=False)]
Out = Annotated[
    Path | None,
    typer.Option("--out", help="The HTML file to write. Default: named after the run.", show_default=False),
]


def view(run_folder: What, out: Out = None) -> None:
    """Write the timeline of a run as one HTML file, zoomable from all of it to one backoff."""
    from airtcp.data.run_folder import open_run
    from airtcp.report.html.page import check_page
    from airtcp.report.html.timeline_page import write_timeline_page
    from airtcp.report.html.timeline_script import timeline_script
    from airtcp.timeline.timeline import timeline_of

    run = open_run(run_folder)
    file = out or Path(f"{run.plan['name']}-{run.name}.html")
    check_page(file)
    timeline_script()
    write_timeline_page(timeline_of(run), file)
    say(f"Timeline: {file}")
