"""`airtcp measure`: runs scenarios on real machines."""

import shutil
import signal
import threading
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from airtcp.cli.changes import Seed, Set, changes
from airtcp.cli.execute import DEFAULT_STORE, Store
from airtcp.cli.run_result import Shown, show_run
from airtcp.cli.say import say
from airtcp.visible_text import visible

if TYPE_CHECKING:
    from airtcp.measurement.experiment import Experiment
    from airtcp.measurement.lab_file import LabFile
    from airtcp.measurement.schedule import ScheduledRun

Files = Annotated[list[Path], typer.Argument(help="Scenario files (TOML).", show_default=False)]
Lab = Annotated[
    Path, typer.Option("--lab", help="Lab file (TOML): which machine is which node.", show_default=False)
]
Reps = Annotated[int, typer.Option("--reps", min=1, help="Runs per scenario, with seeds in a row.")]
Pause = Annotated[float, typer.Option("--pause-s", min=0, help="Seconds between two runs.")]
WarmUp = Annotated[
    int, typer.Option("--warm-up", min=0, help="Runs before the first one, which are not kept.")
]
InOrder = Annotated[
    bool, typer.Option("--in-order", help="Runs in the order of the files, not in a random one.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done, connect to nothing.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object per run.")]


def measure(
    files: Files,
    lab: Lab,
    seed: Seed = None,
    settings: Set = None,
    store: Store = DEFAULT_STORE,
    reps: Reps = 1,
    pause_s: Pause = 1.0,
    warm_up: WarmUp = 0,
    in_order: InOrder = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Measure a real network: run scenarios on the machines of a lab, and show a summary of the results."""
    from airtcp.data.groups import keep_groups
    from airtcp.measurement.lab_file import read_lab
    from airtcp.measurement.real_plan import check_lab
    from airtcp.measurement.schedule import scheduled_runs
    from airtcp.scenario.reading.scenario_groups import groups_of_file

    machines, changed = read_lab(lab), changes(seed, settings)
    runs = scheduled_runs(files, changed, reps, shuffled=not in_order)
    left = [line for run in runs for line in check_lab(run.plan, machines, lab)]
    for line in dict.fromkeys(left):
        say(f"not measured: {line}", err=True)
    if dry_run:
        _show_dry_run(runs, machines)
        return
    # Each is shown when it is there: whatever happens to the next ones.
    for number, (run, folder) in enumerate(_measured([*runs[:1] * warm_up, *runs], machines, store, pause_s)):
        if number < warm_up:
            # It is the first run's scenario and seed, and no repetition of it.
            shutil.rmtree(folder)
        else:
            keep_groups(folder, groups_of_file(run.file, changed))
            show_run(run.label, folder, Shown(as_json))


def _show_dry_run(runs: "list[ScheduledRun]", machines: "LabFile") -> None:
    from airtcp.measurement.dry_run import dry_run_lines

    shown: dict[Path, ScheduledRun] = {}
    for run in runs:
        shown.setdefault(run.file, run)
    for run in shown.values():
        say(f"{run.plan['name']}: {run.plan['duration_ns'] / 1e9:g} s")
        for line in dry_run_lines(run.plan, machines):
            say(line)


def _measured(
    runs: "list[ScheduledRun]", machines: "LabFile", store: Path, pause_s: float
) -> "Iterator[tuple[ScheduledRun, Path]]":
    """The runs as they are measured, with their folders; after a stop by hand there are fewer."""
    from airtcp.execution.locate import find_agent
    from airtcp.execution.store import prepare_store
    from airtcp.measurement.experiment import Experiment
    from airtcp.measurement.laboratory import connected, prepare, require_controls, settings_of

    folder, agent, stopped = prepare_store(store), find_agent(), _stops_by_hand()
    begun = 0
    for _, group in groupby(runs, lambda run: settings_of(run.plan, machines)):
        with connected(machines, agent, _say) as laboratory:
            for run in group:
                if stopped.wait(pause_s if begun else 0):
                    return
                require_controls(laboratory, run.plan)
                if not laboratory.prepared:
                    prepare(laboratory, run.plan)
                begun += 1
                label = f"[{begun}/{len(runs)}] {run.label}"
                yield run, _one(Experiment(laboratory, run.plan, folder, stopped, _say), label)


def _say(line: str) -> None:
    say(line, err=True)


def _stops_by_hand() -> threading.Event:
    """Set by Ctrl-C: the run ends with what was measured; a second Ctrl-C ends the command at once."""
    stopped, handler = threading.Event(), signal.getsignal(signal.SIGINT)
    if handler is signal.SIG_IGN:
        # The parent process wants it to be ignored (background jobs of a shell).
        return stopped

    def stop(number: int, frame: FrameType | None) -> None:
        if stopped.is_set() and callable(handler):
            handler(number, frame)
        stopped.set()
        say("Ends the run, and keeps what was measured; Ctrl-C again to keep nothing.", err=True)

    signal.signal(signal.SIGINT, stop)
    return stopped


def _one(experiment: "Experiment", label: str) -> Path:
    from rich.console import Console
    from rich.markup import escape

    length_s, label = experiment.plan["duration_ns"] / 1e9, escape(visible(label))
    with Console(stderr=True).status(f"{label}: starts") as status:

        def show(now_s: float) -> None:
            status.update(f"{label}: {now_s:.0f} of {length_s:g} s")

        return experiment.run(show)
