"""`airtcp kernel test`: the kernel's self-tests in guests."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from airtcp.cli.execute import Jobs
from airtcp.cli.say import say
from airtcp.cli.status_line import StatusLine
from airtcp.cli.suite_command import REASON_CHARACTERS, Junit, RunStore, SuiteProgress
from airtcp.kernels.table import DEFAULT_KERNEL

if TYPE_CHECKING:
    from airtcp.selftests.result import Result

Folders = Annotated[
    list[str],
    typer.Argument(
        metavar="FOLDER...",
        help="Folders below tools/testing/selftests: net/mptcp tc-testing.",
        show_default=False,
    ),
]
Source = Annotated[
    Path,
    typer.Option(
        "--source",
        help="The source of Linux, whose self-tests are built; or a folder that make kselftest-install made.",
        show_default=False,
    ),
]
Kernel = Annotated[
    str, typer.Option("--kernel", help="Kernel: 6.12, 7.2, or your own name; in its flavour lab.")
]
Only = Annotated[
    list[str] | None,
    typer.Option("--only", help="Only tests with this in their name, or of this pattern; several times."),
]
Out = Annotated[Path, typer.Option("--out", help="Folder for what the tests print.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def run_selftests(
    folders: Folders,
    source: Source,
    kernel: Kernel = DEFAULT_KERNEL,
    jobs: Jobs = None,
    only: Only = None,
    junit: Junit = None,
    out: Out = Path("selftest-results"),
    store: RunStore = None,
    as_json: Json = False,
) -> None:
    """Run self-tests of the kernel unmodified, each in a lab guest of its own, on virtual time."""
    from airtcp.execution.cores import runs_at_once
    from airtcp.execution.events import RunFailed
    from airtcp.execution.locate import find_kernel, find_runner
    from airtcp.execution.runner import Tools
    from airtcp.selftests.installed import build, find_tests, is_installed
    from airtcp.selftests.needed_options import missing_options
    from airtcp.selftests.plan import selftest_plan
    from airtcp.selftests.run import run_tests
    from airtcp.suites.runs import Place, run_store

    with StatusLine("building the self-tests"):
        root = source if is_installed(source) else build(source, folders)
    tests = find_tests(root, folders, only or [])
    name = selftest_plan(tests[0], kernel)["kernel"]
    found = find_kernel(name)
    missing = {folder: lacks for folder in folders if (lacks := missing_options(found, root / folder))}
    with run_store(store, out) as runs, SuiteProgress(len(tests)) as progress:
        tools = Tools(find_runner(), {name: found}, runs, fresh=True)
        place = Place(tools, runs_at_once(jobs), out, store is not None)
        results = run_tests(
            tests,
            kernel,
            place,
            lambda one: progress.ended(f"{one.test.label}: {one.verdict.value}", one.is_unexpected),
        )
    if junit is not None:
        from airtcp.selftests.junit import junit_case
        from airtcp.suites.junit import write_junit

        write_junit("kselftest", [junit_case(one) for one in results], junit)
    if as_json:
        say(json.dumps(facts(results, name, missing)))
    else:
        _show(results, name, missing)
        say(f"Outputs: {out}")
    if any(one.is_unexpected for one in results):
        raise typer.Exit(RunFailed.exit_status)


def facts(results: Sequence["Result"], kernel: str, missing: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """The results as one object."""
    return {
        "kernel": kernel,
        "missing_options": dict(missing),
        "totals": dict(Counter(one.verdict.value for one in results)),
        "cpu_s": round(sum(one.cpu_s for one in results), 3),
        "tests": [
            {
                "folder": one.test.folder,
                "test": one.test.name,
                "verdict": one.verdict.value,
                "status": one.ending.status,
                "steps": dict(one.counts),
                "reason": one.reason,
                "known": one.known,
                "end_s": one.ending.end_ns / 1e9,
            }
            for one in results
        ],
    }


def _show(results: Sequence["Result"], kernel: str, missing: Mapping[str, Sequence[str]]) -> None:
    from airtcp.cli.output import Output
    from airtcp.report.table import Table
    from airtcp.suites.verdict import Verdict

    output = Output()
    for verdict, title in (
        (Verdict.FAILED, "Failures"),
        (Verdict.SKIPPED, "Skipped"),
        (Verdict.KNOWN, "Failed as known"),
        (Verdict.PASSED_ALL_THE_SAME, "Passed, though known to fail"),
    ):
        alike = [one for one in results if one.verdict is verdict]
        if alike:
            table = Table(title, ["test", "steps passed", "reason"], left=["reason"])
            for one in alike:
                table.add(one.test.label, _passed(one), (one.known or one.reason)[:REASON_CHARACTERS])
            output.table(table)
    for folder, options in missing.items():
        output.line(f"{folder} asks for what {kernel} has not: {' '.join(options)}")
    counts = Counter(one.verdict.value for one in results)
    end_s, cpu_s = sum(one.ending.end_ns for one in results) / 1e9, sum(one.cpu_s for one in results)
    output.heading(
        f"{len(results)} tests: {', '.join(f'{number} {name}' for name, number in counts.items())}; "
        f"{end_s:.1f} s of virtual time, {cpu_s:.1f} s of computing"
    )


def _passed(result: "Result") -> str:
    counts = result.counts
    return f"{counts['pass']} of {counts.total()}" if counts else "-"
