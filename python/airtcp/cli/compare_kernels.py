"""`airtcp compare-kernels`: scenarios with two kernels, and what differs."""

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from airtcp.cli.execute import DEFAULT_STORE, ExecutionOptions, Jobs, StallLimit, Store, WallLimit, execute
from airtcp.cli.option_lists import words
from airtcp.cli.say import say

if TYPE_CHECKING:
    from airtcp.report.comparison.kernels import KernelComparison

First = Annotated[
    str, typer.Argument(metavar="A", help="A kernel: 6.12, 7.2, or your own name.", show_default=False)
]
Second = Annotated[
    str, typer.Argument(metavar="B", help="The kernel to compare with it.", show_default=False)
]
Files = Annotated[list[Path], typer.Argument(help="Scenario files (TOML).", show_default=False)]
Reps = Annotated[
    int, typer.Option("--reps", min=2, help="Runs of each scenario with each kernel: seeds 1, 2, ...")
]
Values = Annotated[
    str, typer.Option("--values", help="Quantities, as throughput,rtt.p95. Default: all usual ones.")
]
Out = Annotated[
    Path | None,
    typer.Option("--out", help="Folder of text, page and CSV; or one page: a name that ends in .html."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def compare_kernels(
    a: First,
    b: Second,
    files: Files,
    reps: Reps = 10,
    values: Values = "",
    store: Store = DEFAULT_STORE,
    out: Out = None,
    jobs: Jobs = None,
    stall_limit_s: StallLimit = None,
    wall_limit_s: WallLimit = None,
    as_json: Json = False,
) -> None:
    """Run scenarios with two kernels on the same seeds, and show what differs."""
    from airtcp.campaign.kernel_runs import kernel_notes, kernel_runs
    from airtcp.execution.limits import Limits
    from airtcp.quantities.named_number import numbers_named
    from airtcp.report.comparison import kernels
    from airtcp.report.comparison.kernels import KERNEL_VALUES, RunOf

    is_page = out is not None and out.suffix == ".html"
    _check(out, is_page)
    wanted = [number.name for number in numbers_named(words(values) or KERNEL_VALUES, "--values")]
    runs = kernel_runs((a, b), files, range(1, reps + 1), store)
    for note in kernel_notes(files):
        say(f"note: {note}", err=True)
    ends = execute(
        [run.job for run in runs], ExecutionOptions(store, jobs, False), Limits(stall_limit_s, wall_limit_s)
    )
    made = [
        RunOf(run.kernel, str(run.file), run.seed, end.folder) for run, end in zip(runs, ends, strict=True)
    ]
    found = kernels.compare_kernels((a, b), made, wanted)
    command = _command((a, b, *map(str, files)), reps, values)
    _show(found, command, as_json)
    if out is not None:
        from airtcp.report.comparison.kernel_letter import write_kernel_page, write_kernel_report

        (write_kernel_page if is_page else write_kernel_report)(found, command, out)
        say(f"{'Report' if is_page else 'Folder'}: {out}", err=as_json)


def _check(out: Path | None, is_page: bool) -> None:
    from airtcp.report.folder import check_output
    from airtcp.report.html.page import check_page

    if out is not None:
        (check_page if is_page else check_output)(out)


def _command(places: Sequence[str], reps: int, values: str) -> str:
    return shlex.join(
        ["airtcp", "compare-kernels", *places, "--reps", str(reps), *(["--values", values] if values else [])]
    )


def _show(found: "KernelComparison", command: str, as_json: bool) -> None:
    if as_json:
        from airtcp.report.comparison.kernel_record import kernel_record
        from airtcp.report.record import as_json as json_of

        say(json.dumps(json_of(kernel_record(found, command))))
        return
    from airtcp.report.comparison.kernel_letter import letter

    say(letter(found, command))
