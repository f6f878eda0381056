"""`airtcp plot`: a run over time."""

from pathlib import Path
from typing import Annotated

import typer

Folder = Annotated[Path, typer.Argument(help="Folder of a run.", show_default=False)]
What = Annotated[
    str, typer.Option(help="Quantities, from above: rate, cwnd, srtt, rtt, queue, ...; `all` shows each.")
]
Out = Annotated[
    Path | None, typer.Option(help="File without suffix, for PNG and SVG. Default: the run's name, here.")
]


def plot(run_folder: Folder, what: What = "rate,cwnd,srtt,queue", out: Out = None) -> None:
    """Draw what happened in a run over time: stacked axes on one clock, as PNG and SVG."""
    from airtcp.data.run_folder import open_run
    from airtcp.plots.style import save_figure
    from airtcp.plots.time_series import draw_time_series
    from airtcp.report.run_figure import QUANTITIES, run_chart

    run = open_run(run_folder)
    names = list(QUANTITIES) if what == "all" else [name.strip() for name in what.split(",") if name.strip()]
    chart = run_chart(run, names)
    target = out or Path(f"{run.plan['name']}-{run.name}")
    target.parent.mkdir(parents=True, exist_ok=True)
    for file in save_figure(draw_time_series(chart), target):
        typer.echo(f"Figure: {file}")
