"""Runs of a store as a table: what was varied, and numbers, as columns."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from airtcp.errors import AirtcpError, remedy_for

Cell = str | int | float | bool | None
# What identifies a run; factors and numbers follow.
_FIRST = ("run", "name", "seed")


@dataclass(frozen=True)
class Wanted:
    """What to show: quantities, runs of this name (a pattern) and these levels, and the column to sort by.

    With `-` before the column the largest is first.
    """

    values: Sequence[str]
    name: str
    where: Mapping[str, str]
    sort: str


@dataclass(frozen=True)
class RunTable:
    """Columns, and a row for each run; a number that a run does not have is `None`."""

    columns: list[str]
    rows: list[list[Cell]]


def kept_table(store: Path, wanted: Wanted) -> RunTable:
    """The table of `run_table`; it is computed again if a run of the store is another one now."""
    from airtcp.report.kept_answer import KeptAnswer
    from airtcp.store.contents import read_contents

    folders = read_contents(store).complete
    if not folders:
        return run_table(store, wanted)
    kept = KeptAnswer(folders, {"command": "store ls", **asdict(wanted)})
    found = kept.get()
    if found is not None:
        return RunTable(**found)
    table = run_table(store, wanted)
    kept.put(asdict(table))
    return table


def run_table(store: Path, wanted: Wanted) -> RunTable:
    """The runs of a store with what varies among those that are shown; a wrong name is an `AirtcpError`."""
    from airtcp.data.load import load
    from airtcp.data.read_once import open_once
    from airtcp.data.result_set import ResultSet
    from airtcp.quantities.named_number import number_named
    from airtcp.quantities.run_view import RunView

    numbers = [number_named(quantity, "--values") for quantity in wanted.values]
    found = load(store)
    if not isinstance(found, ResultSet):
        raise AirtcpError("is not a store of runs", str(store), "Name the folder that holds run folders")
    factors = [factor for factor in found.factors if factor.name not in _FIRST]
    columns = [*_FIRST, *(factor.name for factor in factors), *wanted.values]
    by = wanted.sort.removeprefix("-")
    for name in (*wanted.where, *([by] if by else [])):
        if name not in columns:
            raise AirtcpError(f'there is no column "{name}"', "--where, --sort", remedy_for(name, columns))
    rows: list[list[Cell]] = []
    for place, folder in enumerate(found.folders):
        row: list[Cell] = [folder.name, found.names[place], found.seeds[place]]
        row += [_cell(factor.values[place]) for factor in factors]
        if fnmatchcase(found.names[place], wanted.name) and _has(row, columns, wanted.where):
            view = RunView.while_flows_ran(open_once(folder))
            rows.append([*row, *(_known(one.of(view).value) for one in numbers)])
    if by:
        _sort(rows, columns.index(by), wanted.sort.startswith("-"))
    return _varying(RunTable(columns, rows), keep={*_FIRST, *wanted.values, *wanted.where, by})


def _has(row: Sequence[Cell], columns: Sequence[str], where: Mapping[str, str]) -> bool:
    """Whether a row has these levels; of numbers that are read from runs it has none yet."""
    at = [(columns.index(name), level) for name, level in where.items()]
    return all(place < len(row) and _text(row[place]) == level for place, level in at)


def _varying(table: RunTable, keep: Collection[str]) -> RunTable:
    """The table without factors that are the same in all rows, but for those to keep."""
    places = [
        place
        for place, name in enumerate(table.columns)
        if name in keep or len({row[place] for row in table.rows}) > 1
    ]
    return RunTable(
        [table.columns[place] for place in places], [[row[place] for place in places] for row in table.rows]
    )


def shown(table: RunTable) -> list[list[str]]:
    """The cells as text: numbers with four digits."""
    return [[_text(cell) for cell in row] for row in table.rows]


def _sort(rows: list[list[Cell]], column: int, largest_first: bool) -> None:
    """By one column; runs that lack it are last either way."""
    known = [row for row in rows if row[column] is not None]
    numeric = all(isinstance(row[column], int | float) for row in known)

    def key(row: list[Cell]) -> tuple[float, str]:
        cell = row[column]
        return (float(cell), "") if numeric and isinstance(cell, int | float) else (0.0, str(cell))

    known.sort(key=key, reverse=largest_first)
    rows[:] = known + [row for row in rows if row[column] is None]


def _cell(value: object) -> Cell:
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _text(cell: Cell) -> str:
    if cell is None:
        return "-"
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)
