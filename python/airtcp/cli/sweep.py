"""`airtcp sweep`: a campaign of many runs, of which only what is missing is computed."""

import shlex
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from airtcp.cli.executing import DEFAULT_STORE, Jobs, Store
from airtcp.cli.wishes import wished_levels

if TYPE_CHECKING:
    from airtcp.campaign.conduct import Swept
    from airtcp.campaign.schedule import Schedule
    from airtcp.campaign.watcher import Watcher
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
) -> None:
    """Compute a campaign: every combination of a file's factors; what is in the store is not run again."""
    from airtcp.campaign.campaign_report import CampaignReport
    from airtcp.campaign.reading import read_campaign
    from airtcp.campaign.schedule import Request, make_schedule
    from airtcp.campaign.sweep import conduct, local_executor
    from airtcp.report.folder import check_output

    begin = time.monotonic()
    campaign = read_campaign(file)
    folder = out or Path("reports") / campaign.study.name
    if not dry_run:
        check_output(folder)
    schedule = make_schedule(campaign, Request(store, reps, wished_levels(only or []), kernel))
    watcher = _watcher(quiet, json_lines)
    if dry_run:
        _tell_schedule(schedule, json_lines)
        return
    swept = conduct(schedule, store, local_executor(schedule, store, jobs), watcher)
    report = CampaignReport(swept, folder, f"airtcp {shlex.join(sys.argv[1:])}").write()
    watcher.report(folder, _summary(swept, time.monotonic() - begin))
    if not quiet and not json_lines:
        _show(swept, report, folder)
    if swept.failed:
        raise typer.Exit(FAILED_STATUS)


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
    from airtcp.cli.output import output

    console = output()
    for table in report.tables if report else ():
        if len(table.rows) <= TERMINAL_ROWS_MOST:
            console.print(table.rich())
        else:
            console.print(f"{table.title}: {len(table.rows)} rows, in the report", markup=False)
    for line in report.notes if report else ():
        console.print(line, markup=False, soft_wrap=True)
    reasons: dict[str, list[str]] = {}
    for failed in swept.failed:
        reasons.setdefault(str(failed.error), []).append(failed.label)
    for reason, labels in list(reasons.items())[:REASONS_MOST]:
        others = f" and {len(labels) - 1} more" if len(labels) > 1 else ""
        console.print(f"FAILED {labels[0]}{others}: {reason}", markup=False, soft_wrap=True)
    if len(reasons) > REASONS_MOST:
        console.print(
            f"{len(reasons) - REASONS_MOST} further reasons: {folder / 'failed.json'}", markup=False
        )
    console.print(f"Report: {folder}", markup=False, soft_wrap=True)
