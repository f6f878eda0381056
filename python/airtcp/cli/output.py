"""Where commands print their results."""

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from airtcp.report.table import Table

# A page of text: what is no terminal has no width of its own.
FILE_COLUMNS = 130


class Output:
    """Standard output: as wide as the terminal, or a page.

    Tables in a file, or on their way to another program, stay in one piece and are as wide as they need.
    """

    def __init__(self) -> None:
        from rich.console import Console

        known = sys.stdout.isatty() or "COLUMNS" in os.environ
        self._console = Console(highlight=False, width=None if known else FILE_COLUMNS)
        self.width = self._console.width
        self._table_width = self.width if known else None

    def heading(self, text: str) -> None:
        """A line in bold."""
        from rich.text import Text

        self._console.print(Text(text, style="bold"), soft_wrap=True)

    def line(self, text: str = "") -> None:
        """A line of text, as it is."""
        self._console.print(text, markup=False, soft_wrap=True)

    def table(self, table: "Table") -> None:
        """A table; none of its numbers is cut at any width."""
        table.show(self._console, self._table_width)
