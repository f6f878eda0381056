"""Progress of a campaign: a bar on a terminal, otherwise a line every half minute."""

import time
from threading import Lock
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from airtcp.campaign.listener import CampaignListener, FailedRun
from airtcp.execution.events import Done
from airtcp.execution.progress import speed_text
from airtcp.visible_text import visible

# Without a terminal: the shortest time between two lines; failures are printed at once.
LINE_EVERY_S = 30.0
# The remaining time is estimated after this many runs have ended.
RUNS_LEAST = 3


class Pace:
    """Runs per minute of real time, and the time left."""

    def __init__(self, left: int) -> None:
        self._begin = time.monotonic()
        self._left = left
        self.done = self.failed = 0
        self._virtual_s = 0.0

    def completed(self, virtual_s: float) -> None:
        """Counts a run that was computed."""
        self.done += 1
        self._virtual_s += virtual_s

    def text(self) -> str:
        """Speed and time left; empty until enough runs have ended."""
        passed_s, ended = time.monotonic() - self._begin, self.done + self.failed
        if ended < min(RUNS_LEAST, self._left) or passed_s <= 0:
            return ""
        left_s = (self._left - ended) * passed_s / ended
        speed = f"{ended / passed_s * 60:.0f} runs/min, {speed_text(self._virtual_s / passed_s)}"
        return f"{speed}, {duration_text(left_s)} left" if ended < self._left else speed


def duration_text(seconds: float) -> str:
    """A duration for people: `40 s`, `3 min`, `2 h 5 min`."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


class Display(CampaignListener):
    """Shows the progress of a campaign to a person."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._lock = Lock()
        self._runs = self._cached = 0
        self._pace = Pace(0)
        self._bar: Progress | None = None
        self._task = TaskID(0)
        self._line_at = 0.0

    def begin(self, runs: int, cached: int, at_once: int) -> None:
        """See `CampaignListener`."""
        self._runs, self._cached, self._pace = runs, cached, Pace(runs - cached)
        self._line_at = time.monotonic()
        if runs == cached:
            return
        if self._console.is_terminal:
            columns = (
                TextColumn("{task.description}"),
                BarColumn(bar_width=30),
                TextColumn("{task.fields[counts]}"),
            )
            self._bar = Progress(*columns, console=self._console, transient=True, refresh_per_second=4)
            self._task = self._bar.add_task("starting", total=runs, completed=cached, counts="")
            self._bar.start()
        else:
            self._say(f"{runs} runs: {cached} cached, {runs - cached} to compute, {at_once} at a time")

    def started(self, number: int, label: str) -> None:  # noqa: ARG002
        """See `CampaignListener`."""
        with self._lock:
            if self._bar is not None:
                self._bar.update(self._task, description=escape(visible(label)))

    def done(self, number: int, label: str, end: Done) -> None:  # noqa: ARG002
        """See `CampaignListener`."""
        with self._lock:
            self._pace.completed(0.0 if end.cached else end.virtual_s)
            self._show()

    def failed(self, number: int, failed: FailedRun) -> None:  # noqa: ARG002
        """See `CampaignListener`."""
        with self._lock:
            self._pace.failed += 1
            self._say(f"failed: {failed.label}: {failed.error}")
            self._show()

    def end(self) -> None:
        """See `CampaignListener`."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def report(self, folder: Any, summary: dict[str, Any]) -> None:  # noqa: ARG002
        """See `CampaignListener`."""
        counts = f"{summary['runs']} runs: {summary['computed']} computed, {summary['cached']} cached"
        failed = f", {summary['failed']} failed" if summary["failed"] else ""
        self._say(f"{counts}{failed}; {duration_text(summary['wall_s'])}")

    def _show(self) -> None:
        counts = [f"{self._cached + self._pace.done}/{self._runs} done"]
        counts += [f"{self._pace.failed} failed"] if self._pace.failed else []
        counts += [f"{self._cached} cached"] if self._cached else []
        text = ", ".join([*counts, *([pace] if (pace := self._pace.text()) else [])])
        if self._bar is not None:
            completed = self._cached + self._pace.done + self._pace.failed
            self._bar.update(self._task, completed=completed, counts=text)
        elif time.monotonic() - self._line_at >= LINE_EVERY_S:
            self._line_at = time.monotonic()
            self._say(text)

    def _say(self, text: str) -> None:
        self._console.print(visible(text), markup=False, highlight=False, soft_wrap=True)
