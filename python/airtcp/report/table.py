"""A table for the terminal, Markdown and CSV, and how it shows numbers."""

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from airtcp.visible_text import visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable

    from airtcp.metrics.survival import Estimate

# Of a rich table in its box SIMPLE_HEAD: spaces around a cell with the line beside it, and the left edge.
PADDING = 3
EDGES = 1
# A column of words folds at words; narrower than this it would be a column of single words.
TEXT_LEAST = 12


@dataclass
class Table:
    """Rows of text under column names; names of columns of numbers end in their unit."""

    title: str
    columns: Sequence[str]
    rows: list[list[str]] = field(default_factory=list)
    left: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Names in it may come from files of others."""
        self.title = visible(self.title)

    def add(self, *cells: str) -> None:
        """Adds a row."""
        if len(cells) != len(self.columns):
            raise ValueError(f"{len(cells)} cells in a table of {len(self.columns)} columns")
        self.rows.append([visible(cell).replace("\n", "\\n") for cell in cells])

    def facts(self) -> dict[str, Any]:
        """What makes the same table again."""
        shown = {"title": self.title, "columns": list(self.columns), "left": list(self.left)}
        return {**shown, "rows": self.rows}

    def show(self, console: "Console", width: int | None) -> None:
        """Prints the table, at most `width` characters wide if that can be; `None`: as wide as it needs.

        No number is ever cut or broken. Headings and words fold; then the columns are split into tables
        below each other, each of which begins with what its rows are about. A single column that is too
        wide for `width` is printed as wide as it is.
        """
        from rich.text import Text

        # As a title of the table it would be broken to the table's width.
        console.print(Text(self.title, style="bold"), soft_wrap=True)
        room = console.width if width is None else width
        for part in self._parts(width):
            wide = max(room, self._width(part, room))
            # The console would crop what is wider than itself.
            lines = console.render_lines(
                self._rich(part, room), console.options.update(width=wide), pad=False
            )
            for line in lines:
                console.print(Text.assemble(*((s.text, s.style or "") for s in line)), soft_wrap=True)

    def markdown(self) -> str:
        """As Markdown, under its title."""
        lines = [f"### {self.title}", "", _line(self.columns)]
        marks = ["---:" if self.is_number(n) else "---" for n in range(len(self.columns))]
        lines += [_line(marks), *(_line(row) for row in self.rows)]
        return "\n".join(lines) + "\n"

    def csv(self) -> str:
        """As CSV with a header."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(self.rows)
        return out.getvalue()

    def is_number(self, column: int) -> bool:
        """The first column, and those in `left`, are words, set left."""
        return column > 0 and self.columns[column] not in self.left

    def _natural(self, column: int) -> int:
        """Characters of the longest text of a column."""
        return max(1, len(self.columns[column]), *(len(row[column]) for row in self.rows), 1)

    def _least(self, column: int, room: int) -> int:
        """Characters that a column needs at least in a table of `room`: whole numbers, whole words."""
        cells = [row[column] for row in self.rows]
        longest = max(map(len, cells), default=0)
        # What rows are about stays in one piece while that leaves room for what is said of them.
        most = longest if self.is_number(column) else room // 2 if column == 0 else TEXT_LEAST
        words = [word for text in (self.columns[column], *cells) for word in text.split()]
        return max([1, min(longest, most), *map(len, words)])

    def _width(self, part: Sequence[int], room: int) -> int:
        return EDGES + sum(self._least(column, room) + PADDING for column in part)

    def _keys(self, room: int) -> list[int]:
        """The columns that say what a row is about: the first, and words beside it while they leave room."""
        keys = [0]
        for column in range(1, len(self.columns)):
            if self.is_number(column) or self._width([*keys, column], room) > room // 2:
                break
            keys.append(column)
        return keys

    def _parts(self, width: int | None) -> list[list[int]]:
        """The columns of each of the tables that this one is split into."""
        every = list(range(len(self.columns)))
        if width is None or self._width(every, width) <= width:
            return [every]
        keys = self._keys(width)
        parts = [keys]
        for column in every[len(keys) :]:
            if parts[-1] != keys and self._width([*parts[-1], column], width) > width:
                parts.append(keys)
            parts[-1] = [*parts[-1], column]
        return parts

    def _widths(self, part: Sequence[int], room: int) -> dict[int, int]:
        """Characters for each column: what is left of the room goes first to those that want least of it."""
        widths = {column: self._least(column, room) for column in part}
        left = room - self._width(part, room)
        for column in sorted(part, key=lambda column: self._natural(column) - widths[column]):
            more = max(0, min(left, self._natural(column) - widths[column]))
            widths[column] += more
            left -= more
        return widths

    def _rich(self, part: Sequence[int], room: int) -> "RichTable":
        from rich import box
        from rich.table import Table as RichTable
        from rich.text import Text

        table = RichTable(box=box.SIMPLE_HEAD)
        for column, width in self._widths(part, room).items():
            justify: Literal["left", "right"] = "right" if self.is_number(column) else "left"
            table.add_column(Text(self.columns[column]), justify=justify, width=width, overflow="fold")
        for row in self.rows:
            table.add_row(*(Text(row[column]) for column in part))
        return table


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


def number(value: float | None, digits: int = 2) -> str:
    """A number for a table; a dash where there is none."""
    return "-" if value is None or math.isnan(value) else f"{value:.{digits}f}"


def estimate(value: "Estimate") -> str:
    """An estimate for a table; with ">" where only a lower bound is known."""
    return f"{'> ' if value.at_least else ''}{number(value.value)}"
