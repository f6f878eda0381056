"""Holds the cost of airtcp's air against ns-3's on the same scenes, run in turn on the same machine."""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from crosscheck.airtcp_side import AirtcpUnavailable, airtcp_result
from crosscheck.cases import Case, read_cases
from crosscheck.compare import WIDTH
from crosscheck.ns3 import Ns3Failed, Ns3Missing, build, made_with, ns3_run, run
from crosscheck.results import Result, mean_of

SCENES = Path(__file__).resolve().parent / "speed.toml"
STORE = Path(__file__).resolve().parents[2] / "bench-results"
# Least ratio of the costs that airtcp promises.
GOAL = 50.0


def main(only: Annotated[str, typer.Option(help="only scenes whose name contains this")] = "") -> None:
    """Compares CPU seconds per simulated second."""
    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    cases = [case for case in read_cases(SCENES) if only in case.name]
    try:
        program = build()
        rows = [measured(program, case) for case in cases]
    except (Ns3Missing, Ns3Failed) as problem:
        console.print(str(problem), markup=False, style="red")
        # What else `make bench` measures does not depend on ns-3.
        raise typer.Exit(int(isinstance(problem, Ns3Failed))) from problem
    console.print(table(rows))
    file = STORE / f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-ns3.json"
    file.parent.mkdir(exist_ok=True)
    scenes = [
        {"scene": case.name, "ns3": theirs.model_dump(), "airtcp": ours.model_dump() if ours else None}
        for case, theirs, ours in rows
    ]
    stored: dict[str, Any] = {"ns3": made_with(), "scenes": scenes}
    file.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    console.print(f"Stored: {file}", markup=False, highlight=False)


def measured(program: Path, case: Case) -> tuple[Case, Result, Result | None]:
    """Both simulators, one after the other, so that a busy machine hurts both."""
    runs = [ns3_run(run(program, case.scene, seed, count=False)) for seed in case.seeds]
    theirs = mean_of(runs, case.scene.seconds)
    try:
        return case, theirs, airtcp_result(case)
    except AirtcpUnavailable:
        return case, theirs, None


def table(rows: list[tuple[Case, Result, Result | None]]) -> Table:
    """One row for each scene."""
    lines = Table("scene", title="CPU seconds per simulated second", title_justify="left")
    for heading in ("ns-3", "airtcp", "ratio", "MB ns-3", "MB airtcp", "Mb/s ns-3", "Mb/s airtcp"):
        lines.add_column(heading, justify="right")
    for case, theirs, ours in rows:
        ratio = theirs.cpu_s_per_s / ours.cpu_s_per_s if ours and ours.cpu_s_per_s else None
        lines.add_row(
            case.name,
            f"{theirs.cpu_s_per_s:.3f}",
            f"{ours.cpu_s_per_s:.5f}" if ours else "-",
            f"{ratio:.0f}" if ratio else "-",
            f"{theirs.peak_memory_mb:.0f}",
            f"{ours.peak_memory_mb:.0f}" if ours else "-",
            f"{theirs.goodput_mbps:.2f}",
            f"{ours.goodput_mbps:.2f}" if ours else "-",
            style="bold" if ratio is not None and ratio < GOAL else None,
        )
    return lines


if __name__ == "__main__":
    typer.run(main)
