"""The state of a run according to the events that its runner has printed so far."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from airtcp.execution.events import Done, Progress, RunFailed, Started, Waiting, read_event


@dataclass
class RunnerOutput:
    """Name, progress and end of a run; `waits` while another process computes the same run.

    `report` is called for every progress event.
    """

    report: Callable[[Progress], None]
    started: Started | None = None
    waits: bool = False
    progress: Progress | None = None
    end: Done | RunFailed | None = None
    _rest: bytes = field(default=b"", repr=False)

    def take(self, chunk: bytes) -> None:
        """Parses the next bytes of the output, which may end within a line."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            event = read_event(line.decode(errors="replace")) if line.strip() else None
            if isinstance(event, Progress):
                self.progress = replace(event, run=self.started.run if self.started else "")
                self.report(self.progress)
            elif isinstance(event, Started):
                self.started = event
            elif isinstance(event, Waiting):
                self.waits = not event.over
            elif event is not None:
                self.end = event
