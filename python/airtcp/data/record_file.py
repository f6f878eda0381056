"""Record files of a run that goes on: rows that the guest has written (`crates/plan/src/record.rs`)."""

import json
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp.errors import AirtcpError

if TYPE_CHECKING:
    import numpy as np
    import polars

MAGIC = b"AIRTCPR\x02"
# Longer than the header of any table (HEADER_BYTES_MOST).
_HEADER_BYTES_MOST = 64 << 10
_ROW_BYTES_MOST = 64 << 10
# What is read at a time; the guest could write more than the memory holds.
_BYTES_MOST = 1 << 30
_TYPES = {"u32": "<u4", "i64": "<i8", "u64": "<u8", "f64": "<f8"}


class RecordFile:
    """A record file that grows."""

    def __init__(self, path: Path) -> None:
        self.path = path
        number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
        self._file = os.fdopen(number, "rb", buffering=0)
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise self._damaged("is not a regular file")
        self._type = self._header()
        self._begin = self._file.tell()

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def rows(self) -> "np.ndarray[Any, Any]":
        """All rows so far."""
        self._file.seek(self._begin)
        return self.new_rows()

    def new_rows(self) -> "np.ndarray[Any, Any]":
        """The rows that were written since the last look."""
        import numpy as np

        left = os.fstat(self._file.fileno()).st_size - self._file.tell()
        if left > _BYTES_MOST:
            raise self._damaged(f"has {left} bytes to read")
        # What is being written may end within a row.
        content = self._file.read(max(0, left) // self._type.itemsize * self._type.itemsize)
        return np.frombuffer(content, self._type)

    def _header(self) -> "np.dtype[Any]":
        import numpy as np

        beginning = self._file.read(len(MAGIC) + 4)
        length = int.from_bytes(beginning[len(MAGIC) :], "little")
        if beginning[: len(MAGIC)] != MAGIC or length > _HEADER_BYTES_MOST:
            raise self._damaged("is not a record file of this version")
        try:
            columns = json.loads(self._file.read(length))["columns"]
            row = np.dtype([(str(column["name"]), _numpy_type(column["kind"])) for column in columns])
            if not 0 < row.itemsize <= _ROW_BYTES_MOST:
                raise ValueError(f"a row has {row.itemsize} bytes")
            return row
        except (ValueError, TypeError, KeyError) as error:
            raise self._damaged(f"has a damaged header: {error}") from None

    def _damaged(self, what: str) -> AirtcpError:
        return AirtcpError(what, str(self.path), "A program of the session may have changed it")


def _numpy_type(kind: Any) -> str:
    return f"V{int(kind['bytes'])}" if isinstance(kind, dict) else _TYPES[kind]


def as_frame(rows: "np.ndarray[Any, Any]") -> "polars.DataFrame":
    """Rows as a frame with the columns of the series."""
    import polars

    columns = {}
    for name in rows.dtype.names or ():
        values = rows[name]
        raw = values.dtype.kind == "V"
        columns[name] = polars.Series(
            name,
            [cell.tobytes() for cell in values] if raw else values.copy(),
            dtype=polars.Binary if raw else None,
        )
    return polars.DataFrame(columns)
