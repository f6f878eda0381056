"""How long the processes of a guest have computed (`crates/runner/src/processes.rs`)."""

import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

NS_PER_S = 1e9


def computed_s(process: int) -> float | None:
    """Seconds for which a process, and all that it has started and that are there, had a core.

    `None` if the system does not show it.
    """
    shown = []
    for thread in _threads(process):
        with suppress(OSError, ValueError, IndexError):
            shown.append(int(Path(f"/proc/{thread}/schedstat").read_text().split()[0]))
    return sum(shown) / NS_PER_S if shown else None


def children(process: int) -> Iterator[int]:
    """The processes that a process has started and that are there."""
    with suppress(OSError):
        for thread in Path(f"/proc/{process}/task").iterdir():
            with suppress(OSError):
                yield from map(int, (thread / "children").read_text().split())


def _threads(process: int) -> Iterator[int]:
    with suppress(OSError):
        yield from (int(thread.name) for thread in Path(f"/proc/{process}/task").iterdir())
    for child in children(process):
        yield from _threads(child)


class Patience:
    """Ends when a guest has computed for so many seconds; on a busy machine that takes longer.

    Where that is not shown, or the guest does nothing at all, it ends after so many seconds of real time
    without anything computed.
    """

    def __init__(self, process: int, seconds: float) -> None:
        self._process, self._seconds = process, seconds
        self._began_s = self._computed_at_s = time.monotonic()
        self._began = self._computed = computed_s(process)

    @property
    def is_over(self) -> bool:
        """Whether the patience with the guest has ended."""
        computed, now_s = computed_s(self._process), time.monotonic()
        if computed != self._computed:
            self._computed, self._computed_at_s = computed, now_s
        if self._began is not None and computed is not None and computed - self._began >= self._seconds:
            return True
        return now_s - self._computed_at_s >= self._seconds
