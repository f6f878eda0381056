"""Progress of a campaign for programs: one JSON object per line."""

import json
from pathlib import Path
from threading import Lock
from typing import IO, Any

from airtcp.campaign.listener import CampaignListener, FailedRun
from airtcp.execution.events import Done


class EventLines(CampaignListener):
    """Writes the events `begin`, `started`, `done`, `failed` and `summary`."""

    def __init__(self, out: IO[str]) -> None:
        self._out = out
        self._lock = Lock()

    def begin(self, runs: int, cached: int, at_once: int) -> None:
        """See `CampaignListener`."""
        self._write("begin", runs=runs, cached=cached, at_once=at_once)

    def started(self, number: int, label: str) -> None:
        """See `CampaignListener`."""
        self._write("started", number=number, label=label)

    def done(self, number: int, label: str, end: Done) -> None:
        """See `CampaignListener`."""
        costs = {"wall_s": end.wall_s, "cpu_s": end.cpu_s, "virtual_s": end.virtual_s}
        facts = {"run": end.folder.name, "folder": str(end.folder), "cached": end.cached, **costs}
        self._write("done", number=number, label=label, **facts)

    def failed(self, number: int, failed: FailedRun) -> None:
        """See `CampaignListener`."""
        self._write("failed", number=number, label=failed.label, **failed.facts())

    def report(self, folder: Path | None, summary: dict[str, Any]) -> None:
        """See `CampaignListener`."""
        self._write("summary", **summary, report=None if folder is None else str(folder))

    def _write(self, event: str, **facts: Any) -> None:
        with self._lock:
            print(json.dumps({"event": event, **facts}, default=str), file=self._out, flush=True)
