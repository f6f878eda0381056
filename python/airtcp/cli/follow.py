"""`airtcp run --json --follow`: a line of JSON whenever a run reports its time, with its flows so far."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from airtcp.cli.say import say
from airtcp.errors import AirtcpError

if TYPE_CHECKING:
    from airtcp.execution.events import Done, Progress
    from airtcp.execution.executors.executor import Job
    from airtcp.sessions.moment import FlowMoment, Moments


class FollowLines:
    """Shows runs that go on as lines on standard output; standard error stays silent."""

    def __init__(self, jobs: "Sequence[Job]", store: Path, say_line: Callable[[str], None] = say) -> None:
        self._jobs = jobs
        self._store = store
        self._say = say_line
        self._moments: dict[int, Moments] = {}
        self._lock = Lock()

    def __enter__(self) -> Self:
        # Before the first run begins: reading would fall behind a fast one.
        import numpy  # noqa: F401

        import airtcp.sessions.moment  # noqa: F401

        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number in list(self._moments):
            self._close(number)

    def started(self, number: int, label: str) -> None:
        """A run starts."""

    def moved(self, number: int, progress: "Progress") -> None:
        """A run reports its virtual time."""
        with self._lock:
            line = {
                "event": "progress",
                "scenario": self._jobs[number].label,
                "virtual_s": progress.virtual_ns / 1e9,
                "of_s": progress.of_ns / 1e9,
                **self._so_far(number, progress),
            }
            self._say(json.dumps(line))

    def finished(self, number: int, label: str, done: "Done") -> None:  # noqa: ARG002
        """A run is complete: its object follows when all are."""
        with self._lock:
            self._close(number)

    def _so_far(self, number: int, progress: "Progress") -> dict[str, Any]:
        """The flows as far as the guest has written their samples, which it does once a second of the run."""
        from airtcp.sessions.moment import Moments

        if number not in self._moments:
            folder = next(self._store.glob(f".working-{progress.run}-*"), None)
            if folder is None:
                return {"flows": []}
            self._moments[number] = Moments(folder, self._jobs[number].plan)
        moments = self._moments[number]
        try:
            flows = moments.flows()
        except (OSError, AirtcpError):
            # Nothing has been written yet; or the run has ended, and its folder has another name.
            flows = []
        return {"flows": [_flow(flow) for flow in flows]}

    def _close(self, number: int) -> None:
        moments = self._moments.pop(number, None)
        if moments is not None:
            moments.close()


def _flow(flow: "FlowMoment") -> dict[str, Any]:
    return {
        "flow": flow.name,
        "congestion_control": flow.cca,
        "recorded_s": flow.at_ns / 1e9,
        "goodput_mbps": None if flow.goodput_bps is None else flow.goodput_bps / 1e6,
        "srtt_ms": None if flow.srtt_s is None else flow.srtt_s * 1e3,
        "cwnd": flow.cwnd,
        "retransmits": flow.retransmitted,
    }
