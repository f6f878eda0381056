"""Compares the cost of airtcp's air with ns-3's in the same scenes, run in turn on the same machine.

CPU time of ns-3 is that of the measured time alone. That of airtcp is that of the whole process, with its
start and its warm-up, by all of the simulated time: if anything this is to airtcp's disadvantage. What takes
little time is measured in several rounds, of which the median counts: machines are shared and noisy.
"""

import json
import statistics
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import BaseModel
from rich.console import Console
from rich.table import Table

from crosscheck.airtcp_side import airtcp_result, compute, plan_of
from crosscheck.cases import Case, read_cases
from crosscheck.compare import WIDTH
from crosscheck.ns3 import Ns3Failed, Ns3Missing, build, made_with, ns3_run, run
from crosscheck.results import Result, mean_of

SCENES = Path(__file__).resolve().parent / "speed.toml"
STORE = Path(__file__).resolve().parents[2] / "bench-results"
# The ratio of costs that airtcp promises at least, and its largest memory.
GOAL = 50.0
GOAL_MB = 100.0
# airtcp simulates this many times as long as ns-3; otherwise process start would dominate its cost.
TIMES_AS_LONG = 20.0
# Rounds of a scene with one station, and of airtcp alone.
ROUNDS = 5
# Cases for which airtcp's cost per frame is shown.
STATIONS = (1, 10, 50, 100)


def main(only: Annotated[str, typer.Option(help="only scenes whose name contains this")] = "") -> None:
    """Compares CPU seconds per simulated second."""
    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    cases = [case for case in read_cases(SCENES) if only in case.name]
    costs = [cost_per_frame(case) for case in cases if case.scene.stations == 1]
    console.print(cost_table(costs))
    try:
        program = build()
        rows = [measured(program, case) for case in cases]
    except (Ns3Missing, Ns3Failed) as problem:
        console.print(str(problem), markup=False, style="red")
        # What else `make bench` measures does not depend on ns-3.
        raise typer.Exit(int(isinstance(problem, Ns3Failed))) from problem
    console.print(table(rows))
    console.print(verdict(rows))
    file = STORE / f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-ns3.json"
    file.parent.mkdir(exist_ok=True)
    scenes = [
        {"scene": case.name, "ns3": theirs.model_dump(), "airtcp": ours.model_dump()}
        for case, theirs, ours in rows
    ]
    stored: dict[str, Any] = {
        "ns3": made_with(),
        "scenes": scenes,
        "airtcp_costs": [cost.model_dump() for row in costs for cost in row],
    }
    file.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    console.print(f"Stored: {file}", markup=False, highlight=False)


Row = tuple[Case, Result, Result]


def measured(program: Path, case: Case) -> Row:
    """Runs both simulators in turn, so that other load on the machine affects both."""
    both = []
    for _ in range(ROUNDS if case.scene.stations == 1 else 1):
        runs = [ns3_run(run(program, case.scene, seed, count=False)) for seed in case.seeds]
        both.append((mean_of(runs, case.scene.seconds), airtcp_result(case, TIMES_AS_LONG)))
    theirs, ours = zip(*both, strict=True)
    return case, middle(theirs), middle(ours)


def middle(results: Sequence[Result]) -> Result:
    """The results of identical runs with the median of their costs."""
    cost = statistics.median(result.cpu_s_per_s for result in results)
    return results[0].model_copy(update={"cpu_s_per_s": cost})


def ratio(row: Row) -> float:
    """How many times as much CPU ns-3 takes."""
    _, theirs, ours = row
    return theirs.cpu_s_per_s / ours.cpu_s_per_s


def table(rows: list[Row]) -> Table:
    """One row for each scene."""
    lines = Table("scene", title="CPU seconds per simulated second", title_justify="left")
    for heading in ("ns-3", "airtcp", "ratio", "MB ns-3", "MB airtcp", "Mbit/s ns-3", "Mbit/s airtcp"):
        lines.add_column(heading, justify="right")
    for row in rows:
        case, theirs, ours = row
        lines.add_row(
            case.name,
            f"{theirs.cpu_s_per_s:.3f}",
            f"{ours.cpu_s_per_s:.5f}",
            f"{ratio(row):.0f}",
            f"{theirs.peak_memory_mb:.0f}",
            f"{ours.peak_memory_mb:.0f}",
            f"{theirs.goodput_mbps:.2f}",
            f"{ours.goodput_mbps:.2f}",
            style="bold" if ratio(row) < GOAL else None,
        )
    return lines


def verdict(rows: list[Row]) -> str:
    """The least ratio and the largest memory, and whether they are within the promised limits."""
    slowest = min(rows, key=ratio)
    memory_mb = max(ours.peak_memory_mb for _, _, ours in rows)
    missed = [row[0].name for row in rows if ratio(row) < GOAL]
    return (
        f"Least ratio: {ratio(slowest):.0f} ({slowest[0].name}); most memory: {memory_mb:.0f} MB"
        f" (promised: {GOAL:.0f} at least, {GOAL_MB:.0f} MB at most)."
        + (f"\nBelow {GOAL:.0f}: {'; '.join(missed)}" if missed else "")
    )


class Cost(BaseModel):
    """airtcp's CPU time per data PPDU and per MPDU in them, including retransmissions."""

    scene: str
    stations: int
    ns_per_ppdu: float
    ns_per_mpdu: float
    peak_memory_mb: float


def cost_per_frame(case: Case) -> list[Cost]:
    """The case with increasing numbers of stations."""
    costs = []
    seconds = case.scene.seconds * TIMES_AS_LONG / 4
    scenes = [case.scene.model_copy(update={"stations": n, "seconds": seconds}) for n in STATIONS]
    rounds = [[compute(plan_of(scene, case.seeds[0])) for scene in scenes] for _ in range(ROUNDS)]
    for stations, of_one in zip(STATIONS, zip(*rounds, strict=True), strict=True):
        computed = of_one[0]
        # The part of the CPU time that falls into the measured time, in which frames are counted.
        measured_share = seconds / (seconds + case.scene.warmup_s)
        cpu_ns = 1e9 * statistics.median(one.cpu_s for one in of_one) * measured_share
        costs.append(
            Cost(
                scene=case.name,
                stations=stations,
                ns_per_ppdu=cpu_ns / computed.sent("transmissions"),
                ns_per_mpdu=cpu_ns / computed.sent("mpdus"),
                peak_memory_mb=computed.peak_memory_mb,
            )
        )
    return costs


def cost_table(costs: list[list[Cost]]) -> Table:
    """One row for each scene, one group of columns for each number of stations."""
    title = "airtcp's CPU time in ns per data PPDU / per MPDU, by stations"
    lines = Table("scene", title=title, title_justify="left")
    for stations in STATIONS:
        lines.add_column(str(stations), justify="right")
    lines.add_column(f"MB at {STATIONS[-1]}", justify="right")
    for row in costs:
        cells = [f"{cost.ns_per_ppdu:.0f} / {cost.ns_per_mpdu:.0f}" for cost in row]
        lines.add_row(row[0].scene, *cells, f"{row[-1].peak_memory_mb:.0f}")
    return lines


if __name__ == "__main__":
    typer.run(main)
