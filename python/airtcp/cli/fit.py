"""`airtcp fit`: estimates what a scenario does not know from measured runs."""

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from airtcp.cli.changes import Set, changes
from airtcp.cli.execute import Jobs, StallLimit, WallLimit
from airtcp.cli.option_lists import pairs
from airtcp.errors import AirtcpError

if TYPE_CHECKING:
    from airtcp.fitting.virtual_runs import Place, VirtualRuns

Measured = Annotated[
    list[Path],
    typer.Argument(help="Run folders, or stores of them: what was measured.", show_default=False),
]
ModelFile = Annotated[
    Path, typer.Option("--model", help='Scenario with "?" for what is unknown (TOML).', show_default=False)
]
Free = Annotated[
    list[str] | None,
    typer.Option(
        "--free",
        metavar="KEY[=LOW ? HIGH]",
        help='Another unknown key, as "wire[0].rate" or "wire[0].delay=1 ms ? 50 ms"; several times.',
        show_default=False,
    ),
]
Where = Annotated[
    str, typer.Option("--where", help="Only measured runs with these keys, as cca=cubic,flows=1.")
]
Out = Annotated[
    Path | None, typer.Option("--out", help="Scenario to write; default: MODEL-fitted.toml in this folder.")
]
VirtualStore = Annotated[Path, typer.Option("--store", help="Folder of the virtual runs.")]
Json = Annotated[bool, typer.Option("--json", help="Print the report as one JSON object.")]

DEFAULT_VIRTUAL_STORE = Path("fit-runs")
REFUSED_STATUS = 4


def fit(
    measured: Measured,
    model: ModelFile,
    free: Free = None,
    settings: Set = None,
    where: Where = "",
    out: Out = None,
    store: VirtualStore = DEFAULT_VIRTUAL_STORE,
    jobs: Jobs = None,
    as_json: Json = False,
    stall_limit_s: StallLimit = None,
    wall_limit_s: WallLimit = None,
) -> None:
    """Estimate what a scenario does not know from measured runs, with intervals and what they don't tell."""
    from airtcp.execution.cores import read_on_one_thread
    from airtcp.execution.limits import Limits

    read_on_one_thread()
    from airtcp.fitting.fit import fit as find
    from airtcp.fitting.fit_report import lines, misfit_table, parameter_table, report_json
    from airtcp.fitting.fitted_scenario import write_fitted
    from airtcp.fitting.model import read_model
    from airtcp.fitting.parts import parts_of
    from airtcp.fitting.virtual_runs import Place

    fixed = changes(None, settings)
    target = out or Path(f"{model.stem}-fitted.toml")
    if target.resolve() == model.resolve():
        raise AirtcpError("is the model itself", f"--out {target}", "Choose another name")
    progress = FitProgress()
    with progress:
        runs = progress.runs(Place(store, jobs, Limits(stall_limit_s, wall_limit_s)))
        chosen = parts_of(measured, pairs(where, "--where"), "--where").chosen if where else measured
        found = find(read_model(model, free or [], fixed), chosen, runs, progress.step)
    command = f"airtcp {shlex.join(sys.argv[1:])}"
    write_fitted(found, target, command, fixed)
    report = target.with_suffix(".json")
    report.write_text(json.dumps(report_json(found), indent=2) + "\n", encoding="utf-8")
    if as_json:
        typer.echo(json.dumps({**report_json(found), "scenario": str(target)}))
    else:
        from airtcp.cli.output import Output

        output = Output()
        output.table(parameter_table(found))
        if found.misfits and not found.explains:
            output.table(misfit_table(found))
        for line in lines(found):
            output.line(line)
        output.line(f"Scenario: {target}; report: {report}")
    if not found.complete:
        raise typer.Exit(REFUSED_STATUS)


class FitProgress:
    """One line on stderr for each step of a fit; on a terminal it counts the runs."""

    def __init__(self) -> None:
        from rich.console import Console

        self._console = Console(stderr=True, highlight=False)
        self._name = ""
        self._status = self._console.status("reading") if self._console.is_terminal else None

    def __enter__(self) -> "FitProgress":
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._status is not None:
            self._status.stop()

    def runs(self, place: "Place") -> "VirtualRuns":
        """Virtual runs that are counted."""
        from airtcp.fitting.virtual_runs import VirtualRuns

        return VirtualRuns(place, self._count)

    def step(self, name: str, count: int) -> None:
        """A step begins, with so many runs."""
        self._name = name
        if self._status is None:
            self._console.print(f"{name}: {count} runs")
        else:
            self._status.update(f"{name}: {count} runs")

    def _count(self, done: int, count: int) -> None:
        if self._status is not None:
            self._status.update(f"{self._name}: {done} of {count} runs")
