"""`airtcp packetdrill`: packetdrill's scripts in guests."""

import json
from pathlib import Path
from typing import Annotated

import typer

from airtcp.cli.execute import Jobs
from airtcp.cli.option_lists import words
from airtcp.cli.say import say
from airtcp.cli.suite_command import Junit, SuiteProgress
from airtcp.kernels.table import DEFAULT_KERNEL

Paths = Annotated[
    list[Path], typer.Argument(metavar="PATH...", help="Scripts, or folders of them.", show_default=False)
]
Ip = Annotated[
    str, typer.Option("--ip", help="IP versions: ipv4,ipv6,ipv4-mapped-ipv6. Default: all of the suite.")
]
Hz = Annotated[
    int | None,
    typer.Option("--hz", help="Timer frequency of the kernel: 100, 250, 300 or 1000; default: 250."),
]
Kernel = Annotated[str, typer.Option("--kernel", help="Kernel: 6.12, 7.2, or your own name.")]
Tolerance = Annotated[
    str, typer.Option("--tolerance", help="Tolerances of times: given by the scripts, or a tenth of them.")
]
Program = Annotated[
    Path | None,
    typer.Option(
        "--packetdrill",
        help="The program. Default: as built beside the scripts, or installed.",
        show_default=False,
    ),
]
Only = Annotated[
    list[str] | None,
    typer.Option("--only", help="Only scripts with this in their name, or of this pattern; several times."),
]
Repeat = Annotated[
    int, typer.Option("--repeat", min=1, help="Run all so often, and compare outputs and times to the bit.")
]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Print each packet and system call too.")]
Out = Annotated[Path, typer.Option("--out", help="Folder for what the scripts print.")]
RunStore = Annotated[
    Path | None,
    typer.Option(
        "--store", help="Keep the runs in this folder, and do not repeat them. Default: they are removed."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def packetdrill(
    paths: Paths,
    ip: Ip = "",
    hz: Hz = None,
    kernel: Kernel = DEFAULT_KERNEL,
    tolerance: Tolerance = "given",
    program: Program = None,
    jobs: Jobs = None,
    only: Only = None,
    junit: Junit = None,
    repeat: Repeat = 1,
    verbose: Verbose = False,
    out: Out = Path("packetdrill-results"),
    store: RunStore = None,
    as_json: Json = False,
) -> None:
    """Run packetdrill's scripts unmodified, each in a guest of its own, on virtual time."""
    from airtcp.cli.packetdrill_results import facts, show
    from airtcp.execution.cores import runs_at_once
    from airtcp.execution.events import RunFailed
    from airtcp.execution.locate import find_kernel, find_runner
    from airtcp.execution.runner import Tools
    from airtcp.packetdrill.binary import find_binary
    from airtcp.packetdrill.plan import Setting, case_plan
    from airtcp.packetdrill.scripts import find_scripts
    from airtcp.packetdrill.suite_run import SuiteRun
    from airtcp.packetdrill.variants import cases_of, checked_versions
    from airtcp.suites.known import Conditions
    from airtcp.suites.runs import Place, run_store

    at_once = runs_at_once(jobs)
    scripts = find_scripts(paths, only or [])
    cases = cases_of(scripts, checked_versions(words(ip)), tolerance)
    setting = Setting(find_binary(program, scripts), kernel, hz, verbose)
    # A mistake in the options is one of the first case.
    name = case_plan(cases[0], setting)["kernel"]
    conditions = Conditions.of_kernel(name, tolerance)
    kernels = {name: find_kernel(name)}
    with run_store(store, out) as runs, SuiteProgress(len(cases)) as progress:
        place = Place(Tools(find_runner(), kernels, runs), at_once, out, store is not None)
        suite = SuiteRun(cases, setting, place, conditions)
        results = suite.first(
            lambda one: progress.ended(f"{one.case.label}: {one.verdict.value}", one.is_unexpected)
        )
        changed = suite.again(results, repeat, progress.repeated)
    if junit is not None:
        from airtcp.packetdrill.junit import junit_case
        from airtcp.suites.junit import write_junit

        write_junit("packetdrill", [junit_case(one) for one in results], junit)
    if as_json:
        say(json.dumps(facts(results, changed, conditions)))
    else:
        show(results, changed, repeat)
        say(f"Outputs: {out}")
    if changed or any(one.is_unexpected for one in results):
        raise typer.Exit(RunFailed.exit_status)
