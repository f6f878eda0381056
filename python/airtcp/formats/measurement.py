"""What a file of another program holds: tidy frames, and what it says of itself."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp.errors import AirtcpError
from airtcp.formats.column import Table
from airtcp.formats.pandas_frame import to_pandas

if TYPE_CHECKING:
    import pandas
    import polars


@dataclass(frozen=True)
class Measurement:
    """A file of another program, read whole.

    Attributes:
        file: path of the file.
        format: `iperf2 CSV`, `iperf3 JSON`, `ping text`, `capture`, `Flent data` or `qlog`.
        frames: frames by their names; columns and units are in docs/reference/columns.md.
        about: what the file says of itself, for example versions and addresses.
        warnings: what was left out, and why.

    Example:
        >>> measurement = airtcp.load("ping.txt")
        >>> measurement.format, list(measurement.frames), measurement.warnings
        ('ping text', ['pings'], ())
    """

    file: Path
    format: str
    frames: "dict[str, polars.DataFrame]"
    about: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def frame(self, name: str) -> "polars.DataFrame":
        """One frame by its name.

        Args:
            name: name of the frame: a key of `frames`.

        Returns:
            A Polars frame; values that the program does not print are null.

        Raises:
            AirtcpError: the format has no such frame.

        Example:
            >>> measurement.frame("pings").columns[:2]
            ['sequence', 'rtt_ns']
        """
        if name not in self.frames:
            remedy = f"It has: {', '.join(self.frames)}"
            raise AirtcpError(f'{self.format} has no frame "{name}"', str(self.file), remedy)
        return self.frames[name]

    def pandas(self, name: str) -> "pandas.DataFrame":
        """One frame as a pandas frame.

        Args:
            name: name of the frame: a key of `frames`.

        Returns:
            The rows and columns of `frame`.

        Raises:
            AirtcpError: the format has no such frame, or pandas is not installed.

        Example:
            >>> len(measurement.pandas("pings")) == measurement.frame("pings").height
            True
        """
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
