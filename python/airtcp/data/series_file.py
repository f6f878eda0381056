"""A series in its Parquet file: read whole and checked against its documented columns, or refused."""

import hashlib
import io
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from airtcp.data.plain_file import REMEDY, read_plain
from airtcp.errors import AirtcpError
from airtcp.formats.column import Column, Table

if TYPE_CHECKING:
    import polars

# As much as the runner makes a series of (`crates/plan/src/record.rs`).
_BYTES_MOST = 8 << 30
_VALUE_BYTES = 8
# Of a run of hours. Longer series are measured before they are read whole.
_ROWS_AT_ONCE = 200_000
NOT_RECORDED_REMEDY = "Ask for it in [sampling] and run again"


def read_series(
    file: Path, table: Table, sha256: str | None = None, unknown: Collection[str] = ()
) -> "polars.DataFrame":
    """The rows of a series; a file that is missing, damaged or not of this table is an `AirtcpError`.

    `sha256` is the file's checksum where it is known, `unknown` are columns that were not measured: nulls.
    """
    if not file.is_file():
        raise AirtcpError("is missing: the run recorded no such series", str(file), NOT_RECORDED_REMEDY)
    content = _content(file)
    frame = _frame(content, file)
    if sha256 is not None and hashlib.sha256(content).hexdigest() != sha256:
        raise _damaged("its checksum is not that of the manifest", file)
    schema = frame.schema
    for column in table.columns:
        if column.name not in unknown or column.name in schema:
            _check_column(schema, column, file)
    _check_values(frame, table, file)
    return _with_unknown(frame, table, unknown)


def _with_unknown(frame: "polars.DataFrame", table: Table, unknown: Collection[str]) -> "polars.DataFrame":
    """The frame with columns of nulls for what was not measured."""
    import polars

    present = set(frame.columns)
    absent = [one for one in table.columns if one.name in unknown and one.name not in present]
    types = {"i64": polars.Int64, "u32": polars.UInt32, "u64": polars.UInt64, "bytes": polars.Binary}
    nulls = [polars.lit(None, types[column.type]).alias(column.name) for column in absent]
    return frame.with_columns(nulls) if nulls else frame


def within(frame: "polars.DataFrame", start_ns: int, stop_ns: int) -> "polars.DataFrame":
    """The rows from one time to another, both included, of a frame in the order of time."""
    import numpy as np

    times = frame["time_ns"].to_numpy()
    first = int(np.searchsorted(times, start_ns, side="left"))
    return frame.slice(first, max(0, int(np.searchsorted(times, stop_ns, side="right")) - first))


def in_time(frame: "polars.DataFrame") -> "polars.DataFrame":
    """The rows in the order of their times, those of one time as they were; most are so already."""
    return frame if frame["time_ns"].is_sorted() else frame.sort("time_ns", maintain_order=True)


def _content(file: Path) -> bytes:
    try:
        return read_plain(file, file.parent.parent, _BYTES_MOST)
    except (OSError, MemoryError) as error:
        raise _damaged(_first_line(error), file) from None


def _frame(content: bytes, file: Path) -> "polars.DataFrame":
    import polars

    try:
        first = polars.read_parquet(content, n_rows=_ROWS_AT_ONCE)
        if first.height < _ROWS_AT_ONCE:
            return first
        _check_size(content, file)
        return polars.read_parquet(content)
    except (polars.exceptions.PolarsError, OSError, MemoryError) as error:
        raise _damaged(_first_line(error), file) from None
    except BaseException as error:
        # A panic of polars' Rust side is not an Exception; damaged files cause some.
        if type(error).__name__ != "PanicException":
            raise
        raise _damaged(_first_line(error), file) from None


def _check_size(content: bytes, file: Path) -> None:
    """Refuses what would fill the memory: packed, a billion equal rows take a few bytes."""
    import polars

    lazy = polars.scan_parquet(io.BytesIO(content))
    rows, columns = lazy.select(polars.len()).collect().item(), len(lazy.collect_schema())
    if rows * columns * _VALUE_BYTES > _BYTES_MOST:
        raise _damaged(f"it has {rows} rows, more than fit the memory", file)


def require_columns(frame: "polars.DataFrame", names: Sequence[str], table: Table, file: Path) -> None:
    """Refuses a frame without one of these columns: an older version wrote it, or it has another name."""
    for name in names:
        if name in frame.columns:
            continue
        if table.column(name) is None:
            remedy = f"Known: {', '.join(column.name for column in table.columns)}"
            raise AirtcpError(f'{table.name} has no column "{name}"', str(file), remedy)
        what = f"has no column {name}: the run was recorded by an older version"
        raise AirtcpError(what, str(file), "Run its scenario again to have it")


def _first_line(error: BaseException) -> str:
    # The first line says enough; the rest is about Parquet's insides.
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def _damaged(why: str, file: Path) -> AirtcpError:
    return AirtcpError(f"is damaged: {why}", str(file), REMEDY)


def _check_column(schema: "polars.Schema", column: Column, file: Path) -> None:
    import polars

    if column.name not in schema:
        if column.later:
            return
        raise AirtcpError(f"has no column {column.name}: another version wrote it", str(file), REMEDY)
    found = schema[column.name]
    if column.type == "bytes":
        if found != polars.Binary:
            raise AirtcpError(f"column {column.name} holds {found}, not bytes", str(file), REMEDY)
    elif not found.is_integer():
        raise AirtcpError(f"column {column.name} holds {found}, not integers", str(file), REMEDY)


def _check_values(frame: "polars.DataFrame", table: Table, file: Path) -> None:
    """Values that can't be, and counters that go back: rows lost their order or their values."""
    named = {values.name: values for values in frame.get_columns()}
    present = [column for column in table.columns if column.name in named]
    for column in present:
        values = named[column.name]
        if values.null_count():
            raise _damaged(f"column {column.name} has null values", file)
        if column.type == "bytes" or column.least is None or not frame.height:
            continue
        if values.min() < column.least:  # type: ignore[operator]
            raise _damaged(f"column {column.name} has a negative value", file)
    counters = [column.name for column in present if column.counter]
    if counters and frame.height:
        _check_counters(in_time(frame), counters, table, file)


def _check_counters(frame: "polars.DataFrame", counters: Sequence[str], table: Table, file: Path) -> None:
    """Refuses counters that go back from one row of a flow, a radio, ... to its next one."""
    import numpy as np

    keys = [frame[key].to_numpy() for key in table.keys]
    # Rows of the same thing after each other, in the order of time. numpy: polars groups each column again.
    order = np.lexsort(keys[::-1])
    same = np.ones(frame.height - 1, bool)
    for key in keys:
        same &= np.diff(key[order]) == 0
    for name in counters:
        counts = frame[name].to_numpy()[order]
        if np.any(same & (counts[1:] < counts[:-1])):
            raise _damaged(f"column {name} is a counter and goes back", file)
