"""`airtcp sweep`: a campaign of many runs, of which only what is missing is computed."""

import shlex
import sys
import time
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from airtcp.cli.executing import DEFAULT_STORE, Jobs, StallLimit, Store, WallLimit
from airtcp.cli.wishes import wished_levels
from airtcp.errors import AirtcpError

if TYPE_CHECKING:
    from airtcp.campaign.conduct import Swept
    from airtcp.campaign.schedule import Schedule
    from airtcp.campaign.watcher import Watcher
    from airtcp.execution.executors.executor import Executor
    from airtcp.execution.limits import Limits
    from airtcp.studies.report import StudyReport

File = Annotated[Path, typer.Argument(help="Campaign file (TOML).", show_default=False)]
Out = Annotated[Path | None, typer.Option("--out", help="Folder of the report; default: reports/NAME.")]
Reps = Annotated[
    int | None,
    typer.Option("--reps", help="Runs per combination, with seeds 1, 2, ...; default: the file's."),
]
Only = Annotated[
    list[str] | None, typer.Option("--only", help="Only these values of a factor: FACTOR=VALUE,...")
]
Kernel = Annotated[str | None, typer.Option("--kernel", help="Kernel series of every run, for example 6.1.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object a line, for programs.")]
Scheduler = Annotated[
    str | None,
    typer.Option("--scheduler", help="Run on the Dask cluster of this scheduler: tcp://HOST:PORT."),
]
Workers = Annotated[
    int | None,
    typer.Option("--dask", min=1, help="Run on a Dask cluster of so many workers on this machine."),
]
Batch = Annotated[
    Path | None,
    typer.Option("--batch", help="Run nothing: write plans and a Slurm job script to this folder."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say how many runs there are, and are missing.")]

# Longer tables are for the report.
TERMINAL_ROWS_MOST = 40
REASONS_MOST = 10
FAILED_STATUS = 3


def sweep(
    file: File,
    store: Store = DEFAULT_STORE,
    out: Out = None,
    jobs: Jobs = None,
    reps: Reps = None,
    only: Only = None,
    kernel: Kernel = None,
    quiet: Quiet = False,
    json_lines: Json = False,
    dry_run: DryRun = False,
    scheduler: Scheduler = None,
    dask: Workers = None,
    batch: Batch = None,
    stall_limit_s: StallLimit = None,
    wall_limit_s: WallLimit = None,
) -> None:
    """Compute a campaign: every combination of a file's factors; what is in the store is not run again."""
    from airtcp.campaign.reading import read_campaign
    from airtcp.campaign.schedule import Request, make_schedule
    from airtcp.execution.cores import read_on_one_thread
    from airtcp.execution.limits import Limits
    from airtcp.report.folder import check_output

    begin = time.monotonic()
    read_on_one_thread()
    campaign = read_campaign(file)
    folder = out or Path("reports") / campaign.study.name
    if not dry_run:
        check_output(folder)
    schedule = make_schedule(campaign, Request(store, reps, wished_levels(only or []), kernel))
    if dry_run:
        _tell_schedule(schedule, json_lines)
        return
    limits = Limits(stall_limit_s, wall_limit_s)
    if batch is not None:
        _write_batch(schedule, store, (batch, limits), file)
        return
    from airtcp.campaign.campaign_report import CampaignReport
    from airtcp.campaign.sweep import conduct

    watcher = _watcher(quiet, json_lines)
    with _executor(schedule, store, jobs, _Cluster(scheduler, dask), limits) as executor:
        swept = conduct(schedule, store, executor, watcher)
    told = CampaignReport(swept, folder, f"airtcp {shlex.join(sys.argv[1:])}")
    report = told.write(shown=not quiet and not json_lines)
    watcher.report(folder, _summary(swept, time.monotonic() - begin))
    if not quiet and not json_lines:
        _show(swept, report, folder)
    if swept.failed:
        raise typer.Exit(FAILED_STATUS)


@dataclass(frozen=True)
class _Cluster:
    """Where `--scheduler` and `--dask` say that runs are computed."""

    scheduler: str | None
    workers: int | None


def _executor(
    schedule: "Schedule", store: Path, jobs: int | None, cluster: _Cluster, limits: "Limits"
) -> "AbstractContextManager[Executor]":
    from airtcp.campaign.sweep import local_executor, tools_for

    if cluster.scheduler and cluster.workers:
        raise AirtcpError("name two clusters", "--scheduler and --dask", "Leave one out")
    # Nobody is waited for where nothing is to be run.
    if not schedule.missing or not (cluster.scheduler or cluster.workers):
        return nullcontext(local_executor(schedule, store, jobs, limits))
    from airtcp.execution.executors.dask import dask_executor

    return dask_executor(tools_for(schedule, store, limits), cluster.scheduler, cluster.workers or 0)


def _write_batch(schedule: "Schedule", store: Path, batch: tuple[Path, "Limits"], file: Path) -> None:
    from airtcp.campaign.batch import write_batch

    script = write_batch(schedule, store, *batch)
    if script is None:
        print("Nothing to run: everything is in the store.")
        return
    print(f"{len(schedule.missing)} runs. Start them: sbatch {shlex.quote(str(script))}")
    print(f"Collect them: airtcp sweep {shlex.quote(str(file))} --store {shlex.quote(str(store))}")


def _watcher(quiet: bool, json_lines: bool) -> "Watcher":
    from rich.console import Console

    from airtcp.campaign.display import Display
    from airtcp.campaign.event_lines import EventLines
    from airtcp.campaign.watcher import Watcher

    if json_lines:
        return EventLines(sys.stdout)
    return Watcher() if quiet else Display(Console(stderr=True))


def _tell_schedule(schedule: "Schedule", json_lines: bool) -> None:
    import json

    cached, missing = len(set(schedule.there.values())), len(schedule.missing)
    left_s = sum(work.virtual_s for work in schedule.missing)
    counts = {"cases": len(schedule.cases), "runs": schedule.runs, "cached": cached, "missing": missing}
    if json_lines:
        print(json.dumps({"event": "dry-run", **counts, "missing_virtual_s": left_s}))
        return
    several = f" ({counts['cases']} cases; equal ones once)" if counts["cases"] != counts["runs"] else ""
    left = f"{missing} to compute ({left_s:.0f} virtual s)"
    print(f"{counts['runs']} runs{several}: {cached} there already, {left}")


def _summary(swept: "Swept", wall_s: float) -> dict[str, Any]:
    runs = swept.schedule.runs
    failed = len(swept.failed)
    return {
        "runs": runs,
        "computed": swept.computed,
        "cached": runs - swept.computed - failed,
        "failed": failed,
        "wall_s": round(wall_s, 3),
    }


def _show(swept: "Swept", report: "StudyReport | None", folder: Path) -> None:
    from airtcp.cli.output import Output

    out = Output()
    for table in report.tables if report else ():
        if len(table.rows) <= TERMINAL_ROWS_MOST:
            out.table(table)
        else:
            out.line(f"{table.title}: {len(table.rows)} rows, in the report")
    for line in report.notes if report else ():
        out.line(line)
    reasons: dict[str, list[str]] = {}
    for failed in swept.failed:
        reasons.setdefault(str(failed.error), []).append(failed.label)
    for reason, labels in list(reasons.items())[:REASONS_MOST]:
        others = f" and {len(labels) - 1} more" if len(labels) > 1 else ""
        out.line(f"FAILED {labels[0]}{others}: {reason}")
    if len(reasons) > REASONS_MOST:
        out.line(f"{len(reasons) - REASONS_MOST} further reasons: {folder / 'failed.json'}")
    out.line(f"Report: {folder}")
