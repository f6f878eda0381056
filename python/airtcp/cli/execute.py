"""Options that several commands share, and the execution of jobs with progress on the terminal."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from airtcp.execution.events import Done
    from airtcp.execution.executors.executor import Job
    from airtcp.execution.limits import Limits

Store = Annotated[Path, typer.Option("--store", help="Folder of run folders.")]
Jobs = Annotated[int | None, typer.Option("--jobs", help="Number of concurrent runs; default: one per core.")]
StallLimit = Annotated[
    int | None,
    typer.Option(
        "--stall-limit-s",
        min=1,
        help="Seconds for which a guest may compute without moving virtual time; default: 30.",
    ),
]
WallLimit = Annotated[
    int | None,
    typer.Option(
        "--wall-limit-s", min=1, help="Seconds of real time that a run may take; default: no limit."
    ),
]
Guests = Annotated[
    int | None,
    typer.Option(
        "--guests",
        min=1,
        max=2,
        help="Guests for a run whose network is split; default: two if there are cores for them.",
    ),
]
Kernel = Annotated[str | None, typer.Option("--kernel", help="Kernel series of every run, for example 6.1.")]
Only = Annotated[
    list[str] | None, typer.Option("--only", help="Only these levels of a factor: FACTOR=LEVEL,...")
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Recompute runs that the store already has.")]
DEFAULT_STORE = Path("runs")
# A run that is in the store is found within this time.
IMPORT_AFTER_S = 0.05


@dataclass(frozen=True)
class ExecutionOptions:
    """The values of `--store`, `--jobs`, `--fresh`, `--guests` and `--follow`."""

    store: Path
    jobs: int | None
    fresh: bool
    guests: int | None = None
    follow: bool = False


def execute(jobs: Sequence["Job"], options: ExecutionOptions, limits: "Limits | None" = None) -> list["Done"]:
    """Runs jobs on this machine with progress on stderr; returns their ends in the order of the jobs.

    With `follow` progress is lines of JSON on standard output.
    """
    from airtcp.execution.cores import runs_at_once
    from airtcp.execution.locate import find_ahead, find_kernel, find_runner

    at_once = runs_at_once(options.jobs)
    runner = find_runner()
    series = sorted({job.plan["kernel"] for job in jobs})
    for name in series:
        find_ahead(name)
    from rich.console import Console

    from airtcp.cli.follow import FollowLines
    from airtcp.execution.limits import Limits
    from airtcp.execution.progress import ProgressDisplay
    from airtcp.execution.run_jobs import run_jobs
    from airtcp.execution.runner import Tools
    from airtcp.execution.store import prepare_store
    from airtcp.plans.length import length_ns

    kernels = {name: find_kernel(name) for name in series}
    store = prepare_store(options.store)
    tools = Tools(runner, kernels, store, options.fresh, limits or Limits(), options.guests)
    lengths = [length_ns(job.plan) for job in jobs]
    display = FollowLines(jobs, store) if options.follow else ProgressDisplay(Console(stderr=True), lengths)
    # Importing the readers takes longer than a short run, so it is done meanwhile; cached runs skip it.
    reading = threading.Timer(IMPORT_AFTER_S, _import_reading)
    reading.daemon = True
    reading.start()
    try:
        return run_jobs(jobs, tools, at_once, display)
    finally:
        reading.cancel()


def _import_reading() -> None:
    import polars  # noqa: F401

    import airtcp.report.run.report  # noqa: F401
