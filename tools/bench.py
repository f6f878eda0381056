"""Measures how fast airtcp is: `make bench` prints a table and stores JSON in bench-results/.

Every figure is of whole runs as users make them: from the start of the runner to the sealed run folder.
Machines are shared and noisy: each figure is the median of several runs beside its minimum, and CPU time
stands beside wall time. `--without-studies` leaves out the whole studies, which take most of the time.
"""

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from airtcp.execution.cores import cores
from airtcp.execution.events import Done
from airtcp.execution.executors.executor import Job
from airtcp.execution.locate import find_kernel, find_runner
from airtcp.execution.progress import ProgressDisplay
from airtcp.execution.run_jobs import run_jobs
from airtcp.execution.runner import Running, Tools, run_plan
from airtcp.kernels.table import DEFAULT_KERNEL
from airtcp.plans.types.plan import Plan
from airtcp.scenario.compile.compiler import compile_file
from airtcp.studies.cases import Case, Plans, cases, choose_parts
from airtcp.studies.known_studies import study_folder
from airtcp.studies.study import read_study
from bench_campaign import campaign_costs, two_workers_gain
from bench_commands import GOAL_S, command_costs
from bench_fading import fading_costs
from bench_linux_mac import WPA2, network, segment_costs_us
from bench_scale import LENGTHS, Cost, large_costs, long_costs
from bench_studies import study_costs
from bench_two_guests import gains
from bench_watching import watching_costs
from rich.console import Console

ROOT = Path(__file__).resolve().parents[1]
REPETITIONS = 5
WATCHING_ROUNDS = 12
SCENARIOS = Path(__file__).resolve().parent / "bench"


@dataclass(frozen=True)
class Figure:
    """One measured figure: its repetitions and its goal."""

    name: str
    unit: str
    values: list[float]
    goal: str = ""

    @property
    def median(self) -> float:
        """The figure to quote."""
        return statistics.median(self.values)

    def row(self) -> str:
        """A line of the table."""
        return f"{self.name:<62} {self.median:>9.3f} {min(self.values):>9.3f}  {self.unit:<12} {self.goal}"


def scenario(name: str) -> Plan:
    """The plan of a benchmark's scenario."""
    file = SCENARIOS / f"{name}.toml"
    return compile_file(file)


def section_jobs(name: str, section: str) -> list[tuple[Case, Job]]:
    """The runs of a section of a study."""
    study = choose_parts(read_study(study_folder(name)), (section,))
    plans = Plans(study)
    return [(case, Job(plans.label(case), plans.plan(case))) for case in cases(study, [1])]


class Bench:
    """Runs plans and records their cost."""

    def __init__(self, store: Path) -> None:
        self.tools = Tools(find_runner(), {DEFAULT_KERNEL: find_kernel(DEFAULT_KERNEL)}, store, fresh=True)
        self.figures: list[Figure] = []

    def add(self, name: str, unit: str, values: list[float], goal: str = "") -> Figure:
        """Adds a figure and prints it."""
        figure = Figure(name, unit, values, goal)
        self.figures.append(figure)
        print(figure.row(), flush=True)
        return figure

    def runs(self, plan: Plan, repetitions: int = REPETITIONS) -> list[Done]:
        """Runs the same plan repeatedly, after one run that is not counted."""
        return [done for done, _ in self.runs_and_manifests(plan, repetitions)]

    def runs_and_manifests(
        self, plan: Plan, repetitions: int = REPETITIONS
    ) -> list[tuple[Done, dict[str, Any]]]:
        """The same, with the cost that each run reported; all runs have the same folder."""
        both = []
        for _ in range(repetitions + 1):
            done = run_plan(plan, self.tools, Running(), lambda _: None)
            both.append((done, json.loads((Path(done.folder) / "manifest.json").read_text(encoding="utf-8"))))
        return both[1:]

    def once(self, plan: Plan) -> Done:
        """One run."""
        return run_plan(plan, self.tools, Running(), lambda _: None)

    def segments(self, done: Done) -> float:
        """Data segments of all flows of a run."""
        summary = json.loads((Path(done.folder) / "summary.json").read_text(encoding="utf-8"))
        return float(sum(flow["bytes_received"] for flow in summary["agent"]["flows"])) / 1448


def seconds(runs: list[Done], of: Callable[[Done], float]) -> list[float]:
    """A figure of each run."""
    return [of(run) for run in runs]


def measure(bench: Bench) -> None:
    """All figures."""
    section = section_jobs("aoyagi2023", "4.2")
    plan = next(job.plan for case, job in section if case.key() == ("1", "cubic", "100 packets"))

    # A run that ends 5 ms after its first packet: boot, network, and the end.
    first_packet: Plan = {**plan, "duration_ns": 5_000_000, "pings": []}
    first_packet["flows"] = [{**plan["flows"][0], "start_ns": 0}]
    booted = bench.runs_and_manifests(first_packet)
    until_first = [manifest["first_frame_cpu_s"] * 1e3 for _, manifest in booted]
    boots = [done for done, _ in booted]
    bench.add("boot to first packet: CPU", "ms", until_first, "< 50")
    boot_cpu = bench.add("boot, first packets, power off: CPU", "ms", [r.cpu_s * 1e3 for r in boots])
    bench.add("the same: wall, from runner to run folder", "ms", [r.wall_s * 1e3 for r in boots])

    prompt = [cached_at_prompt(Path(booted[0][0].folder)) for _ in range(REPETITIONS + 1)][1:]
    bench.add("`airtcp run` of a run that is in the store: wall", "s", prompt, "< 0.4")

    ones = bench.runs(plan)
    virtual_s = plan["duration_ns"] / 1e9
    bench.add(
        f"one run of section 4.2, {virtual_s:.0f} virtual s: wall",
        "s",
        seconds(ones, lambda r: r.wall_s),
        "< 0.7",
    )
    bench.add("the same: CPU", "s", seconds(ones, lambda r: r.cpu_s))
    bench.add("the same: speed", "x real time", [virtual_s / r.wall_s for r in ones])
    segments = bench.segments(ones[0])
    beyond_boot = [(r.cpu_s - boot_cpu.median / 1e3) * 1e6 / segments for r in ones]
    per_segment = bench.add("the same: CPU per TCP segment, end to end", "us", beyond_boot)

    wired = bench.runs(scenario("wired"))
    wired_segments = bench.segments(wired[0])
    wired_us = [(r.cpu_s - boot_cpu.median / 1e3) * 1e6 / wired_segments for r in wired]
    limit = bench.add("the same flow over veth and netem in the same kernel", "us", wired_us)
    bench.add("ratio: with the air / without", "", [per_segment.median / limit.median])

    full = scenario("saturated")
    fulls = bench.runs(full)
    full_s = full["duration_ns"] / 1e9
    bench.add(
        "a saturated 54 Mbit/s station: speed", "x real time", [full_s / r.wall_s for r in fulls], ">= 40"
    )
    full_segments = bench.segments(fulls[0])
    full_us = [(r.cpu_s - boot_cpu.median / 1e3) * 1e6 / full_segments for r in fulls]
    bench.add("the same: CPU per TCP segment", "us", full_us)

    for name, ratios in fading_costs(bench.tools.runner, REPETITIONS):
        bench.add(f"{name}: CPU with / without", "", ratios, "< 2")

    goals = {
        "tcp_info of 10 flows every 10 ms": "< 1.1",
        "a capture at the server": "< 1.2",
        "a capture of the air": "< 1.2",
    }
    for name, ratio in watching_costs(bench.once, WATCHING_ROUNDS).items():
        bench.add(f"watching {name}: wall with / without", "", [ratio], goals.get(name, ""))

    jobs = [job for _, job in section]
    bench.add(
        f"section 4.2 whole, {len(jobs)} runs on {cores()} cores: wall", "s", [whole(bench, jobs)], "< 25"
    )
    seconds_500, peak_mib = report_of(bench, 500, {job.plan["name"] for job in jobs})
    bench.add("report of 500 runs: wall", "s", [seconds_500], "< 8")
    bench.add("the same: peak memory of the largest process", "MiB", [peak_mib], "< 1024")


def measure_campaign(bench: Bench) -> None:
    """The cost of campaigns in addition to their runs."""
    cost = campaign_costs()
    bench.add(
        f"a campaign of {cost.runs} runs, all there, with its report: wall", "s", [cost.cached_s], "< 10"
    )
    bench.add("the same again: wall", "s", [cost.cached_again_s], "< 10")
    bench.add("compiling a combination of a campaign: CPU", "ms", [cost.compile_ms])
    bench.add("scheduling a run whose runner does nothing: wall", "ms", [cost.dispatch_ms], "< 5")
    if cores() > 1:
        gains = two_workers_gain(3)
        bench.add(
            "a campaign's runs by two workers against one: speed", "times", [g.runs for g in gains], "> 1.9"
        )
        bench.add("the same with starting and the report", "times", [g.whole for g in gains], "> 1.9")
        bench.add("the same of runners without a campaign", "times", [g.bare for g in gains])


def measure_commands(bench: Bench, folder: Path) -> None:
    """Every command with nothing to compute."""
    for cost in command_costs(REPETITIONS, folder):
        bench.add(f"`airtcp {cost.name}`: CPU", "s", cost.cpu_s, f"< {GOAL_S}")
        bench.add("the same: wall", "s", cost.wall_s, f"< {GOAL_S}")


def measure_linux_mac(bench: Bench) -> None:
    """The cost of the kernel's own Wi-Fi stack, and of airtcp's upper MAC in the same cell."""
    associated = bench.runs(network())
    name = "mac80211: boot, association, power off: CPU"
    direct = bench.add(name, "ms", [r.cpu_s * 1e3 for r in associated], "< 200")
    daemons = bench.runs(network(**WPA2))
    bench.add("the same with hostapd, WPA2: CPU", "ms", [r.cpu_s * 1e3 for r in daemons], "< 400")
    idle = bench.runs(network("1000 s"))
    bench.add("mac80211: 1000 idle virtual s: CPU", "ms", [r.cpu_s * 1e3 for r in idle], "< 300")

    def cpu_s_and_segments(plan: Plan) -> list[tuple[float, float]]:
        runs = bench.runs(plan)
        return [(r.cpu_s, bench.segments(runs[0])) for r in runs]

    own = bench.runs(network(mac="airtcp"))
    boots = {"linux": direct.median / 1e3, "airtcp": statistics.median(r.cpu_s for r in own)}
    for hop, costs in segment_costs_us(cpu_s_and_segments, boots).items():
        bench.add(f"a segment over VHT80, {hop}: CPU", "us", costs, "< 2.5" if "linux" in hop else "")


def measure_scale(bench: Bench) -> None:
    """Large scenarios, and the memory of long runs."""

    def add(name: str, cost: Cost) -> None:
        bench.add(f"{name}, {cost.virtual_s:.0f} virtual s: wall", "s", [cost.wall_s])
        bench.add("the same: CPU", "s", [cost.cpu_s])
        bench.add("the same: peak memory, runner and guest", "MiB", [cost.run_mib], "< 512")

    for name, cost in large_costs():
        add(name, cost)
    long = dict(long_costs())
    *_, shorter, longest = (long[length] for length in LENGTHS)
    add("a station that uploads, calls and pings", longest)
    bench.add("the same: memory of its report", "MiB", [longest.report_mib])
    name = f"memory of {LENGTHS[-1]} / memory of {LENGTHS[-2]}, runner and guest"
    bench.add(name, "", [longest.run_mib / shorter.run_mib], "< 1.1")


def measure_two_guests(bench: Bench) -> None:
    """Networks of two cells by two guests."""
    for gain in gains(REPETITIONS) if cores() > 1 else []:
        goal = "" if gain.network == "unequal" else "> 1.6"
        bench.add(f"two cells ({gain.network}) by two guests against one: speed", "times", gain.wall, goal)


def measure_studies(bench: Bench) -> None:
    """The complete studies."""
    for cost in study_costs():
        told = f"study {cost.name} whole, {cost.runs} runs, {cost.virtual_s:.0f} virtual s: wall"
        bench.add(told, "s", [cost.wall_s], f"< {cost.goal_s}")
        bench.add("the same: virtual s per wall s and core", "", [cost.speed])


def report_of(bench: Bench, count: int, names: set[str]) -> tuple[float, float]:
    """Wall seconds and peak MiB of a report on `copies` copies of the named runs."""
    manifests = sorted(bench.tools.store.glob("*/manifest.json"))
    made = [
        file.parent for file in manifests if json.loads(file.read_text(encoding="utf-8"))["name"] in names
    ]
    copies = bench.tools.store / "copies"
    for number in range(count):
        folder = copies / f"{number:016x}"
        shutil.copytree(made[number % len(made)], folder)
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        (folder / "manifest.json").write_text(json.dumps({**manifest, "run": folder.name}), encoding="utf-8")
    command = [sys.executable, "-m", "airtcp", "report", str(copies)]
    begin = time.monotonic()
    child = subprocess.Popen([*command, "--out", str(copies / "report.html")], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    if status:
        raise RuntimeError("airtcp report failed")
    return time.monotonic() - begin, used.ru_maxrss / 1024


def cached_at_prompt(folder: Path) -> float:
    """Wall seconds of the command for a run that is in the store, from its start to its last table."""
    command = [
        sys.executable,
        "-m",
        "airtcp",
        "run",
        str(folder / "plan.json"),
        "--store",
        str(folder.parent),
    ]
    begin = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - begin


def whole(bench: Bench, jobs: list[Job]) -> float:
    """Wall time of all runs of the section."""
    begin = time.monotonic()
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        display = ProgressDisplay(Console(file=nowhere), [job.plan["duration_ns"] for job in jobs])
        run_jobs(jobs, bench.tools, cores(), display)
    return time.monotonic() - begin


def machine() -> dict[str, Any]:
    """The machine on which the figures were measured."""
    model = next(
        (
            line.split(":")[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if "model name" in line
        ),
        platform.machine(),
    )
    return {"processor": model, "cores": cores(), "load": os.getloadavg()[0], "kernel": platform.release()}


def main() -> int:
    """Measures, prints, stores."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--without-studies", action="store_true", help="leave out what takes most of an hour")
    options = parser.parse_args()
    store = Path(tempfile.mkdtemp(prefix="airtcp-bench-"))
    print(f"{'figure':<62} {'median':>9} {'min':>9}  {'unit':<12} goal")
    try:
        bench = Bench(store)
        about = machine()
        measure(bench)
        measure_campaign(bench)
        measure_commands(bench, store / "commands")
        measure_linux_mac(bench)
        measure_scale(bench)
        measure_two_guests(bench)
        if not options.without_studies:
            measure_studies(bench)
    finally:
        shutil.rmtree(store, ignore_errors=True)
    now = datetime.now(UTC)
    out = ROOT / "bench-results" / f"{now:%Y%m%dT%H%M%SZ}.json"
    out.parent.mkdir(exist_ok=True)
    figures = [asdict(figure) | {"median": figure.median} for figure in bench.figures]
    out.write_text(json.dumps({"machine": about, "figures": figures}, indent=1) + "\n", encoding="utf-8")
    print(
        f"\n{about['processor']}, {about['cores']} cores, load {about['load']:.1f} at the start.",
        f"\nStored: {out}",
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
