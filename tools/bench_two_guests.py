"""How much faster two guests compute a split network than one."""

import shutil
import statistics
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from airtcp.execution.events import Done
from airtcp.execution.locate import find_kernel, find_runner
from airtcp.execution.runner import Running, Tools, run_plan
from airtcp.kernels.table import DEFAULT_KERNEL
from airtcp.plans.types.plan import Plan
from airtcp.scenario.compile.compiler import compile_file

SCENARIOS = Path(__file__).resolve().parent / "bench" / "two-guests"


@dataclass(frozen=True)
class Gain:
    """A network by one guest and by two: ratios of one to two, of each round, and CPU time of two to one."""

    network: str
    wall: list[float]
    cpu: list[float]
    one_s: float
    two_s: float


def gains(rounds: int) -> list[Gain]:
    """Each network by one guest and by two in turn, so that other work on the machine affects both."""
    store = Path(tempfile.mkdtemp(prefix="airtcp-bench-"))
    try:
        tools = Tools(find_runner(), {DEFAULT_KERNEL: find_kernel(DEFAULT_KERNEL)}, store, fresh=True)
        return [_gain(file, tools, rounds) for file in sorted(SCENARIOS.glob("*.toml"))]
    finally:
        shutil.rmtree(store)


def _gain(file: Path, tools: Tools, rounds: int) -> Gain:
    plan = compile_file(file)
    both = [[_run(plan, replace(tools, guests=guests)) for guests in (1, 2)] for _ in range(rounds + 1)][1:]
    walls = [[done.wall_s for done in pair] for pair in both]
    one_s, two_s = (statistics.median(column) for column in zip(*walls, strict=True))
    wall = [one / two for one, two in walls]
    return Gain(file.stem, wall, [two.cpu_s / one.cpu_s for one, two in both], one_s, two_s)


def _run(plan: Plan, tools: Tools) -> Done:
    return run_plan(plan, tools, Running(), lambda _: None)


if __name__ == "__main__":
    heads = ("one guest s", "two s", "gain", "least", "most", "CPU two / one")
    print(f"{'network':<10}", *(f"{head:>13}" for head in heads))
    for gain in gains(9):
        least, median, most = min(gain.wall), statistics.median(gain.wall), max(gain.wall)
        cpu = statistics.median(gain.cpu)
        figures = (gain.one_s, gain.two_s, median, least, most, cpu)
        print(f"{gain.network:<10}", *(f"{figure:>13.2f}" for figure in figures))
