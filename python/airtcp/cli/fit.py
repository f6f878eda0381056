"""`airtcp fit`: estimates what a scenario does not know from measured runs."""

import json
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from airtcp.cli.changes import Set, changes
from airtcp.cli.execute import Jobs, StallLimit, WallLimit
from airtcp.cli.option_lists import pairs, words
from airtcp.cli.say import say
from airtcp.cli.virtual_runs import DEFAULT_VIRTUAL_STORE, FitProgress, Free, Json, Measured, VirtualStore
from airtcp.errors import AirtcpError
from airtcp.sources.places import with_sources

ModelFile = Annotated[
    Path, typer.Option("--model", help='Scenario with "?" for what is unknown (TOML).', show_default=False)
]
Where = Annotated[
    str, typer.Option("--where", help="Only measured runs with these keys, as cca=cubic,flows=1.")
]
Values = Annotated[
    str,
    typer.Option("--values", help="Quantities to compare beside the usual statistics, as queue,phy_rate."),
]
Out = Annotated[
    Path | None, typer.Option("--out", help="Scenario to write; default: MODEL-fitted.toml in this folder.")
]

REFUSED_STATUS = 4


def fit(
    measured: Measured,
    model: ModelFile,
    free: Free = None,
    settings: Set = None,
    where: Where = "",
    values: Values = "",
    out: Out = None,
    store: VirtualStore = DEFAULT_VIRTUAL_STORE,
    jobs: Jobs = None,
    as_json: Json = False,
    stall_limit_s: StallLimit = None,
    wall_limit_s: WallLimit = None,
) -> None:
    """Estimate what a scenario does not know from measured runs, with intervals and what they don't tell."""
    from airtcp.execution.cores import read_on_one_thread

    read_on_one_thread()
    from airtcp.fitting.fit import fit as find
    from airtcp.fitting.fit_report import lines, misfit_table, parameter_table, report_json
    from airtcp.fitting.fitted_scenario import write_fitted
    from airtcp.fitting.model import read_model
    from airtcp.fitting.parts import parts_of

    fixed = changes(None, settings)
    target = out or Path(f"{model.stem}-fitted.toml")
    if target.resolve() == model.resolve():
        raise AirtcpError("is the model itself", f"--out {target}", "Choose another name")
    progress = FitProgress()
    with progress:
        runs = progress.runs(store, jobs, stall_limit_s, wall_limit_s)
        measured = with_sources(measured)
        chosen = parts_of(measured, pairs(where, "--where"), "--where").chosen if where else measured
        found = find(read_model(model, free or [], fixed), chosen, runs, progress.step, words(values))
    command = f"airtcp {shlex.join(sys.argv[1:])}"
    write_fitted(found, target, command, fixed)
    report = target.with_suffix(".json")
    report.write_text(json.dumps(report_json(found), indent=2) + "\n", encoding="utf-8")
    if as_json:
        say(json.dumps({**report_json(found), "scenario": str(target)}))
    else:
        from airtcp.cli.output import Output

        output = Output()
        if found.found:
            output.table(parameter_table(found))
        if found.misfits and not found.explains:
            output.table(misfit_table(found))
        for line in lines(found):
            output.line(line)
        output.line(f"Scenario: {target}; report: {report}")
    if not found.complete:
        raise typer.Exit(REFUSED_STATUS)
