"""Events printed by the runner: one JSON object per line."""

import json
from dataclasses import dataclass
from pathlib import Path

from airtcp.errors import AirtcpError
from airtcp.plans.types.messages import RunEvent, RunEventFailed

# Kinds of failure that are errors of the user.
_USERS_KINDS = ("plan", "kernel", "disk")


@dataclass(frozen=True)
class Started:
    """The run has a name."""

    run: str


@dataclass(frozen=True)
class Waiting:
    """Another process computes the same run; `over`: it has ended."""

    over: bool


@dataclass(frozen=True)
class Progress:
    """Virtual time reached, and its planned end, of the run of this name."""

    virtual_ns: int
    of_ns: int
    run: str = ""


@dataclass(frozen=True)
class Done:
    """The run is complete; `cached`: it was in the store before."""

    run: str
    folder: Path
    cached: bool
    wall_s: float
    cpu_s: float
    virtual_s: float


class RunFailed(AirtcpError):
    """A failed run, with the last lines of the guest's console."""

    exit_status = 3

    def __init__(self, kind: str, what: str, place: str, remedy: str, console: list[str]) -> None:
        self.kind = kind
        self.console = console
        if kind in _USERS_KINDS:
            self.exit_status = 2
        super().__init__(what, place, remedy)

    def at(self, place: str) -> "RunFailed":
        """The failure with a place that the user knows."""
        return type(self)(self.kind, self.what, place, self.remedy, self.console)


class RunInterrupted(RunFailed):
    """A run that was interrupted."""

    exit_status = 130


Event = Started | Waiting | Progress | Done


def read_event(line: str) -> Event | RunFailed | None:
    """The event of a line; `None` for other events; anything else raises `protocol_error`."""
    try:
        event: RunEvent = json.loads(line)
        if event["event"] == "start":
            return Started(event["run"])
        if event["event"] == "waiting":
            return Waiting(event["over"])
        if event["event"] == "progress":
            return Progress(event["virtual_ns"], event["of_ns"])
        if event["event"] == "done":
            times = event["wall_s"], event["cpu_s"], event["virtual_s"]
            return Done(event["run"], Path(event["folder"]), event["cached"], *times)
        if event["event"] == "failed":
            return _failure(event)
    except (ValueError, KeyError, TypeError):
        raise protocol_error(f"printed {line.strip()[:200]!r}") from None
    return None


# What every kernel says when it boots, and which explains no failure.
_BOOT_LINES = (
    "BogoMIPS",
    "epollctl add err",
    "does not have kernel memory protection",
    "Direct firmware load for regulatory.db failed",
)


def _failure(event: RunEventFailed) -> RunFailed:
    made = RunInterrupted if event["kind"] == "interrupted" else RunFailed
    console = [line for line in event["console"] if not any(noise in line for noise in _BOOT_LINES)]
    return made(event["kind"], event["what"], event["place"], event["remedy"], console)


def protocol_error(what: str) -> RunFailed:
    """The error of a runner that violates its protocol."""
    remedy = "Build the runner from the source tree of this package: cargo build --release"
    return RunFailed("internal", what, "airtcp-runner", remedy, [])
