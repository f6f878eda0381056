"""A prediction as tables, lines, files and JSON."""

import json
import math
from pathlib import Path
from typing import Any

from airtcp.fitting.fit_report import report_json
from airtcp.fitting.prediction import Prediction
from airtcp.fitting.verdict import NEAR, Residual, Verdict
from airtcp.report.comparison.output import write_comparison
from airtcp.report.comparison.tables import ratio_matrix
from airtcp.report.comparison.values import digits_of, label_of, name_of
from airtcp.report.table import Table, number


def tables(found: Prediction) -> list[Table]:
    """The residuals of each value, the ratios of all cases side by side, and the verdicts."""
    values = found.comparison.names.values
    made = [_residual_table(found, value) for value in values]
    return [*made, ratio_matrix(found.comparison), _verdict_table(found)]


def _residual_table(found: Prediction, value: str) -> Table:
    columns = (*found.comparison.columns, "predicted", "95 %", "measured", "95 % ", "ratio", "verdict")
    title = f"{label_of(value)}: predicted and measured, means with 95 % intervals over repetitions"
    table = Table(title, columns, left=(*found.comparison.columns, "verdict"))
    for one in found.residuals:
        if one.value == value:
            table.add(*one.key, *_cells(one))
    return table


def _cells(one: Residual) -> tuple[str, ...]:
    digits = digits_of(one.value)
    cells: list[str] = []
    for side in (one.predicted, one.measured):
        half = side.error_bars
        cells += [number(side.mean, digits), "-" if half is None else f"± {max(half):.{digits}f}"]
    reason = f"within {NEAR * 100:g} %" if one.near else "as repetitions" if one.is_predicted else "differs"
    return (*cells, number(one.ratio, 3), reason)


def _verdict_table(found: Prediction) -> Table:
    columns = ("value", "cases", "predicted", f"within {NEAR * 100:g} %", "pairs", "tau", "may be used for")
    table = Table("What this model may be used for", columns, left=("may be used for",))
    for one in found.verdicts:
        counts = (str(one.cases), str(one.predicted), str(one.near), str(one.pairs))
        table.add(label_of(one.value), *counts, number(one.tau), one.use)
    return table


def lines(found: Prediction) -> list[str]:
    """The verdict in words, and what it rests on."""
    made = [_sentence(one) for one in found.verdicts]
    if found.fit is not None:
        part = ", ".join(f"{key} {level}" for key, level in found.fitted_on.items())
        made.insert(0, f"Fitted on {part or 'a part'}; the predicted runs were not used.")
        made += [
            f"{one.parameter.path} is not identifiable from that part ({one.refused}); predicted with "
            f"{one.texts()[0]}."
            for one in found.fit.found
            if one.refused
        ]
    single = [one for one in found.residuals if one.measured.count == 1]
    if single:
        made.append("Cases that were measured once: repeat them to know how much they vary by themselves.")
    return made


def _sentence(one: Verdict) -> str:
    label = name_of(one.value)
    # A statistic of a quantity begins with its own name.
    name = label[:1].upper() + label[1:]
    counted = f"{one.predicted} of {one.cases} cases are predicted"
    if one.use == "absolute values":
        return f"{name}: absolute values may be used ({counted})."
    if one.use == "order":
        return f"{name}: only the order of cases may be used ({counted}; {_tau(one)})."
    tau = "" if math.isnan(one.tau) else f"; {_tau(one)}"
    return f"{name}: do not use this model for it ({counted}{tau})."


def _tau(one: Verdict) -> str:
    return f"tau {one.tau:.2f} of {one.pairs} pairs"


def write_prediction(found: Prediction, out: Path, command: str) -> None:
    """The files of a comparison, with the tables of the prediction and `prediction.json`."""
    content = json.dumps(prediction_json(found), indent=2) + "\n"
    write_comparison(found.comparison, out, command, tables(found), {"prediction.json": content})


def prediction_json(found: Prediction) -> dict[str, Any]:
    """Everything as JSON."""
    return {
        "fit": None if found.fit is None else report_json(found.fit),
        "fitted_on": dict(found.fitted_on),
        "keys": list(found.comparison.columns),
        "seeds": found.seeds,
        "residuals": [
            {
                "case": list(one.key),
                "value": one.value,
                "predicted": one.predicted.mean,
                "measured": one.measured.mean,
                "ratio": None if math.isnan(one.ratio) else one.ratio,
                "as_repetitions": one.repeatable,
                "is_predicted": one.is_predicted,
            }
            for one in found.residuals
        ],
        "verdicts": [
            {
                "value": one.value,
                "use": one.use,
                "cases": one.cases,
                "predicted": one.predicted,
                "within_10_percent": one.near,
                "pairs": one.pairs,
                "tau": None if math.isnan(one.tau) else one.tau,
            }
            for one in found.verdicts
        ],
    }
