"""`airtcp hostap-tests`: hostap's own tests in guests with radios."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from airtcp.cli.option_lists import words
from airtcp.cli.say import say
from airtcp.cli.suite_command import Junit, RunStore, SuiteProgress

if TYPE_CHECKING:
    from airtcp.hostap.selection import Selection
    from airtcp.hostap.suite import Suite
    from airtcp.hostap.suite_run import Ended

Folder = Annotated[
    Path,
    typer.Argument(metavar="FOLDER", help="hostap's folder, with its programs built.", show_default=False),
]
Tests = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[TEST]...",
        help="Modules such as ap_open, tests, module.test, or patterns of these; default: all.",
        show_default=False,
    ),
]
With = Annotated[
    str,
    typer.Option("--with", help="Also tests with these needs, for example eap,wps; --list names all needs."),
]
All = Annotated[bool, typer.Option("--all", help="Also tests that need what guests do not have.")]
List = Annotated[
    bool, typer.Option("--list", help="List the tests and why others are left out; run nothing.")
]
Guests = Annotated[
    int | None,
    typer.Option(
        "--guests", "--jobs", "-j", help="Guests at once; default: one per core. Results are the same."
    ),
]
Repeat = Annotated[
    int,
    typer.Option(
        "--repeat", min=1, help="Run all so often, and compare verdicts, reasons and times to the bit."
    ),
]
Seed = Annotated[int, typer.Option("--seed", help="Root of every random stream.")]
JsonFile = Annotated[
    Path | None, typer.Option("--json", help="Write results as one JSON object.", show_default=False)
]
Out = Annotated[Path, typer.Option("--out", help="Folder for what tests write, and logs of those that fail.")]


def hostap_tests(
    folder: Folder,
    tests: Tests = None,
    with_needs: With = "",
    all_tests: All = False,
    list_only: List = False,
    guests: Guests = None,
    repeat: Repeat = 1,
    seed: Seed = 1,
    junit: Junit = None,
    json_file: JsonFile = None,
    out: Out = Path("hostap-results"),
    store: RunStore = None,
) -> None:
    """Run hostap's own tests (tests/hwsim) unmodified, in guests with radios, on virtual time."""
    from airtcp.cli.hostap_tests_results import facts, show, show_list
    from airtcp.execution.cores import runs_at_once
    from airtcp.execution.events import RunFailed
    from airtcp.execution.locate import find_kernel, find_runner
    from airtcp.execution.runner import Tools
    from airtcp.hostap.batches import batches_of
    from airtcp.hostap.plan import Setting, batch_plan
    from airtcp.hostap.suite import check_built, find_suite
    from airtcp.hostap.suite_run import SuiteRun, compiled_modules
    from airtcp.suites.runs import Place, run_store

    at_once = runs_at_once(guests)
    suite = find_suite(folder)
    selection, dbus = _selection(suite, tests or [], with_needs, all_tests)
    if list_only:
        show_list(selection)
        return
    check_built(suite)
    batches = batches_of(selection.tests)
    setting = Setting(suite, seed, compiled_modules(suite))
    kernel = batch_plan(batches[0], setting)["kernel"]
    kernels = {kernel: find_kernel(kernel)}
    with run_store(store, out) as runs, SuiteProgress(len(batches)) as progress:
        place = Place(Tools(find_runner(), kernels, runs), at_once, out, store is not None)
        run = SuiteRun(batches, setting, place, dbus)
        ended = run.first(lambda one: progress.ended(*_how(one)))
        changed = run.again(ended, repeat, progress.repeated)
    results = [one for batch in ended for one in batch.results]
    if junit is not None:
        from airtcp.hostap.junit import junit_case
        from airtcp.suites.junit import write_junit

        write_junit("hostap", [junit_case(one) for one in results], junit)
    if json_file is not None:
        json_file.parent.mkdir(parents=True, exist_ok=True)
        json_file.write_text(json.dumps(facts(ended, changed, selection), indent=1), encoding="utf-8")
    show(ended, changed, repeat)
    say(f"Outputs and logs: {out}")
    if changed or any(one.is_unexplained for one in results):
        raise typer.Exit(RunFailed.exit_status)


def _how(batch: "Ended") -> tuple[str, int]:
    """How a batch has ended, and how many of its tests failed."""
    from airtcp.suites.verdict import Verdict

    failed = sum(one.verdict in (Verdict.FAILED, Verdict.KNOWN) for one in batch.results)
    return f"{batch.batch.label}: {len(batch.results)} tests, {failed} failed", failed


def _selection(
    suite: "Suite", tests: list[str], with_needs: str, all_tests: bool
) -> tuple["Selection", frozenset[str]]:
    """What is run, and the tests among it that need D-Bus."""
    from airtcp.errors import AirtcpError
    from airtcp.hostap.kept_needs import needs_by_test
    from airtcp.hostap.needs import checked_needs
    from airtcp.hostap.selection import Chosen, selection_of

    chosen = Chosen(tests, checked_needs(words(with_needs)), all_tests)
    found, needs = needs_by_test(suite.tests)
    selection = selection_of(found, needs, chosen)
    if not selection.tests:
        reasons = dict.fromkeys(need.name for left in selection.left_out.values() for need in left)
        raise AirtcpError("these tests are left out", "", f"Add --with {','.join(reasons)}, or --all")
    return selection, frozenset(
        name for name, own in needs.items() if any(need.name == "dbus" for need in own)
    )
