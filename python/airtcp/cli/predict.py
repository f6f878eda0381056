"""`airtcp predict`: a model's predictions against runs that it was not fitted to."""

import json
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from airtcp.cli.changes import Set, changes
from airtcp.cli.execute import Jobs, StallLimit, WallLimit
from airtcp.cli.option_lists import pairs, words
from airtcp.cli.say import say
from airtcp.cli.virtual_runs import DEFAULT_VIRTUAL_STORE, FitProgress, Free, Json, Measured, VirtualStore
from airtcp.sources.places import with_sources

if TYPE_CHECKING:
    from airtcp.fitting.prediction import Prediction

ModelFile = Annotated[
    Path,
    typer.Argument(help='Scenario, for example of airtcp fit; with --fit-on, one with "?" in it.'),
]
FitOn = Annotated[
    str,
    typer.Option(
        "--fit-on", help="Fit to the measured runs with these keys, as cca=cubic; predict the rest."
    ),
]
Values = Annotated[
    str,
    typer.Option(
        "--values",
        help="Quantities to predict and judge, as throughput,cwnd. Default: the usual ones.",
    ),
]
Seeds = Annotated[int, typer.Option("--seeds", min=1, help="Virtual runs of each measured setting.")]
Out = Annotated[Path | None, typer.Option("--out", help="Folder of tables, figure, CSV and JSON.")]


def predict(
    model: ModelFile,
    measured: Measured,
    fit_on: FitOn = "",
    free: Free = None,
    settings: Set = None,
    seeds: Seeds = 5,
    values: Values = "",
    out: Out = None,
    store: VirtualStore = DEFAULT_VIRTUAL_STORE,
    jobs: Jobs = None,
    as_json: Json = False,
    stall_limit_s: StallLimit = None,
    wall_limit_s: WallLimit = None,
) -> None:
    """Predict measured runs by a fitted scenario, and say what it may be used for."""
    from airtcp.execution.cores import read_on_one_thread
    from airtcp.report.folder import check_output

    read_on_one_thread()
    from airtcp.fitting.model import read_known, read_model
    from airtcp.fitting.parts import parted
    from airtcp.fitting.prediction import Question, fit_and_predict
    from airtcp.fitting.prediction import predict as find
    from airtcp.fitting.prediction_report import prediction_json, write_prediction

    measured = with_sources(measured)
    if out is not None:
        check_output(out)
    fixed, chosen = changes(None, settings), pairs(fit_on, "--fit-on")
    question = Question(seeds, words(values))
    progress = FitProgress()
    with progress:
        runs = progress.runs(store, jobs, stall_limit_s, wall_limit_s)
        if chosen:
            whole = read_model(model, free or [], fixed)
            parts = parted(measured, chosen, "--fit-on")
            found = fit_and_predict(whole, parts, runs, question, progress.step)
            found = replace(found, fitted_on=chosen)
        else:
            found = find(read_known(model, fixed), measured, runs, question, progress.step)
    if as_json:
        say(json.dumps(prediction_json(found)))
    else:
        _show(found)
    if out is not None:
        write_prediction(found, out, f"airtcp {shlex.join(sys.argv[1:])}")
        if not as_json:
            say(f"Folder: {out}")


def _show(found: "Prediction") -> None:
    from airtcp.cli.output import Output
    from airtcp.fitting.fit_report import parameter_table
    from airtcp.fitting.prediction_report import lines, tables

    output = Output()
    if found.fit is not None:
        output.table(parameter_table(found.fit))
    for table in tables(found):
        output.table(table)
    for line in lines(found):
        output.line(line)
