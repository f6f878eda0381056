"""`airtcp flent`: a whole test of Flent over a scenario, in virtual time."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from airtcp.cli.changes import Seed, Set, changes
from airtcp.cli.execute import DEFAULT_STORE, ExecutionOptions, Fresh, StallLimit, Store, execute
from airtcp.cli.say import say

if TYPE_CHECKING:
    from airtcp.flent.order import Order
    from airtcp.plans.types.plan import Plan

# The start of Python, with the libraries of plots, on a busy machine.
_STALL_S = 120
# Flent's data of an hour has some megabytes; a file beyond this stays in the run folder.
_OUTPUT_BYTES_MOST = 64 << 20

Test = Annotated[str, typer.Argument(help="Name of the test: flent --list-tests.", show_default=False)]
Options = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[FLENT OPTIONS]...", help="Options of Flent, as typed: -l 30 -t title.", show_default=False
    ),
]
ScenarioFile = Annotated[
    Path | None,
    typer.Option(
        "--scenario",
        help="Scenario file. Default: a laptop at home, and servers at 10, 30, 70 and 150 ms.",
        show_default=False,
    ),
]
From = Annotated[
    str | None,
    typer.Option("--from", help="Node in which Flent runs; default: the first station.", show_default=False),
]


def flent(
    test: Test,
    options: Options = None,
    scenario: ScenarioFile = None,
    client: From = None,
    seed: Seed = None,
    settings: Set = None,
    store: Store = DEFAULT_STORE,
    fresh: Fresh = False,
    stall_limit_s: StallLimit = _STALL_S,
) -> None:
    """Run a test of Flent over a scenario, in virtual time; Flent's data file is written here.

    Flent runs in a station, netserver and other servers in a host (-H NODE), the programs of this machine.
    Tests as rtt_fair, with a stream for each host, have all of them.
    """
    from airtcp.execution.executors.executor import Job
    from airtcp.execution.limits import Limits
    from airtcp.flent.order import order_of
    from airtcp.flent.plan import HOME_SCENARIO, longest_s
    from airtcp.scenario.compile.compiler import compile_file

    order = order_of(test, options or [])
    changed = {"duration": f"{longest_s(order):.0f} s", **changes(seed, settings)}
    plan = _planned(compile_file(scenario or HOME_SCENARIO, changed), order, client)
    job = Job(f"flent {test}", plan)
    limits = Limits(stall_limit_s, None)
    (done,) = execute([job], ExecutionOptions(store, None, fresh), limits)
    raise typer.Exit(_show(done.folder))


def _planned(plan: "Plan", order: "Order", client: str | None) -> "Plan":
    from airtcp.flent.plan import ends_of, flent_plan

    return flent_plan(plan, order, ends_of(plan, order, client))


def _show(folder: Path) -> int:
    """Prints what Flent has said, and copies what it has written; returns its exit status."""
    from airtcp.data.json_file import read_json
    from airtcp.errors import AirtcpError
    from airtcp.flent.plan import FOLDER, PROGRAM
    from airtcp.input_file import read_input
    from airtcp.visible_text import visible

    programs = folder / "programs"
    for end in ("out", "err"):
        text = read_input(programs / f"{PROGRAM}.{end}", _OUTPUT_BYTES_MOST, follow=False).decode(
            errors="replace"
        )
        for line in text.splitlines():
            say(visible(line), err=end == "err")
    files = [file for file in sorted((programs / FOLDER).rglob("*")) if _is_plain(file)]
    for written in files:
        copy = written.relative_to(programs / FOLDER)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(written, copy)
        say(f"File: {copy}")
    say(f"Run folder: {folder}")
    ends = read_json(folder / "summary.json", ("agent",))["agent"]["programs"]
    status = next(one["status"] for one in ends if one["name"] == PROGRAM)
    if status is None:
        remedy = "See its output in programs/ of the run folder"
        raise AirtcpError("Flent did not end in twice the time of its test", str(folder), remedy)
    if status == 0 and not files:
        # Flent takes the name of a test that it does not know for that of a host, and ends with 0.
        raise AirtcpError("Flent has measured nothing", str(folder), "Tests: flent --list-tests")
    return int(status)


def _is_plain(file: Path) -> bool:
    return file.is_file() and not file.is_symlink()
