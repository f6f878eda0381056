"""A campaign as a Slurm job array: a folder of plans, and a script whose tasks run them."""

import json
import os
import shlex
import shutil
import sys
from pathlib import Path

from airtcp.campaign.schedule import Schedule
from airtcp.errors import AirtcpError
from airtcp.execution.limits import NO_LIMITS, Limits
from airtcp.execution.store import prepare_store

PLANS = "plans"
SCRIPT = "array.sh"
MARK = "batch.json"
# Slurm refuses larger arrays unless its MaxArraySize (slurm.conf, 1001 by default) says more.
TASKS_MOST = 1000


def write_batch(schedule: Schedule, store: Path, folder: Path, limits: Limits = NO_LIMITS) -> Path | None:
    """Writes the plans of missing runs and the script that runs them; `None` if no run is missing.

    Every node of the cluster must see the folder and the store at the same path. A folder written by an
    earlier call is replaced.
    """
    if not schedule.missing:
        return None
    _clear(folder)
    place = prepare_store(store)
    try:
        plans = folder / PLANS
        plans.mkdir(parents=True)
        for number, run in enumerate(schedule.missing):
            (plans / f"{number:06d}.json").write_text(json.dumps(run.plan), encoding="utf-8")
        script = folder / SCRIPT
        script.write_text(_script(schedule, place, folder.resolve(), limits), encoding="utf-8")
        script.chmod(0o755)
        (folder / MARK).write_text(json.dumps({"runs": len(schedule.missing)}) + "\n", encoding="utf-8")
    except OSError as error:
        raise AirtcpError(
            f"can't be written: {error.strerror}", str(folder), "Choose another folder"
        ) from None
    return script


def _clear(folder: Path) -> None:
    if not folder.exists():
        return
    if not folder.is_dir() or (any(folder.iterdir()) and not (folder / MARK).is_file()):
        raise AirtcpError(
            "exists and was not written by --batch", str(folder), "Choose another folder with --batch"
        )
    shutil.rmtree(folder)


def _script(schedule: Schedule, store: Path, folder: Path, limits: Limits) -> str:
    """Task N runs plans N, N + tasks, ...: similar runs, which take equally long, go to different tasks."""
    runs = len(schedule.missing)
    tasks = min(runs, TASKS_MOST)
    airtcp = f"{shlex.quote(sys.executable)} -m airtcp"
    options = shlex.join(["--jobs", "1", *limits.options()])
    return f"""#!/bin/bash
#SBATCH --job-name={_job_name(schedule.study.name)}
#SBATCH --array=0-{tasks - 1}
#SBATCH --cpus-per-task=1
#SBATCH --output={folder}/task-%a.log

# Limits of time and memory, partition and account are the cluster's: add #SBATCH lines, or options of sbatch.
{_settings()}status=0
for ((run = SLURM_ARRAY_TASK_ID; run < {runs}; run += {tasks})); do
    plan=$(printf '%s/%06d.json' {shlex.quote(str(folder / PLANS))} "$run")
    # A failed run doesn't end its task.
    {airtcp} run "$plan" --store {shlex.quote(str(store))} {options} || status=$?
done
exit "$status"
"""


def _settings() -> str:
    """Environment variables for the tasks: sbatch may be configured not to pass them on."""
    names = [name for name in ("AIRTCP_RUNNER", "AIRTCP_KERNELS", "PYTHONPATH") if os.environ.get(name)]
    return "".join(f"export {name}={shlex.quote(_absolute(os.environ[name]))}\n" for name in names)


def _absolute(paths: str) -> str:
    return os.pathsep.join(str(Path(path).absolute()) for path in paths.split(os.pathsep) if path)


def _job_name(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in name)
