"""The cost of campaigns besides their runs: a cached campaign of many runs, and the scheduling of each run.

It also measures the gain of a second worker."""

import json
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from airtcp.campaign.cache_keys import number_key
from airtcp.campaign.campaign import metrics_of, read_campaign
from airtcp.campaign.listener import CampaignListener
from airtcp.campaign.schedule import Request, Schedule, make_schedule
from airtcp.campaign.shared_file import FOLDER, SharedFile
from airtcp.execution.cores import cores, cores_for, pin
from airtcp.execution.executors.local import LocalExecutor
from airtcp.execution.locate import find_kernel, find_runner
from airtcp.execution.runner import Tools
from airtcp.kernels.table import DEFAULT_KERNEL
from airtcp.quantities.metric_file import MetricFile

CAMPAIGN = Path(__file__).resolve().parents[1] / "examples" / "campaign" / "queues.toml"
WHISKERS = 'whiskers = "interval"\n'
# A runner without work: what remains is the overhead of each run.
_IDLE_RUNNER = """#!/bin/sh
echo '{"event":"done","run":"0","folder":"/","cached":false,"wall_s":0,"cpu_s":0,"virtual_s":1}'
"""


@dataclass(frozen=True)
class CampaignCost:
    """Seconds of a campaign of `runs` runs that are all in the store, and of each run's scheduling."""

    runs: int
    cached_s: float
    cached_again_s: float
    compile_ms: float
    dispatch_ms: float


def campaign_costs(dispatched: int = 200) -> CampaignCost:
    """Measures with made-up run folders; compiling and dispatching without the start of a guest."""
    with tempfile.TemporaryDirectory(prefix="airtcp-bench-") as folder:
        store = Path(folder) / "runs"
        store.mkdir()
        file = large_campaign(Path(folder))
        begin = time.process_time()
        schedule = make_schedule(read_campaign(file), Request(store))
        compile_ms = (time.process_time() - begin) * 1e3 / len(schedule.missing)
        make_up(schedule, store)
        command = [sys.executable, "-m", "airtcp", "sweep", str(file), "--store", str(store)]
        command += ["--out", str(Path(folder) / "report"), "--quiet"]
        first, second = wall_s(command), wall_s(command)
        dispatch_ms = dispatch_cost_ms(schedule, Path(folder), dispatched)
    return CampaignCost(len(schedule.cases), first, second, compile_ms, dispatch_ms)


@dataclass(frozen=True)
class CampaignTime:
    """Seconds from the first run's start to the last one's end, and of the whole command with its report."""

    runs_s: float
    whole_s: float


@dataclass(frozen=True)
class TwoWorkers:
    """Speed-up of two workers over one: for the runs of a campaign, and for the command with its report.

    For comparison it runs runners without a campaign, which gives the limit of the machine."""

    runs: float
    whole: float
    bare: float


def two_workers_gain(rounds: int) -> list[TwoWorkers]:
    """A campaign of 36 runs of 60 virtual seconds, as long as those of the studies; two have 18 each.

    The two alternate, so that other work on the machine affects both."""
    with tempfile.TemporaryDirectory(prefix="airtcp-bench-") as folder:
        file = altered_campaign(Path(folder), {'"5 s"': '"60 s"', "reps = 3": "reps = 4"})
        gains = []
        for number in range(rounds):
            one, two = (computed(file, Path(folder) / f"{number}-{jobs}", jobs) for jobs in (1, 2))
            plan = next(Path(folder, f"{number}-1").glob("*/plan.json"))
            bare = 2 * bare_runs_s(plan, 1) / bare_runs_s(plan, 2)
            gains.append(TwoWorkers(one.runs_s / two.runs_s, one.whole_s / two.whole_s, bare))
    return gains


def bare_runs_s(plan: Path, at_once: int) -> float:
    """Wall time of this many series of ten runs, each series on a core, without reading the results."""
    command = [str(find_runner()), "run", "--kernel", str(find_kernel(DEFAULT_KERNEL))]
    command += ["--plan", str(plan), "--fresh"]

    def row(core: int | None) -> None:
        pin(core)
        with tempfile.TemporaryDirectory(prefix="airtcp-bench-") as store:
            for _ in range(10):
                subprocess.run([*command, "--store", store], check=True, stdout=subprocess.DEVNULL)

    begin = time.monotonic()
    with ThreadPoolExecutor(at_once) as rows:
        list(rows.map(row, cores_for(cores())[:at_once]))
    return time.monotonic() - begin


def computed(file: Path, store: Path, jobs: int) -> CampaignTime:
    """Wall time of a campaign with a new store."""
    command = [sys.executable, "-m", "airtcp", "sweep", str(file), "--store", str(store), "--jobs", str(jobs)]
    command += ["--out", str(store.with_suffix(".report")), "--json"]
    begin = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as campaign:
        told = [(json.loads(line)["event"], time.monotonic()) for line in campaign.stdout or ()]
    if campaign.returncode:
        raise subprocess.CalledProcessError(campaign.returncode, command)
    instants = {kind: [at for event, at in told if event == kind] for kind in ("started", "done")}
    return CampaignTime(instants["done"][-1] - instants["started"][0], time.monotonic() - begin)


def large_campaign(folder: Path) -> Path:
    """The example's campaign with 667 queue sizes in place of 3, and 5 seeds: 10,005 runs."""
    sizes = ", ".join(f'"{size} packets"' for size in range(10, 677))
    more = {'"20 packets", "50 packets", "100 packets"': sizes, "reps = 3": "reps = 5"}
    # A bar chart with one bar per size would be unreadable.
    return altered_campaign(folder, more | {'kind = "bars"': 'kind = "lines"', WHISKERS: ""})


def altered_campaign(folder: Path, changes: dict[str, str]) -> Path:
    """The example's campaign in a new folder, with some texts replaced."""
    shutil.copy(CAMPAIGN.with_name("base.toml"), folder)
    text = CAMPAIGN.read_text(encoding="utf-8")
    for old, new in changes.items():
        text = text.replace(old, new)
    file = folder / CAMPAIGN.name
    file.write_text(text, encoding="utf-8")
    return file


def wall_s(command: list[str]) -> float:
    """Wall time of a command."""
    begin = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - begin


def make_up(schedule: Schedule, store: Path) -> None:
    """Run folders with complete manifests, and the store's index entries of runs that have been read."""
    study = schedule.study
    files = [
        SharedFile(store / FOLDER / "numbers" / f"{number_key(study.metric(name))}.json")
        for name in metrics_of(study)
    ]
    about = SharedFile(store / FOLDER / "numbers" / f"{number_key(MetricFile(of='about the run'))}.json")
    for number, case in enumerate(schedule.cases):
        run = f"{number:016x}"
        (store / run).mkdir()
        (store / run / "manifest.json").write_text("{}", encoding="utf-8")
        schedule.index.add(case, run, DEFAULT_KERNEL)
        for file in files:
            file.add(run, number % 97 / 10)
        about.add(run, [{}, []])
    schedule.index.save()
    for file in (*files, about):
        file.save()


def dispatch_cost_ms(schedule: Schedule, folder: Path, count: int) -> float:
    """Wall time per run of a runner without work, on one core."""
    runner = folder / "runner"
    runner.write_text(_IDLE_RUNNER, encoding="utf-8")
    runner.chmod(0o755)
    executor = LocalExecutor(Tools(runner, {DEFAULT_KERNEL: folder}, folder), 1)
    pending = (schedule.missing * (count // len(schedule.missing) + 1))[:count]
    begin = time.monotonic()
    with closing(executor.outcomes(schedule.jobs(pending), CampaignListener())) as outcomes:
        for _ in outcomes:
            pass
    return (time.monotonic() - begin) * 1e3 / count
