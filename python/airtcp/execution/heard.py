"""What a runner has said so far."""

from collections.abc import Callable
from dataclasses import dataclass, field

from airtcp.execution.events import Begun, Done, Progress, RunFailed, Waiting, read_event


@dataclass
class Heard:
    """The name of its run, whether another process makes that, how far it came, and how it ended.

    `report` is told of every progress.
    """

    report: Callable[[Progress], None]
    begun: Begun | None = None
    waits: bool = False
    moved: Progress | None = None
    end: Done | RunFailed | None = None
    _rest: bytes = field(default=b"", repr=False)

    def take(self, chunk: bytes) -> None:
        """Takes the next bytes of its output, which may end within a line."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            event = read_event(line.decode(errors="replace")) if line.strip() else None
            if isinstance(event, Progress):
                self.moved = event
                self.report(event)
            elif isinstance(event, Begun):
                self.begun = event
            elif isinstance(event, Waiting):
                self.waits = not event.over
            elif event is not None:
                self.end = event
