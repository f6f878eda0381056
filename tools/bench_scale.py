"""The cost of large scenarios and of long runs: time, and peak memory of the runner, the guest and a report.

`python tools/bench_scale.py` prints the table alone.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from airtcp.execution.locate import find_kernel, find_runner
from airtcp.kernels.table import DEFAULT_KERNEL
from airtcp.plans.types.plan import Plan
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.reading.scenario_file import scenario_from_tables
from airtcp.scenario.reading.toml_file import parse_toml

SCENARIOS = Path(__file__).resolve().parent / "bench" / "scale"
LARGE = {
    "200 stations in one cell": "stations",
    "20 cells with 10 stations each": "cells",
    "1,000 flows": "flows",
    "a flow over wires of 10 Gbit/s": "wires",
}
# Below ten minutes a run has not filled what it keeps in memory of its series: one group of rows of each.
LENGTHS = ("60 s", "600 s", "3600 s")
_LOOK_S = 0.02


@dataclass(frozen=True)
class Cost:
    """What a run needs: seconds, and peak MiB of each process."""

    virtual_s: float
    compile_s: float
    wall_s: float
    cpu_s: float
    runner_mib: float
    guest_mib: float
    report_mib: float

    @property
    def run_mib(self) -> float:
        """Runner and guest."""
        return self.runner_mib + self.guest_mib


def large_costs() -> Iterator[tuple[str, Cost]]:
    """The large scenarios, one run of each."""
    for name, file in LARGE.items():
        yield name, _cost(file)


def long_costs() -> Iterator[tuple[str, Cost]]:
    """The same scenario at several lengths, one run of each."""
    for duration in LENGTHS:
        yield duration, _cost("hour", duration)


def _cost(name: str, duration: str | None = None) -> Cost:
    begin = time.process_time()
    plan = _plan(name, duration)
    compile_s = time.process_time() - begin
    with tempfile.TemporaryDirectory(prefix="airtcp-bench-") as folder:
        file = Path(folder) / "plan.json"
        file.write_text(json.dumps(plan), encoding="utf-8")
        run, peak = _run(file, Path(folder) / "runs")
        report = [sys.executable, "-m", "airtcp", "report", run["folder"], "--out", f"{folder}/report.html"]
        report_mib = _peak_mib_of(report)
    virtual_s = plan["duration_ns"] / 1e9
    return Cost(virtual_s, compile_s, run["wall_s"], run["cpu_s"], peak.runner, peak.guest, report_mib)


def _plan(name: str, duration: str | None) -> Plan:
    file = SCENARIOS / f"{name}.toml"
    tables = parse_toml(file.read_text(encoding="utf-8"), file)
    return compile_scenario(scenario_from_tables(tables | ({"duration": duration} if duration else {})))


@dataclass
class Peak:
    """Most MiB of the runner and of its guest that were seen."""

    runner: float = 0
    guest: float = 0

    def look(self, runner: int) -> None:
        """Reads what the processes have needed so far."""
        self.runner = max(self.runner, _peak_mib(runner))
        for child in _children(runner):
            self.guest = max(self.guest, _peak_mib(child))


def _run(plan: Path, store: Path) -> tuple[dict[str, Any], Peak]:
    """The runner's last event, and the memory; a run that fails is an error."""
    command = [str(find_runner()), "run", "--kernel", str(find_kernel(DEFAULT_KERNEL))]
    command += ["--plan", str(plan), "--store", str(store)]
    peak, ended = Peak(), threading.Event()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as runner:

        def watch() -> None:
            while not ended.wait(_LOOK_S):
                peak.look(runner.pid)

        watching = threading.Thread(target=watch)
        watching.start()
        last = list(runner.stdout or ())[-1]
        ended.set()
        watching.join()
    done = json.loads(last)
    if done["event"] != "done":
        raise RuntimeError(last)
    return done, peak


def _children(process: int) -> list[int]:
    children = []
    with suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            children += [int(child) for child in (task / "children").read_text().split()]
    return children


def _peak_mib(process: int) -> float:
    with suppress(OSError):
        found = re.search(r"^VmHWM:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text(), re.MULTILINE)
        return int(found[1]) / 1024 if found else 0
    return 0


def _peak_mib_of(command: list[str]) -> float:
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    if status:
        raise RuntimeError(" ".join(command))
    return used.ru_maxrss / 1024


def main() -> int:
    """The table alone."""
    names = ("virtual s", "compile s", "wall s", "CPU s", "runner MiB", "guest MiB", "report MiB")
    print(f"{'':<34}", *(f"{name:>10}" for name in names))
    costs = []
    for name, cost in chain(large_costs(), long_costs()):
        costs.append(cost)
        values = (cost.virtual_s, cost.compile_s, cost.wall_s, cost.cpu_s)
        memory = (cost.runner_mib, cost.guest_mib, cost.report_mib)
        print(f"{name:<34}", *(f"{value:>10.1f}" for value in (*values, *memory)), flush=True)
    print(f"runner and guest, {LENGTHS[2]} / {LENGTHS[1]}: {costs[-1].run_mib / costs[-2].run_mib:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
