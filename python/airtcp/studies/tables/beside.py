"""Our values beside the paper's own, which a CSV file of the study holds by the levels of factors."""

import csv
import math
from pathlib import Path

import numpy as np

from airtcp.errors import AirtcpError
from airtcp.input_file import TEXT_BYTES_MOST, read_input
from airtcp.metrics.ratios import summarise_ratios
from airtcp.report.table import Table, number
from airtcp.studies.results import Results
from airtcp.studies.study_file import TableFile

Rows = dict[tuple[str, ...], dict[str, float]]


def beside_table(results: Results, table: TableFile) -> Table:
    """Ours, the paper's columns, and the ratios of ours to them; a dash where the paper has no value."""
    study, metric = results.study, table.metrics[0]
    papers = read_values(study.folder / table.file, table.rows)
    heads = [study.factors[factor].name for factor in table.rows]
    columns = [*heads, results.label(metric), *table.beside, *(f"ours / {name}" for name in table.ratio)]
    made = Table(table.title, columns, left=heads)
    for key, value in results.values(table.part, metric, table.where, table.rows).items():
        paper = papers.get(tuple(map(str, key)), {})
        texts = [study.label(factor, level) for factor, level in zip(table.rows, key, strict=True)]
        texts.append(number(value.mean, results.number(metric).digits))
        texts += [number(paper.get(name), 3) for name in table.beside]
        texts += [number(_ratio(value.mean, paper.get(name)), 3) for name in table.ratio]
        made.add(*texts)
    return made


def beside_note(results: Results, table: TableFile) -> list[str]:
    """How near ours is to each of the paper's columns, in the geometric mean over the rows that have one."""
    metric = table.metrics[0]
    papers = read_values(results.study.folder / table.file, table.rows)
    values = results.values(table.part, metric, table.where, table.rows)
    notes = []
    for name in table.ratio:
        found = [_ratio(v.mean, papers.get(tuple(map(str, key)), {}).get(name)) for key, v in values.items()]
        known = [one for one in found if one is not None]
        if known:
            ratios = summarise_ratios(np.array(known))
            notes.append(
                f"{table.title}: ours is {ratios.geometric_mean:.3f} times {name} in the geometric mean of "
                f"{len(known)} ({ratios.min:.3f} to {ratios.max:.3f})."
            )
    return notes


def read_values(file: Path, keys: list[str]) -> Rows:
    """The paper's values by the columns `keys`; empty cells are unknown, lines with `#` comments."""
    try:
        text = read_input(file, TEXT_BYTES_MOST).decode("utf-8")
    except OSError as error:
        raise AirtcpError(f"can't be read: {error.strerror}", str(file), "Name a file of the study") from None
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    rows: Rows = {}
    for row in csv.DictReader(lines):
        try:
            key = tuple(row[name] for name in keys)
            rows[key] = {name: float(cell) for name, cell in row.items() if name not in keys and cell}
        except (KeyError, ValueError) as error:
            raise AirtcpError(f"row {row}: {error}", str(file), "Correct the row") from None
    return rows


def _ratio(ours: float, papers: float | None) -> float | None:
    return None if not papers or math.isnan(ours) else ours / papers
