"""`airtcp study NAME --data FOLDER`: a study of recordings of others."""

import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp.cli.execute import ExecutionOptions, execute
from airtcp.cli.say import say
from airtcp.errors import AirtcpError

if TYPE_CHECKING:
    from airtcp.data.run_folder import Run
    from airtcp.execution.executors.executor import Job
    from airtcp.recorded.known import RecordedStudy
    from airtcp.scenario.compile.scene_plan import ScenePlan


def compute_recorded(
    study: "RecordedStudy", data: Path | None, out: Path | None, options: ExecutionOptions
) -> None:
    """Computes the study from the recordings in a folder, shows it, and writes its report."""
    from airtcp.cli.study_output import show_study
    from airtcp.recorded.recorded_report import write_recorded
    from airtcp.recorded.recorded_study import Work, judged
    from airtcp.report.folder import check_output

    about = study.about
    if data is None and about.data:
        raise AirtcpError("needs its recordings", about.name, f"Give --data FOLDER: {about.data}")
    if data is not None and not data.is_dir():
        raise AirtcpError("there is no such folder", f"--data {data}", f"It is {about.data}")
    folder = out or Path("reports") / about.name
    check_output(folder)
    found = study.compute(
        data or Path(), Work(lambda jobs: _runs(jobs, options), lambda plans: _scenes(plans, options))
    )
    claims = judged(about, found.values)
    write_recorded(about, found, claims, folder, f"airtcp {shlex.join(sys.argv[1:])}")
    show_study(found.tables, "Claims", claims, [*about.notes, *found.notes], folder)


def _runs(jobs: "Sequence[Job]", options: ExecutionOptions) -> "list[Run]":
    from airtcp.data.run_folder import open_run

    return [open_run(Path(done.folder)) for done in execute(jobs, options)]


def _scenes(plans: "Sequence[ScenePlan]", options: ExecutionOptions) -> list[Mapping[str, Any]]:
    """Scenes take a second or less each: they are computed side by side, with their number as progress."""
    from concurrent.futures import ThreadPoolExecutor

    from airtcp.execution.cores import runs_at_once
    from airtcp.execution.locate import find_runner
    from airtcp.execution.scene import run_scene
    from airtcp.execution.store import prepare_store

    runner, store = find_runner(), prepare_store(options.store)
    say(f"{len(plans)} scenes of the air", err=True)
    with ThreadPoolExecutor(runs_at_once(options.jobs)) as pool:
        return [report for _, report in pool.map(lambda plan: run_scene(runner, plan, store), plans)]
