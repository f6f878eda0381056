"""What commands that run the tests of others share: options, progress, and how long reasons may be."""

from pathlib import Path
from typing import Annotated

import typer

from airtcp.cli.status_line import StatusLine

# Longer reasons are in the outputs.
REASON_CHARACTERS = 120

Junit = Annotated[
    Path | None, typer.Option("--junit", help="Write results as JUnit XML.", show_default=False)
]
RunStore = Annotated[
    Path | None, typer.Option("--store", help="Keep the runs in this folder. Default: they are removed.")
]


class SuiteProgress(StatusLine):
    """One line on stderr for each case or batch; on a terminal one that changes."""

    def __init__(self, count: int) -> None:
        super().__init__("starting")
        self._count, self._done, self._failed = count, 0, 0

    def ended(self, how: str, failed: int) -> None:
        """One has ended; `failed` is how much of it failed."""
        self._done += 1
        self._failed += failed
        line = f"[{self._done}/{self._count}] {how}"
        self.say(line, f"{line}; {self._failed} failed so far")

    def repeated(self, repetition: int, of: int, changed: int) -> None:
        """All were run once more."""
        line = f"repetition {repetition} of {of}: {changed} differences so far"
        self.say(line, line)
