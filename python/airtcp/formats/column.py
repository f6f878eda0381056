"""What a column of a frame means."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Column:
    """One documented column.

    `type` is that of the file (`i64`, `u32`, `u64`, `bytes`, `text`, `f64`, `bool`), `unit` what it counts
    ("" for a name, a code or a plain number). A counter counts from zero and never goes back. A `later`
    column is absent from runs of older versions. No value is below `least`. If values are places of items in
    one of the plan's lists, `numbers` is the dotted key of that list; with `or_group` a value may also be the
    number that stands for a group of radios.
    """

    name: str
    type: str
    unit: str
    meaning: str
    counter: bool = False
    later: bool = False
    least: int | None = 0
    numbers: str = ""
    or_group: bool = False


@dataclass(frozen=True)
class Table:
    """One documented table: its columns in order; `keys` are those that identify what a row describes."""

    name: str
    meaning: str
    columns: tuple[Column, ...]
    keys: tuple[str, ...] = ()

    def column(self, name: str) -> Column | None:
        """The column of this name."""
        return next((column for column in self.columns if column.name == name), None)
