"""Output of commands: text and tables on standard output."""

import os
import sys
from typing import TYPE_CHECKING

from airtcp.visible_text import visible

if TYPE_CHECKING:
    from airtcp.report.table import Table

# The width of text that is not printed to a terminal.
FILE_COLUMNS = 130


class Output:
    """Standard output, as wide as the terminal.

    Tables written to a file or a pipe are as wide as they need to be.
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

        self._console.print(Text(visible(text), style="bold"), soft_wrap=True)

    def line(self, text: str = "") -> None:
        """A line of text."""
        self._console.print(visible(text), markup=False, soft_wrap=True)

    def table(self, table: "Table") -> None:
        """A table; none of its numbers is cut at any width."""
        table.show(self._console, self._table_width)
