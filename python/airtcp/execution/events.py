"""What the runner says: one JSON object a line."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from airtcp.errors import AirtcpError

# Kinds of failure that the user caused and can mend before running again.
_USERS_KINDS = ("plan", "kernel", "disk")


@dataclass(frozen=True)
class Begun:
    """A run has its name."""

    run: str


@dataclass(frozen=True)
class Waiting:
    """Another process makes the same run; `over`: no longer."""

    over: bool


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    virtual_ns: int
    of_ns: int


@dataclass(frozen=True)
class Done:
    """A run that is complete, or was before (`cached`)."""

    run: str
    folder: Path
    cached: bool
    wall_s: float
    cpu_s: float
    virtual_s: float


class RunFailed(AirtcpError):
    """A run that did not come to its end: what, where, what to do, and the guest's last lines."""

    exit_status = 3

    def __init__(self, kind: str, what: str, place: str, remedy: str, console: list[str]) -> None:
        self.kind = kind
        self.console = console
        if kind in _USERS_KINDS:
            self.exit_status = 2
        super().__init__(what, place, remedy)

    def at(self, place: str) -> "RunFailed":
        """The same failure at a place with a better name."""
        return type(self)(self.kind, self.what, place, self.remedy, self.console)


class RunInterrupted(RunFailed):
    """A run that was told to stop."""

    exit_status = 130


Event = Begun | Waiting | Progress | Done


def read_event(line: str) -> Event | RunFailed | None:
    """The event of a line; `None` for those nobody needs; another line is our error, raised as such."""
    try:
        fields: dict[str, Any] = json.loads(line)
        event = fields["event"]
        if event == "start":
            return Begun(str(fields["run"]))
        if event == "waiting":
            return Waiting(bool(fields["over"]))
        if event == "progress":
            return Progress(int(fields["virtual_ns"]), int(fields["of_ns"]))
        if event == "done":
            return Done(
                run=str(fields["run"]),
                folder=Path(fields["folder"]),
                cached=bool(fields["cached"]),
                wall_s=float(fields["wall_s"]),
                cpu_s=float(fields["cpu_s"]),
                virtual_s=float(fields["virtual_s"]),
            )
        if event == "failed":
            return _failure(fields)
    except (ValueError, KeyError, TypeError):
        raise foreign(f"said {line.strip()[:200]!r}") from None
    return None


def _failure(fields: dict[str, Any]) -> RunFailed:
    kind = str(fields["kind"])
    made = RunInterrupted if kind == "interrupted" else RunFailed
    console = [str(line) for line in fields.get("console") or []]
    return made(kind, str(fields["what"]), str(fields["place"]), str(fields["remedy"]), console)


def foreign(what: str) -> RunFailed:
    """The runner did not keep to its contract."""
    remedy = "Build runner and package from one source tree: cargo build --release"
    return RunFailed("internal", what, "airtcp-runner", remedy, [])
