"""Where commands print their tables."""

import os
import sys

from rich.console import Console

# A page of text: rich's 80 columns would break tables that go to a file or another program.
FILE_COLUMNS = 130


def output() -> Console:
    """Standard output: as wide as the terminal, or as a page if it is none."""
    known = sys.stdout.isatty() or "COLUMNS" in os.environ
    return Console(highlight=False, width=None if known else FILE_COLUMNS)
