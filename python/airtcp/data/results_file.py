"""Results as CSV: one row for each case, keys and numbers in columns that say their units.

The first line names the columns. Values are the columns whose names end in a unit of measurement or in
`_ratio` (`throughput_mbps`, `rtt_ms`, `rtt_ratio`); keys are the columns before the first of them (`cca`,
`queue_packets`). `seed` is the repetition, and `in_control` says `yes` where the congestion control was what
limited the flow. An empty cell, `-` and `nan` are values that are not known. A name with `_q20` at its end is
the value for a queue of 20 packets: `rtt_ratio_q20` and `rtt_ratio_q100` (as `studies/aoyagi2023/table4.csv`
has them) are `rtt_ratio` for two values of the key `queue_packets`.
"""

import csv
import io
import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from airtcp.errors import AirtcpError

SEED = "seed"
IN_CONTROL = "in_control"
QUEUE = "queue_packets"
# Where a row comes from, which is no key.
_ORIGIN = ("run", "folder", "file")
_VALUE = re.compile(r"[a-z][\w ]*_(mbps|kbps|bps|s|ms|us|ns|ratio|share|percent|index|segments|bytes)")
_OF_A_QUEUE = re.compile(r"(?P<name>.+)_q(?P<queue>\d+)")
_NAME = re.compile(r"[A-Za-z][\w .%/()-]*")
_UNKNOWN = ("", "-", "nan", "NaN")


@dataclass(frozen=True)
class ResultRow:
    """One line: its keys, its seed if it has one, its known numbers, and whether they are doubtful."""

    line: int
    keys: Mapping[str, str]
    values: Mapping[str, float]
    seed: int | None = None
    doubtful: bool = False


@dataclass(frozen=True)
class ResultsFile:
    """A file that was read whole; `keys` and `values` name columns in the file's order."""

    file: Path
    keys: tuple[str, ...]
    values: tuple[str, ...]
    rows: tuple[ResultRow, ...]


@dataclass(frozen=True)
class _Columns:
    """What the columns are: places of keys and values, and the queue of those that are of one."""

    keys: dict[str, int]
    values: dict[int, tuple[str, str | None]]
    seed: int | None
    in_control: int | None

    @property
    def queues(self) -> tuple[str | None, ...]:
        return tuple(dict.fromkeys(queue for _, queue in self.values.values()))


def is_results(content: bytes) -> bool:
    """Whether the first line names columns, with commas between."""
    first = content[:10_000].decode("utf-8-sig", "replace").splitlines()[:1]
    names = [name.strip() for name in first[0].split(",")] if first else []
    return len(names) > 1 and all(_NAME.fullmatch(name) for name in names)


def read_results(
    file: Path,
    content: bytes,
    names: Mapping[str, str] | None = None,
    by: Sequence[str] = (),
    quantities: Collection[str] = (),
) -> ResultsFile:
    """The rows; `names` renames columns first, `by` says what is a key whatever its name, and `quantities`
    are values whatever their names end in.

    A line with too many or too few cells, a value that is not a number and a column that comes twice are an
    `AirtcpError` with the line.
    """
    try:
        lines = list(csv.reader(io.StringIO(content.decode("utf-8-sig")), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise AirtcpError(f"is damaged: it is not CSV: {error}", str(file), "Give a whole file") from None
    header = [(names or {}).get(name.strip(), name.strip()) for name in lines[0]]
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise AirtcpError(f"has the column {twice[0]} twice", str(file), "Name each column once")
    columns = _columns(file, header, by, quantities)
    rows: list[ResultRow] = []
    for number, cells in enumerate(lines[1:], start=2):
        if not cells:
            continue
        if len(cells) != len(header):
            what = f"is damaged: {len(cells)} cells under {len(header)} names of columns"
            raise AirtcpError(what, f"{file}, line {number}", "Give a whole file")
        rows += _rows(file, number, [cell.strip() for cell in cells], columns)
    if not rows:
        raise AirtcpError("has no rows", str(file), "Give a file with results")
    keys = [*columns.keys, *([QUEUE] if columns.queues != (None,) else [])]
    values = dict.fromkeys(name for name, _ in columns.values.values())
    return ResultsFile(file, tuple(keys), tuple(values), tuple(rows))


def _columns(file: Path, header: Sequence[str], by: Sequence[str], quantities: Collection[str]) -> _Columns:
    named = {place: (name, None) for place, name in enumerate(header)}
    of_queues = {
        place: (match["name"], match["queue"])
        for place, name in enumerate(header)
        if QUEUE not in header and (match := _OF_A_QUEUE.fullmatch(name)) and _VALUE.fullmatch(match["name"])
    }
    every: dict[int, tuple[str, str | None]] = {**named, **of_queues}
    values = {
        place: each
        for place, each in every.items()
        if header[place] not in by and (each[0] in quantities or _is_value(each[0]))
    }
    if not values:
        remedy = "A value's name ends in its unit, as throughput_mbps, rtt_ms or rtt_ratio"
        raise AirtcpError("has no column of values", f"{file}, line 1", remedy)
    special = (SEED, IN_CONTROL, *_ORIGIN)
    before = [name for place, name in enumerate(header) if place < min(values) and name not in special]
    keys = dict.fromkeys([*before, *(name for name in by if name in header)])
    places = {name: place for place, name in enumerate(header)}
    return _Columns({name: places[name] for name in keys}, values, places.get(SEED), places.get(IN_CONTROL))


def _is_value(name: str) -> bool:
    return _VALUE.fullmatch(name) is not None and name not in (SEED, QUEUE)


def _rows(file: Path, line: int, cells: Sequence[str], columns: _Columns) -> list[ResultRow]:
    """The row of a line; one for each queue if its columns are of several."""
    place = f"{file}, line {line}"
    keys = {name: key_text(cells[at]) for name, at in columns.keys.items()}
    missing = [name for name, text in keys.items() if not text]
    if missing:
        raise AirtcpError(f"has no {missing[0]}", place, "Every row needs its keys")
    seed = _seed(cells[columns.seed], place) if columns.seed is not None else None
    doubtful = columns.in_control is not None and cells[columns.in_control].lower() not in ("yes", "", "-")
    made = []
    for queue in columns.queues:
        values = {
            name: value
            for at, (name, of) in columns.values.items()
            if of == queue and (value := _number(cells[at], name, place)) is not None
        }
        own = keys if queue is None else {**keys, QUEUE: queue}
        made.append(ResultRow(line, own, values, seed, doubtful))
    return made


def _number(text: str, name: str, place: str) -> float | None:
    if text in _UNKNOWN:
        return None
    try:
        value = float(text)
    except ValueError:
        raise AirtcpError(
            f'"{text}" is not a number', f"{place}, {name}", "Correct or empty the cell"
        ) from None
    if not math.isfinite(value):
        raise AirtcpError(f'"{text}" is not finite', f"{place}, {name}", "Correct or empty the cell")
    return value


def _seed(text: str, place: str) -> int:
    if not text.isdecimal():
        raise AirtcpError(f'"{text}" is not a seed', place, "A seed is a whole number of 0 or more")
    return int(text)


def key_text(value: object) -> str:
    """A key as text: 20, 20.0 and "20" are the same."""
    text = "-" if value is None else str(value)
    try:
        number = float(text)
    except ValueError:
        return text
    whole = number.is_integer() and abs(number) < 2**53
    return str(int(number)) if whole else (repr(number) if math.isfinite(number) else text)
