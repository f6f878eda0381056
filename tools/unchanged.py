"""Recomputes scenarios of all kinds: a change of code must not change their results.

`python tools/unchanged.py` compares with the stored results (status 1 if any differs); `--write` stores new
ones, after a change that is meant to change results. It compares the hash over all frames, the summary
and the series of the templates, the scenarios of tests and benchmarks, random scenarios, and the
short form of every study; for scenarios without a guest, the report.
"""

import argparse
import hashlib
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, cast

from airtcp.execution.cores import cores
from airtcp.execution.events import Done
from airtcp.execution.executors.executor import Job
from airtcp.execution.executors.local import LocalExecutor
from airtcp.execution.locate import find_kernel, find_runner
from airtcp.execution.progress import ProgressDisplay
from airtcp.execution.runner import Tools
from airtcp.execution.scene import ask_runner
from airtcp.execution.store import prepare_store
from airtcp.kernels.table import SERIES
from airtcp.plans.types.plan import Plan
from airtcp.scenario.compile.compiler import compile_any_file, compile_scenario
from airtcp.scenario.compile.scene_plan import ScenePlan
from airtcp.scenario.reading.scenario_file import scenario_from_tables
from airtcp.studies.cases import Plans, cases, quickened
from airtcp.studies.known_studies import study_folder, study_titles
from airtcp.studies.study import read_study
from crosscheck.airtcp_side import AirtcpUnavailable, plan_of
from crosscheck.cases import read_cases
from observation.scenarios import draw
from rich.console import Console

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "tests/unchanged.json"
FOLDERS = (
    "python/airtcp/templates",
    "tests/python/scenarios",
    "tools/bench",
    "examples/campaign",
    "examples/office-fading",
    "examples/two-cells",
)
NO_SCENARIOS = ("examples/campaign/queues.toml", "examples/office-fading/fading.toml")
CROSSCHECK = ROOT / "tools/crosscheck/grid.toml"
SCENE_S = 1.0
# Needs a kernel with a custom congestion control.
STUDIES_LEFT_OUT = ("shi2023",)
RANDOM_SEEDS = {name: range(1, series.random_scenarios + 1) for name, series in SERIES.items()}
HASH_CHARACTERS = 16

Results = dict[str, dict[str, str]]


def plans() -> Iterator[tuple[str, Plan | ScenePlan]]:
    """The jobs to compute, by stable names."""
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).glob("*.toml")):
            name = file.relative_to(ROOT).as_posix()
            if name not in NO_SCENARIOS:
                yield name, compile_any_file(file)
    for kernel, seeds in RANDOM_SEEDS.items():
        for seed in seeds:
            tables = draw(seed) | {"kernel": kernel}
            yield f"random {seed}, {kernel}", compile_scenario(scenario_from_tables(tables))
    for case in read_cases(CROSSCHECK):
        with suppress(AirtcpUnavailable):
            scene = case.scene.model_copy(update={"warmup_s": 0.1, "seconds": SCENE_S})
            yield f"crosscheck {case.name}", plan_of(scene, 1)
    for name in study_titles():
        if name in STUDIES_LEFT_OUT:
            continue
        study = quickened(read_study(study_folder(name)))
        of_study = Plans(study)
        work, _ = of_study.distinct(cases(study, (1,)))
        yield from ((f"{name}: {of_study.label(case)}", plan) for case, plan in work)


def compute(chosen: Mapping[str, Plan | ScenePlan], store: Path) -> Results:
    """The results by name."""
    scenes = {name: plan for name, plan in chosen.items() if "sources" in plan}
    jobs = [Job(name, cast(Plan, plan)) for name, plan in chosen.items() if name not in scenes]
    return {name: of_scene(plan) for name, plan in scenes.items()} | compute_runs(jobs, store)


def of_scene(plan: Mapping[str, Any]) -> dict[str, str]:
    """A short hash of the report of a scenario without a guest."""
    report = ask_runner(find_runner(), "air", plan, ("sources", "nics", "media"))
    return {"report": hashlib.sha256(json.dumps(report).encode()).hexdigest()[:HASH_CHARACTERS]}


def compute_runs(chosen: list[Job], store: Path) -> Results:
    """The results of each job by its label."""
    kernels = {series: find_kernel(series) for series in sorted({job.plan["kernel"] for job in chosen})}
    tools = Tools(find_runner(), kernels, prepare_store(store), fresh=True)
    display = ProgressDisplay(Console(stderr=True), [job.plan["duration_ns"] for job in chosen])
    found: Results = {}
    with display, closing(LocalExecutor(tools, cores()).outcomes(chosen, display)) as outcomes:
        for outcome in outcomes:
            if not isinstance(outcome.end, Done):
                raise outcome.end
            found[outcome.job.label] = results(outcome.end.folder)
    return found


def results(folder: Path) -> dict[str, str]:
    """Short hashes of a run's frames, summary, series and captures."""
    manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    files = {name: value for name, value in sorted(manifest["sha256"].items()) if name != "plan.json"}
    summary = files.pop("summary.json")
    series = hashlib.sha256(json.dumps(files).encode()).hexdigest()
    hashes = {"frames": manifest["frame_hash"], "summary": summary, "series": series}
    return {name: value[:HASH_CHARACTERS] for name, value in hashes.items()}


def differences(kept: Results, found: Results) -> list[str]:
    """A line for each scenario whose result changed."""
    lines = []
    for name in sorted(kept.keys() | found.keys()):
        before, now = kept.get(name), found.get(name)
        if before is None or now is None:
            lines.append(f"{name}: {'new' if before is None else 'no longer computed'}")
        elif moved := [what for what in now if now[what] != before.get(what)]:
            lines.append(f"{name}: {', '.join(moved)}")
    return lines


def main() -> int:
    """Exits with status 1 if any result differs from the stored one."""
    reading = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    reading.add_argument("--write", action="store_true", help="keep what was found")
    reading.add_argument("--only", default="", help="only scenarios whose name has this in it")
    asked = reading.parse_args()
    chosen = {name: plan for name, plan in plans() if asked.only in name}
    with tempfile.TemporaryDirectory(prefix="airtcp-unchanged-") as folder:
        found = compute(chosen, Path(folder) / "runs")
    whole: Results = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    kept = {name: value for name, value in whole.items() if asked.only in name}
    lines = differences(kept, found)
    if asked.write:
        left = whole if asked.only else {}
        KEPT.write_text(json.dumps({**left, **found}, indent=0, sort_keys=True) + "\n", encoding="utf-8")
    for line in lines:
        print(line)
    print(f"{len(found)} scenarios, {len(lines)} differ")
    return int(bool(lines) and not asked.write)


if __name__ == "__main__":
    sys.exit(main())
