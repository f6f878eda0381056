"""A fit as a table, as lines and as JSON."""

from typing import Any

from airtcp.fitting.fit import Conditional, Fit, Found
from airtcp.fitting.recorded_signal import source_of
from airtcp.report.table import Table

MISFITS_MOST = 8


def parameter_table(fit: Fit) -> Table:
    """A row for each parameter."""
    columns = ("parameter", "value", "95 % from", "to", "begun at", "identifiable")
    table = Table("Parameters", columns, left=("begun at", "identifiable"))
    for one in fit.found:
        cells = one.texts() if one.identifiable else ("-", "-", "-")
        table.add(one.parameter.path, *cells, one.source, "yes" if one.identifiable else "no")
    return table


def misfit_table(fit: Fit) -> Table:
    """What the model does not reproduce."""
    table = Table("Not reproduced by the model", ("statistic", "measured / model"))
    for one in fit.misfits[:MISFITS_MOST]:
        table.add(one.name, f"{one.ratio:.3f}")
    return table


def lines(fit: Fit) -> list[str]:
    """What must be known beside the table."""
    refused = (one for one in fit.found if one.refused)
    found = [f"{one.parameter.path} is not identifiable: {one.refused}." for one in refused]
    found += [_conditional(one) for one in fit.conditionals]
    found += [f"To tell: {text}" for text in fit.advice]
    found += fit.varying
    found += [f"{label} was not compared: no virtual run has it." for label in fit.not_compared]
    found += [
        f"{link.path}: {source_of(signals[0][0], link)}." for link, signals in fit.model.signals.items()
    ]
    if not fit.found:
        return found
    if fit.explains:
        found.append("The model reproduces the measured runs as well as runs of its own.")
    else:
        found.append(
            f"The model does not reproduce the measured runs: its misfit is {fit.misfit:.1f}, and 95 % "
            f"of its own runs have at most {fit.misfit_usual:.1f}. Intervals are widened by the square "
            "root of the ratio."
        )
    if fit.failed:
        found.append(f"{len(fit.failed)} virtual runs failed, for example {fit.failed[0]}")
    return found


def _conditional(one: Conditional) -> str:
    given = " and ".join(f"{each.parameter.path} is {each.texts()[0]}" for each in one.given)
    value, low, high = one.found.texts()
    text = f"If {given}, {one.found.parameter.path} is {value} ({low} to {high})."
    if sums := _sum(one):
        text += f" {sums}"
    return text


def _sum(one: Conditional) -> str:
    """Delays add up: their sum is determined whatever each of them is."""
    every = (one.found, *one.given)
    if len(every) != 2 or any(each.parameter.kind.what not in ("delay", "host delay") for each in every):
        return ""
    if {each.parameter.kind.what for each in every} != {"delay"}:
        return ""
    kind, rest = one.found.parameter.kind, sum(each.value for each in one.given)
    value, low, high = (
        kind.written(each + rest) for each in (one.found.value, one.found.low, one.found.high)
    )
    return f"The sum of both is {value} ({low} to {high})."


def report_json(fit: Fit) -> dict[str, Any]:
    """Everything, in base units (bit/s, ns, packets, bytes, dBm, dB) and as a scenario writes it."""
    return {
        "model": str(fit.model.file),
        "measured": [
            {"setting": setting.label, "runs": [str(folder) for folder in setting.folders]}
            for setting in fit.settings
        ],
        "parameters": [_parameter(one) for one in fit.found],
        "conditional": [
            {"parameter": _parameter(one.found), "given": [_parameter(each) for each in one.given]}
            for one in fit.conditionals
        ],
        "advice": list(fit.advice),
        "varying": list(fit.varying),
        "recordings": [
            {
                "path": link.path,
                "from": link.sender,
                "to": link.receiver,
                "runs": [str(signal.run) for signal, _ in signals],
                "dumped_at_the_sender": signals[0][0].turned,
            }
            for link, signals in fit.model.signals.items()
        ],
        # Without parameters nothing was compared.
        "misfit": fit.misfit if fit.found else None,
        "misfit_95": fit.misfit_usual if fit.found else None,
        "reproduces": fit.explains if fit.found else None,
        "not_reproduced": [{"statistic": one.name, "measured_over_model": one.ratio} for one in fit.misfits],
        "not_compared": list(fit.not_compared),
        "virtual_runs": fit.computed,
        "failed_runs": list(fit.failed),
    }


def _parameter(one: Found) -> dict[str, Any]:
    value, low, high = one.texts()
    return {
        "path": one.parameter.path,
        "kind": one.parameter.kind.what,
        "identifiable": one.identifiable,
        "reason": one.refused,
        "value": one.value,
        "low": one.low,
        "high": one.high,
        "text": value,
        "low_text": low,
        "high_text": high,
        "begun_at": one.source,
    }
