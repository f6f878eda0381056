"""Who is told how a campaign gets on."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from airtcp.errors import AirtcpError
from airtcp.execution.events import Done, Progress, RunFailed


@dataclass(frozen=True)
class Failed:
    """A run that did not come to its end, with the levels of its first case."""

    label: str
    levels: dict[str, Any]
    seed: int
    error: AirtcpError

    def facts(self) -> dict[str, Any]:
        """As JSON."""
        error = self.error
        console = error.console if isinstance(error, RunFailed) else []
        kind = error.kind if isinstance(error, RunFailed) else "error"
        about = {"kind": kind, "what": error.what, "place": error.place, "remedy": error.remedy}
        return {"levels": self.levels, "seed": self.seed, **about, "console": console}


class Watcher:
    """Hears everything and says nothing; others say what they like of it.

    `started` and `moved` are called by several threads, the others by one.
    """

    def begin(self, runs: int, cached: int, at_once: int) -> None:
        """So many runs, of which so many are there already."""

    def started(self, number: int, label: str) -> None:
        """A run begins."""

    def moved(self, number: int, progress: Progress) -> None:
        """A run has come this far."""

    def done(self, number: int, label: str, end: Done) -> None:
        """A run is complete."""

    def failed(self, number: int, failed: Failed) -> None:
        """A run has failed; the campaign goes on."""

    def end(self) -> None:
        """Nothing runs any more, however it ended."""

    def report(self, folder: Path | None, summary: dict[str, Any]) -> None:
        """The last word."""
