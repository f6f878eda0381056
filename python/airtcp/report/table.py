"""A table for the terminal, Markdown and CSV."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rich.console import Group


@dataclass
class Table:
    """Rows of text under column names; names of columns of numbers end in their unit."""

    title: str
    columns: Sequence[str]
    rows: list[list[str]] = field(default_factory=list)
    left: Sequence[str] = ()

    def add(self, *cells: str) -> None:
        """Adds a row."""
        if len(cells) != len(self.columns):
            raise ValueError(f"{len(cells)} cells in a table of {len(self.columns)} columns")
        self.rows.append(list(cells))

    def rich(self) -> "Group":
        """For a terminal; columns named in `left`, and the first, are set left, others right."""
        from rich import box
        from rich.console import Group
        from rich.table import Table as RichTable
        from rich.text import Text

        table = RichTable(box=box.SIMPLE_HEAD)
        for number, column in enumerate(self.columns):
            is_left = number == 0 or column in self.left
            justify: Literal["left", "right"] = "left" if is_left else "right"
            # What a row is about, and numbers, stay in one piece on a narrow terminal.
            longest = max((len(word) for word in column.split()), default=1)
            whole = number == 0 or not is_left
            width = max([longest, *(len(row[number]) for row in self.rows if whole)])
            table.add_column(Text(column), justify=justify, overflow="fold", min_width=width)
        for row in self.rows:
            table.add_row(*(Text(cell) for cell in row))
        # As a title of the table it would be broken to the table's width.
        return Group(Text(self.title, style="bold"), table)

    def markdown(self) -> str:
        """As Markdown, under its title."""
        lines = [f"### {self.title}", "", _line(self.columns)]
        marks = ["---" if n == 0 or c in self.left else "---:" for n, c in enumerate(self.columns)]
        lines += [_line(marks), *(_line(row) for row in self.rows)]
        return "\n".join(lines) + "\n"

    def csv(self) -> str:
        """As CSV with a header."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(self.rows)
        return out.getvalue()


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"
