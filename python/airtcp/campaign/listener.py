"""Notifications about the progress of a campaign."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from airtcp.errors import AirtcpError
from airtcp.execution.events import Done, Progress, RunFailed


@dataclass(frozen=True)
class FailedRun:
    """A run that failed, with levels and seed of its first case."""

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


class CampaignListener:
    """Base class that ignores every notification; subclasses override those they show.

    `started` and `moved` are called from several threads, the others from one.
    """

    def begin(self, runs: int, cached: int, at_once: int) -> None:
        """The campaign starts: total runs, runs already in the store, and concurrent runs."""

    def started(self, number: int, label: str) -> None:
        """A run starts."""

    def moved(self, number: int, progress: Progress) -> None:
        """A run reports its virtual time."""

    def done(self, number: int, label: str, end: Done) -> None:
        """A run is complete."""

    def failed(self, number: int, failed: FailedRun) -> None:
        """A run failed; the campaign continues."""

    def end(self) -> None:
        """No run is active any more; called also after an interruption."""

    def report(self, folder: Path | None, summary: dict[str, Any]) -> None:
        """The campaign is complete and its report is written."""
