"""`airtcp sweep`: runs a campaign; runs that are in the store are not repeated."""

import shlex
import sys
import time
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from airtcp.cli.execute import DEFAULT_STORE, Jobs, Kernel, Only, StallLimit, Store, WallLimit
from airtcp.cli.option_lists import selected_levels
from airtcp.cli.say import say
from airtcp.errors import AirtcpError

if TYPE_CHECKING:
    from airtcp.campaign.campaign_report import Shown
    from airtcp.campaign.campaign_runner import CampaignResult
    from airtcp.campaign.listener import CampaignListener
    from airtcp.campaign.schedule import Schedule
    from airtcp.execution.executors.executor import Executor
    from airtcp.execution.limits import Limits

File = Annotated[Path, typer.Argument(help="Campaign file (TOML).", show_default=False)]
Out = Annotated[Path | None, typer.Option("--out", help="Folder of the report; default: reports/NAME.")]
Reps = Annotated[
    int | None,
    typer.Option("--reps", help="Runs per combination, with seeds 1, 2, ...; default: the file's."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print only errors.")]
Json = Annotated[bool, typer.Option("--json", help="Print progress as JSON, one object per line.")]
Scheduler = Annotated[
    str | None,
    typer.Option("--scheduler", help="Run on the Dask cluster of this scheduler: tcp://HOST:PORT."),
]
Workers = Annotated[
    int | None,
    typer.Option("--dask", min=1, help="Run on a local Dask cluster with this many workers."),
]
Batch = Annotated[
    Path | None,
    typer.Option("--batch", help="Write plans and a Slurm job script to this folder, run nothing."),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Print how many runs exist and are missing, and exit.")
]

# Longer tables are only in the report.
TERMINAL_ROWS_MOST = 40
REASONS_MOST = 10
# Unpacking a plan takes a millisecond, and the combinations of a campaign resemble each other.
PLANS_LOOKED_AT = 200


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
    """Run every combination of the factors in a campaign file; cached runs are not repeated."""
    from airtcp.execution.locate import find_ahead
    from airtcp.kernels.table import DEFAULT_KERNEL

    find_ahead(kernel or DEFAULT_KERNEL)
    from airtcp.campaign.campaign import read_campaign
    from airtcp.campaign.schedule import Request, make_schedule
    from airtcp.execution.cores import read_on_one_thread
    from airtcp.execution.events import RunFailed
    from airtcp.execution.limits import Limits
    from airtcp.report.folder import check_output

    begin = time.monotonic()
    read_on_one_thread()
    campaign = read_campaign(file)
    folder = out or Path("reports") / campaign.study.name
    if not dry_run:
        check_output(folder)
    schedule = make_schedule(campaign, Request(store, reps, selected_levels(only or []), kernel))
    if not json_lines:
        _warn(schedule)
    if dry_run:
        _print_schedule(schedule, json_lines)
        return
    limits = Limits(stall_limit_s, wall_limit_s)
    if batch is not None:
        from airtcp.campaign.batch import write_batch

        print(_batch_text(schedule, file, store, write_batch(schedule, store, batch, limits)))
        return
    from airtcp.campaign.campaign_report import CampaignReport
    from airtcp.campaign.page_parts import page_parts
    from airtcp.campaign.sweep import run_campaign

    listener = _listener(quiet, json_lines)
    with _executor(schedule, store, jobs, _Cluster(scheduler, dask), limits) as executor:
        result = run_campaign(schedule, store, executor, listener, page_parts(schedule))
    report = CampaignReport(result, folder, f"airtcp {shlex.join(sys.argv[1:])}").write()
    listener.report(folder, _summary(result, time.monotonic() - begin))
    if not quiet and not json_lines:
        _show(result, report, folder)
    if result.failed:
        raise typer.Exit(RunFailed.exit_status)


def _warn(schedule: "Schedule") -> None:
    """Tells each warning of the plans once, before hours of computing."""
    from airtcp.report.plan_warnings import plan_warnings

    looked_at = schedule.missing[:PLANS_LOOKED_AT]
    for warning in dict.fromkeys(text for run in looked_at for text in plan_warnings(run.plan)):
        say(f"warning: {schedule.study.name}: {warning}.", err=True)


@dataclass(frozen=True)
class _Cluster:
    """The values of `--scheduler` and `--dask`."""

    scheduler: str | None
    workers: int | None


def _executor(
    schedule: "Schedule", store: Path, jobs: int | None, cluster: _Cluster, limits: "Limits"
) -> "AbstractContextManager[Executor]":
    from airtcp.campaign.sweep import local_executor, tools_for

    if cluster.scheduler and cluster.workers:
        raise AirtcpError("choose two clusters", "--scheduler and --dask", "Remove one of them")
    # Without missing runs no cluster is started or contacted.
    if not schedule.missing or not (cluster.scheduler or cluster.workers):
        return nullcontext(local_executor(schedule, store, jobs, limits))
    from airtcp.execution.executors.dask import dask_executor

    return dask_executor(tools_for(schedule, store, limits), cluster.scheduler, cluster.workers or 0)


def _batch_text(schedule: "Schedule", file: Path, store: Path, script: Path | None) -> str:
    """The commands that start the batch and collect its results; `script` is `None` if no run is missing."""
    if script is None:
        return "Nothing to run: everything is in the store."
    start = f"{len(schedule.missing)} runs. Start them: sbatch {shlex.quote(str(script))}"
    collect = f"airtcp sweep {shlex.quote(str(file))} --store {shlex.quote(str(store))}"
    return f"{start}\nCollect them: {collect}"


def _listener(quiet: bool, json_lines: bool) -> "CampaignListener":
    from rich.console import Console

    from airtcp.campaign.display import Display
    from airtcp.campaign.event_lines import EventLines
    from airtcp.campaign.listener import CampaignListener

    if json_lines:
        return EventLines(sys.stdout)
    return CampaignListener() if quiet else Display(Console(stderr=True))


def _print_schedule(schedule: "Schedule", json_lines: bool) -> None:
    import json

    cached, missing = len(set(schedule.there.values())), len(schedule.missing)
    left_s = sum(run.virtual_s for run in schedule.missing)
    counts = {"cases": len(schedule.cases), "runs": schedule.runs, "cached": cached, "missing": missing}
    if json_lines:
        print(json.dumps({"event": "dry-run", **counts, "missing_virtual_s": left_s}))
        return
    several = f" ({counts['cases']} cases; equal ones once)" if counts["cases"] != counts["runs"] else ""
    left = f"{missing} to compute ({left_s:.0f} virtual s)"
    print(f"{counts['runs']} runs{several}: {cached} cached, {left}")


def _summary(result: "CampaignResult", wall_s: float) -> dict[str, Any]:
    runs = result.schedule.runs
    failed = len(result.failed)
    return {
        "runs": runs,
        "computed": result.computed,
        "cached": runs - result.computed - failed,
        "failed": failed,
        "wall_s": round(wall_s, 3),
    }


def _show(result: "CampaignResult", report: "Shown", folder: Path) -> None:
    from airtcp.cli.output import Output

    out = Output()
    for table in report.tables:
        if len(table.rows) <= TERMINAL_ROWS_MOST:
            out.table(table)
        else:
            out.line(f"{table.title}: {len(table.rows)} rows, see the report")
    for line in report.notes:
        out.line(line)
    reasons: dict[str, list[str]] = {}
    for failed in result.failed:
        reasons.setdefault(str(failed.error), []).append(failed.label)
    for reason, labels in list(reasons.items())[:REASONS_MOST]:
        others = f" and {len(labels) - 1} more" if len(labels) > 1 else ""
        out.line(f"FAILED {labels[0]}{others}: {reason}")
    if len(reasons) > REASONS_MOST:
        out.line(f"{len(reasons) - REASONS_MOST} further reasons: {folder / 'failed.json'}")
    out.line(f"Report: {folder}")
