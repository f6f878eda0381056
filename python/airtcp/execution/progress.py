"""Progress of runs: a bar with virtual time and speed on a terminal, otherwise a line per run."""

import time
from collections.abc import Sequence
from threading import Lock
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from airtcp.execution.events import Done
from airtcp.execution.events import Progress as Moved
from airtcp.visible_text import visible


class ProgressDisplay:
    """Shows the virtual time and the speed of runs with these planned lengths."""

    def __init__(self, console: Console, lengths_ns: Sequence[int]) -> None:
        self._console = console
        self._count = len(lengths_ns)
        self._lengths_s = [length_ns / 1e9 for length_ns in lengths_ns]
        self._virtual_s: dict[int, float] = {}
        self._cached_s = 0.0
        self._finished = 0
        self._begin = time.monotonic()
        self._lock = Lock()
        self._bar: Progress | None = None
        self._task = TaskID(0)

    def __enter__(self) -> Self:
        self._begin = time.monotonic()
        if self._console.is_terminal:
            columns = ("{task.description}", "{task.fields[virtual]}", "{task.fields[speed]}")
            self._bar = Progress(
                TextColumn(columns[0]),
                BarColumn(bar_width=30),
                *(TextColumn(column) for column in columns[1:]),
                TimeElapsedColumn(),
                console=self._console,
                transient=True,
                refresh_per_second=4,
            )
            self._task = self._bar.add_task("starting", total=sum(self._lengths_s), virtual="", speed="")
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def started(self, number: int, label: str) -> None:
        """A run starts."""
        with self._lock:
            self._virtual_s[number] = 0.0
            self._show(label)

    def moved(self, number: int, progress: Moved) -> None:
        """A run reports its virtual time."""
        with self._lock:
            self._virtual_s[number] = progress.virtual_ns / 1e9
            self._show(None)

    def finished(self, number: int, label: str, done: Done) -> None:
        """A run is complete."""
        with self._lock:
            self._finished += 1
            # A run may end before its planned time.
            self._virtual_s[number] = self._lengths_s[number] = done.virtual_s
            if done.cached:
                self._cached_s += done.virtual_s
            self._show(None)
            if self._bar is None:
                self._console.print(
                    visible(self._line(label, done)), markup=False, highlight=False, soft_wrap=True
                )

    def _line(self, label: str, done: Done) -> str:
        place = f"[{self._finished}/{self._count}] " if self._count > 1 else ""
        if done.cached:
            return f"{place}{label}: cached"
        return f"{place}{label}: {done.virtual_s:.1f} s in {done.wall_s:.1f} s ({_speed(done)})"

    def _show(self, label: str | None) -> None:
        if self._bar is None:
            return
        virtual_s = sum(self._virtual_s.values())
        wall_s = time.monotonic() - self._begin
        computed_s = virtual_s - self._cached_s
        total_s = sum(self._lengths_s)
        virtual = f"{virtual_s:.1f} of {total_s:.0f} s"
        speed = speed_text(computed_s / wall_s) if wall_s > 0.2 and computed_s > 0 else ""
        if label is not None:
            run = f"{min(self._finished + 1, self._count)}/{self._count} " if self._count > 1 else ""
            self._bar.update(self._task, description=escape(visible(f"{run}{label}")))
        completed = min(virtual_s, total_s)
        self._bar.update(self._task, total=total_s, completed=completed, virtual=virtual, speed=speed)


def _speed(done: Done) -> str:
    return speed_text(done.virtual_s / done.wall_s) if done.wall_s > 0 else "at once"


def speed_text(factor: float) -> str:
    """Virtual over real time, with two digits where it is slow: `0.35 times real time`."""
    return f"{factor:.0f} times real time" if factor >= 9.95 else f"{factor:.2g} times real time"
