"""Computes ten scenarios repeatedly under load: all results of a scenario must be identical to the byte.

`python tools/repeat_runs.py [REPETITIONS]` (default 200). Each repetition uses a new store. It compares
the hash over all frames and the checksum of every result file.
"""

import json
import multiprocessing
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from airtcp.execution.cores import cores
from airtcp.execution.events import Done
from airtcp.execution.executors.executor import Job
from airtcp.execution.executors.local import LocalExecutor
from airtcp.execution.locate import find_kernel, find_runner
from airtcp.execution.progress import ProgressDisplay
from airtcp.execution.runner import Tools
from airtcp.execution.store import prepare_store
from airtcp.plans.types.plan import Plan
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.reading.assignment import assign
from airtcp.scenario.reading.scenario_file import scenario_from_tables
from airtcp.scenario.reading.toml_file import parse_toml
from rich.console import Console

ROOT = Path(__file__).resolve().parents[1]
REPETITIONS = 200
# Scenarios of many kinds, and the virtual seconds after which their flows compete.
SCENARIOS = (
    ("studies/aoyagi2023/one-client.toml", 3),
    ("studies/aoyagi2023/fairness.toml", 12),
    ("studies/khademi2011/uplink.toml", 4),
    ("studies/alakoca2015/three-hops.toml", 1),
    ("studies/taank-peng/e.toml", 7),
    ("studies/presets/nguyen2020/link.toml", 1.3),
    ("studies/presets/grazia2020/uplink.toml", 3),
    ("studies/presets/hoiland2015/wifi.toml", 4),
    ("studies/presets/yang2022/four-flows.toml", 3),
    ("examples/campaign/base.toml", 2),
)


def plan_of(file: str, seconds: float) -> Plan:
    """The scenario with this duration."""
    tables = parse_toml((ROOT / file).read_text(encoding="utf-8"))
    assign(tables, "duration", f"{seconds} s")
    return compile_scenario(scenario_from_tables(tables))


def burn() -> None:
    """Keeps a core busy."""
    while True:
        pass


@contextmanager
def load() -> Iterator[None]:
    """Keeps all cores busy besides the runs."""
    burners = [multiprocessing.Process(target=burn, daemon=True) for _ in range(cores())]
    for burner in burners:
        burner.start()
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()


def fingerprint(folder: Path) -> tuple[str, ...]:
    """The hash over all frames, and the checksum of every result."""
    manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return (
        manifest["frame_hash"],
        *(f"{name} {value}" for name, value in sorted(manifest["sha256"].items())),
    )


def repeat(plans: dict[str, Plan], repetitions: int) -> dict[str, dict[tuple[str, ...], int]]:
    """For each scenario, how often each fingerprint occurred."""
    found: dict[str, dict[tuple[str, ...], int]] = defaultdict(lambda: defaultdict(int))
    jobs = [Job(file, plan) for file, plan in plans.items()]
    kernels = {series: find_kernel(series) for series in {plan["kernel"] for plan in plans.values()}}
    for number in range(repetitions):
        with tempfile.TemporaryDirectory(prefix="airtcp-repeat-") as folder:
            store = prepare_store(Path(folder) / "runs")
            display = ProgressDisplay(Console(quiet=True), [plan["duration_ns"] for plan in plans.values()])
            executor = LocalExecutor(Tools(find_runner(), kernels, store), cores())
            with display, closing(executor.outcomes(jobs, display)) as outcomes:
                for outcome in outcomes:
                    if not isinstance(outcome.end, Done):
                        raise outcome.end
                    found[outcome.job.label][fingerprint(outcome.end.folder)] += 1
                    shutil.rmtree(outcome.end.folder)
        if (number + 1) % 10 == 0:
            print(f"{number + 1} of {repetitions} repetitions", file=sys.stderr, flush=True)
    return found


def main() -> int:
    """Exits with status 1 if any results differ."""
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else REPETITIONS
    with load():
        found = repeat({file: plan_of(file, seconds) for file, seconds in SCENARIOS}, repetitions)
    for file, fingerprints in found.items():
        times = ", ".join(str(count) for count in fingerprints.values())
        print(f"{file:45} {len(fingerprints)} different of {sum(fingerprints.values())} ({times})")
    return int(any(len(fingerprints) != 1 for fingerprints in found.values()))


if __name__ == "__main__":
    sys.exit(main())
