"""A table of values: levels as rows, metrics as columns."""

from airtcp.report.table import Table, number
from airtcp.studies.results import Key, Results, Value
from airtcp.studies.study_file import Level, TableFile

IN_CONTROL = "in control"


def cells_table(results: Results, table: TableFile) -> Table:
    """A row for each combination of the row factors; with several seeds half the interval stands beside."""
    columns: list[Level | None] = [None]
    if table.columns:
        columns = list(results.levels(table.part, table.columns, table.where))
    several = results.seeds > 1
    study = results.study
    heads = [study.factors[factor].name for factor in table.rows]
    for metric in table.metrics:
        for level in columns:
            of = "" if level is None else f", {study.label(table.columns, level)}"
            heads += [f"{results.label(metric)}{of}", *(["±"] if several else [])]
    made = Table(table.title, [*heads, IN_CONTROL], left=(*heads[: len(table.rows)], IN_CONTROL))
    keep = [*table.rows, *([table.columns] if table.columns else [])]
    values = {metric: results.values(table.part, metric, table.where, keep) for metric in table.metrics}
    rows = dict.fromkeys(key[: len(table.rows)] for each in values.values() for key in each)
    doubtful = _doubtful_rows(values, len(table.rows))
    for row in rows:
        texts = [study.label(factor, level) for factor, level in zip(table.rows, row, strict=True)]
        for metric in table.metrics:
            for level in columns:
                key = row if level is None else (*row, level)
                texts += _texts(results, metric, values[metric].get(key), several)
        made.add(*texts, "no" if row in doubtful else "yes")
    return made


def _texts(results: Results, metric: str, value: Value | None, several: bool) -> list[str]:
    digits = results.number(metric).digits
    if value is None:
        return ["-"] * (2 if several else 1)
    half = ["-" if value.at_least else number(value.half, digits)] if several else []
    bound = "> " if value.at_least else ""
    return [f"{bound}{number(value.mean, digits)}", *half]


def _doubtful_rows(values: dict[str, dict[Key, Value]], length: int) -> set[Key]:
    """Rows in whose runs a flow was not in control."""
    return {key[:length] for each in values.values() for key, value in each.items() if value.doubtful}
