"""Ours over a reference's, for every value of a table: the form of table 4 of aoyagi2023."""

import math

import numpy as np

from airtcp.metrics.ratios import summarise_ratios
from airtcp.report.table import Table, number
from airtcp.studies.reference import Reference
from airtcp.studies.results import Results
from airtcp.studies.study_file import TableFile

GEOMETRIC_MEAN = "geometric mean"


def against_table(results: Results, table: TableFile, reference: Reference) -> Table | None:
    """The ratios by the table's rows, with their geometric mean; `None` if the reference has none of it."""
    study = results.study
    heads = [study.factors[factor].name for factor in table.rows]
    names = [results.metric_name(metric) for metric in table.metrics]
    made = Table(f"{table.title}: ratio to {reference.name}", [*heads, *names], left=heads)
    columns: list[list[float]] = [[] for _ in table.metrics]
    groups: dict[tuple[str, ...], list[list[float]]] = {}
    for case, folder in results.chosen(table.part, table.where):
        key = tuple(study.label(factor, case.levels[factor]) for factor in table.rows)
        own = groups.setdefault(key, [[] for _ in table.metrics])
        for place, metric in enumerate(table.metrics):
            ratio = _ratio(results.measured[folder].numbers[metric], reference.value(case, metric))
            if not math.isnan(ratio):
                own[place].append(ratio)
                columns[place].append(ratio)
    if not any(columns):
        return None
    for key, own in groups.items():
        made.add(*key, *(number(_mean(ratios), 3) for ratios in own))
    blank = [""] * (len(heads) - 1)
    made.add(GEOMETRIC_MEAN, *blank, *(number(_mean(ratios), 3) for ratios in columns))
    return made


def _ratio(ours: float, others: float) -> float:
    return ours / others if others > 0 and ours > 0 else float("nan")


def _mean(ratios: list[float]) -> float:
    return summarise_ratios(np.array(ratios)).geometric_mean if ratios else float("nan")
