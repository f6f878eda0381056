"""What `run` and `study` have in common: tools, the store, and running jobs with progress."""

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from airtcp.errors import AirtcpError

if TYPE_CHECKING:
    from airtcp.execution.events import Done
    from airtcp.execution.executors.executor import Job
    from airtcp.execution.limits import Limits

Store = Annotated[Path, typer.Option("--store", help="Folder that holds run folders.")]
Jobs = Annotated[int | None, typer.Option("--jobs", help="Runs at once; default: one per core.")]
StallLimit = Annotated[
    int | None,
    typer.Option("--stall-limit-s", min=1, help="Seconds that virtual time may stand still; default: 30."),
]
WallLimit = Annotated[
    int | None, typer.Option("--wall-limit-s", min=1, help="Seconds that a run may take; default: no limit.")
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Compute even what was computed before.")]
DEFAULT_STORE = Path("runs")
# A run that is in the store is found in this time.
IMPORT_AFTER_S = 0.05


def execute(
    jobs: Sequence["Job"], store: Path, at_once: int | None, fresh: bool, limits: "Limits | None" = None
) -> list["Done"]:
    """Finds what is needed, makes the store, runs the jobs; returns their ends in order."""
    from rich.console import Console

    from airtcp.execution.cores import cores
    from airtcp.execution.limits import Limits
    from airtcp.execution.locate import find_kernel, find_runner
    from airtcp.execution.pool import run_jobs
    from airtcp.execution.progress import ProgressDisplay
    from airtcp.execution.runner import Tools
    from airtcp.execution.store import prepare_store

    if at_once is not None and at_once < 1:
        raise AirtcpError(f"{at_once} runs at once make no progress", "--jobs", "Ask for at least 1")
    runner = find_runner()
    kernels = {series: find_kernel(series) for series in sorted({job.plan["kernel"] for job in jobs})}
    tools = Tools(runner, kernels, prepare_store(store), fresh, limits or Limits())
    display = ProgressDisplay(Console(stderr=True), [job.plan["duration_ns"] for job in jobs])
    # What reads runs takes longer to import than a short run takes; a run that is there needs none of it.
    reading = threading.Timer(IMPORT_AFTER_S, _import_reading)
    reading.daemon = True
    reading.start()
    try:
        return run_jobs(jobs, tools, at_once or cores(), display)
    finally:
        reading.cancel()


def _import_reading() -> None:
    import polars  # noqa: F401

    import airtcp.report.run_report  # noqa: F401
