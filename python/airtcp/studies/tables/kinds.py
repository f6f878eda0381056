"""Every kind of table."""

from collections.abc import Callable

from airtcp.report.table import Table
from airtcp.studies.results import Results
from airtcp.studies.study_file import TableFile
from airtcp.studies.tables.against import against_table
from airtcp.studies.tables.beside import beside_note, beside_table
from airtcp.studies.tables.bufferbloat import bufferbloat_table
from airtcp.studies.tables.cells import cells_table

_KINDS: dict[str, Callable[[Results, TableFile], Table]] = {
    "cells": cells_table,
    "beside": beside_table,
    "bufferbloat": bufferbloat_table,
}


def make_tables(results: Results) -> list[Table]:
    """The study's tables; one without runs is left out."""
    tables = [
        _KINDS[table.kind](results, table)
        for table in results.study.tables
        if results.chosen(table.part, table.where)
    ]
    return [table for table in [*tables, *_against(results)] if table.rows]


def _against(results: Results) -> list[Table]:
    if results.reference is None:
        return []
    tables = [table for table in results.study.tables if table.kind == "cells"]
    made = [against_table(results, table, results.reference) for table in tables]
    return [table for table in made if table is not None]


def table_notes(results: Results) -> list[str]:
    """What the tables beside the paper's values come to."""
    notes = []
    for table in results.study.tables:
        if table.kind == "beside" and results.chosen(table.part, table.where):
            notes += beside_note(results, table)
    return notes
