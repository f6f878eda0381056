"""What a file of another program holds: tidy frames, and what it says of itself."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp.data.column import Table
from airtcp.data.pandas_frame import to_pandas
from airtcp.errors import AirtcpError

if TYPE_CHECKING:
    import pandas
    import polars


@dataclass(frozen=True)
class Measurement:
    """A file that was read whole: `format`, `frames` by name, what it says `about` itself, `warnings`."""

    file: Path
    format: str
    frames: "dict[str, polars.DataFrame]"
    about: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def frame(self, name: str) -> "polars.DataFrame":
        """One frame by its name; one that the format does not have is an `AirtcpError`."""
        if name not in self.frames:
            remedy = f"It has: {', '.join(self.frames)}"
            raise AirtcpError(f'{self.format} has no frame "{name}"', str(self.file), remedy)
        return self.frames[name]

    def pandas(self, name: str) -> "pandas.DataFrame":
        """The same as a pandas frame."""
        return to_pandas(self.frame(name))


def damaged(file: Path, why: str) -> AirtcpError:
    """The error of a file that is recognised but cut short or inconsistent."""
    return AirtcpError(f"is damaged: {why}", str(file), "Measure again, or give a whole file")


def frame_of(table: Table, rows: "list[dict[str, Any]]") -> "polars.DataFrame":
    """Rows as a frame with the documented columns of the table; what a row does not have is null.

    A value that its column can't hold, by its type or its size, is a `ValueError`.
    """
    import polars

    types = {
        "i64": polars.Int64,
        "u32": polars.UInt32,
        "u64": polars.UInt64,
        "f64": polars.Float64,
        "text": polars.String,
        "bool": polars.Boolean,
    }
    columns = []
    for column in table.columns:
        values = [row.get(column.name) for row in rows]
        try:
            columns.append(polars.Series(column.name, values, dtype=types[column.type], strict=True))
        except (TypeError, OverflowError, polars.exceptions.PolarsError):
            raise ValueError(f"a value of {column.name} is of another type, or too large") from None
    return polars.DataFrame(columns)
