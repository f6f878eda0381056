"""CSV files of quantities over time: the column `time_s`, and at least one more."""

import csv
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from airtcp.errors import remedy_for
from airtcp.input_file import read_input
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.values.units import TIME

TIME_COLUMN = "time_s"
# A point a millisecond for 10 minutes; more would make the plan larger than a run's results.
POINTS_MOST = 600_000
# Those points with four numbers of a dozen digits each.
FILE_BYTES_MOST = 64_000_000
_GIGA = Decimal(10**9)


@dataclass(frozen=True)
class TraceColumn:
    """A quantity of a file: its key in the plan, its limits in the file, its value in the plan."""

    key: str
    least: Decimal
    most: Decimal
    plan_value: Callable[[Decimal], int | float]
    zero: bool = False
    """Whether 0 is a value too, if it is less than `least`."""


Columns = Mapping[str, TraceColumn]
Point = dict[str, Any]


def read_trace_file(path: Path, key: str, columns: Columns) -> list[Point]:
    """The points of a file, by the keys of the plan, an empty cell as `None`; times rise.

    What is wrong with the file is a `ScenarioError` at `key` that names its line.
    """
    rows = _rows(path, key)
    if not rows or not any(rows[0]):
        names = ", ".join((TIME_COLUMN, *columns))
        raise ScenarioError(key, f"{path} is empty", f"Its first line names columns: {names}")
    header = [name.strip() for name in rows[0]]
    _check_header(header, path, key, columns)
    if len(rows) > POINTS_MOST + 1:
        raise ScenarioError(key, f"{path} has more than {POINTS_MOST} points", "Record less often")
    points: list[Point] = []
    for number, row in enumerate(rows[1:], start=2):
        if not any(cell.strip() for cell in row):
            continue
        place = f"{path}, line {number}"
        if len(row) != len(header):
            what = f"{place} has {len(row)} cells, the first line {len(header)}"
            raise ScenarioError(key, what, "Give each line as many")
        cells = {name: cell.strip() for name, cell in zip(header, row, strict=True)}
        point = _point(cells, place, key, columns)
        if points and points[-1]["time_ns"] >= point["time_ns"]:
            raise ScenarioError(key, f"{place}: time_s does not rise", "Sort by time, and use each time once")
        points.append(point)
    if not points:
        raise ScenarioError(key, f"{path} has no points", "Add at least one line below the columns' names")
    return points


def check_repeat(end_ns: int, key: str) -> None:
    """Refuses a trace that would start again at once; `key` is that of the trace."""
    if end_ns == 0:
        what = "it would start again at once: its last row, which marks the end, is at 0 s"
        raise ScenarioError(f"{key}.repeat", what, "End it with a row at the time of the next start")


def _rows(path: Path, key: str) -> list[list[str]]:
    """The cells of all lines; a quotation that has no end is refused."""
    reader = csv.reader(io.StringIO(_text(path, key)), strict=True)
    try:
        return list(reader)
    except csv.Error as error:
        what = f"{path}, line {reader.line_num}: is not CSV: {error}"
        raise ScenarioError(key, what, "Write numbers without quotation marks") from None


def _text(path: Path, key: str) -> str:
    try:
        return read_input(path, FILE_BYTES_MOST).decode("utf-8-sig")
    except FileNotFoundError:
        remedy = "Paths are relative to the scenario file"
        raise ScenarioError(key, f"there is no file {path}", remedy) from None
    except OSError as error:
        what = f"{path} can't be read: {error.strerror}"
        raise ScenarioError(key, what, "Give a CSV file in UTF-8") from None
    except UnicodeDecodeError as error:
        raise ScenarioError(key, f"{path} can't be read: {error}", "Give a CSV file in UTF-8") from None


def _check_header(header: list[str], path: Path, key: str, columns: Columns) -> None:
    known = (TIME_COLUMN, *columns)
    for name in header:
        if name not in known:
            remedy = remedy_for(name, known)
            raise ScenarioError(key, f'{path} has an unknown column "{name}"', remedy)
    if len(set(header)) != len(header):
        raise ScenarioError(key, f"{path} has a column twice", "Keep one of them")
    if TIME_COLUMN not in header or len(header) < 2:
        what = f"{path} needs the column time_s and one of {', '.join(columns)}"
        raise ScenarioError(key, what, "Add it")


def _point(cells: dict[str, str], place: str, key: str, columns: Columns) -> Point:
    if not cells[TIME_COLUMN]:
        raise ScenarioError(key, f"{place} has no time_s", "Give each line a time")
    time = TraceColumn("time_ns", Decimal(0), TIME.most / _GIGA, lambda value: round(value * _GIGA))
    point: Point = {"time_ns": _number(cells, TIME_COLUMN, time, place, key)}
    for name, column in columns.items():
        point[column.key] = _number(cells, name, column, place, key)
    return point


def _number(cells: dict[str, str], name: str, column: TraceColumn, place: str, key: str) -> Any:
    text = cells.get(name, "")
    if not text:
        return None
    try:
        value = Decimal(text)
        if not value.is_finite():
            raise InvalidOperation
    except InvalidOperation:
        raise ScenarioError(key, f'{place}: {name} is "{text}"', "Write a number") from None
    if not column.least <= value <= column.most and not (column.zero and value == 0):
        limits = f"{column.least:f} to {column.most:f}{', or 0' if column.zero else ''}"
        raise ScenarioError(key, f"{place}: {name} {text} is out of range", f"Give {limits}")
    return column.plan_value(value)
