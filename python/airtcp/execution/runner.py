"""One run: the runner's process, its events, and its end."""

import contextlib
import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import IO

from airtcp.errors import AirtcpError
from airtcp.execution.events import Done, Progress, RunFailed, RunInterrupted, foreign
from airtcp.execution.heard import Heard
from airtcp.execution.leftovers import remove_leftovers
from airtcp.execution.limits import NO_LIMITS, Limits
from airtcp.scenario.plan_types.plan import Plan
from airtcp.scenario.reading.plan_places import scenario_place

# A runner told to stop ends its guest within a second; after this it is killed with all it started.
GRACE_S = 10.0
POLL_S = 0.05

Process = subprocess.Popen[bytes]


@dataclass(frozen=True)
class Tools:
    """What executes plans: the runner, the kernels by series, and the store of run folders."""

    runner: Path
    kernels: Mapping[str, Path]
    store: Path
    fresh: bool = False
    limits: Limits = NO_LIMITS


@dataclass
class Running:
    """The processes under way, so that one call ends them all."""

    _processes: set[Process] = field(default_factory=set)
    _lock: Lock = field(default_factory=Lock)
    stopping: bool = False

    def start(self, command: list[str], plan: IO[str], errors: IO[str]) -> Process:
        """Starts a runner in a session of its own, so that a terminal's Ctrl-C reaches only us."""
        with self._lock:
            if self.stopping:
                raise interrupted()
            process = subprocess.Popen(
                command,
                stdin=plan,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
            )
            self._processes.add(process)
            return process

    def ended(self, process: Process) -> None:
        """Forgets a process that has ended."""
        with self._lock:
            self._processes.discard(process)

    def stop(self) -> None:
        """Tells every runner to end its guest; those that do not within `GRACE_S` are killed."""
        with self._lock:
            self.stopping = True
            for process in self._processes:
                _signal_group(process, signal.SIGTERM)


def _signal_group(process: Process, number: int) -> None:
    # A process that is not reaped yet keeps its group's number from being given to another.
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)


def _has_ended(process: Process) -> bool:
    """Whether the process itself is over, without reaping it; what it started may live on."""
    if process.returncode is not None:
        return True
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None


def end_session(process: Process) -> int:
    """Ends a process that leads a session, with all in it; returns its status when it has ended."""
    _signal_group(process, signal.SIGTERM)
    return _reap(process)


def _reap(process: Process) -> int:
    """Waits for a process that should end now; kills it if it does not, and whatever outlives it."""
    _wait_for_end(process, GRACE_S)
    _signal_group(process, signal.SIGKILL)
    return process.wait()


def _wait_for_end(process: Process, limit_s: float) -> None:
    """Returns when the process is over, at once, or when this time has passed."""
    if _has_ended(process):
        return
    with contextlib.suppress(OSError):  # a kernel before 5.3, or a container that forbids it
        ended = os.pidfd_open(process.pid)
        try:
            select.select([ended], [], [], limit_s)
            return
        finally:
            os.close(ended)
    deadline = time.monotonic() + limit_s
    while not _has_ended(process) and time.monotonic() < deadline:
        time.sleep(POLL_S)


def interrupted() -> RunInterrupted:
    """The error of a run that was not let finish."""
    return RunInterrupted("interrupted", "interrupted", "", "", [])


@contextlib.contextmanager
def _nameless(text: str = "") -> Iterator[IO[str]]:
    """A file in memory: whoever is killed, nothing of it is left."""
    with os.fdopen(os.memfd_create("airtcp"), "w+", encoding="utf-8", errors="replace") as file:
        file.write(text)
        file.flush()
        yield file


def run_plan(plan: Plan, tools: Tools, running: Running, report: Callable[[Progress], None]) -> Done:
    """Executes one plan; a failed run is a `RunFailed`."""
    heard = Heard(report)
    with _nameless(json.dumps(plan)) as file, _nameless() as errors:
        try:
            process = running.start(_command(tools, tools.kernels[plan["kernel"]]), file, errors)
        except OSError as error:
            remedy = "Check AIRTCP_RUNNER, or build it: cargo build --release"
            raise AirtcpError(f"can't be started: {error.strerror}", str(tools.runner), remedy) from None
        try:
            _follow(process, running, heard, tools.limits.wall_s)
            status = _reap(process)
        finally:
            # Whatever happened here, the guest must not outlive us.
            end_session(process)
            running.ended(process)
            if heard.begun:
                remove_leftovers(tools.store, heard.begun.run, process.pid)
            if process.stdout is not None:
                process.stdout.close()
        if isinstance(heard.end, Done) and status == 0:
            return heard.end
        if isinstance(heard.end, RunFailed):
            raise heard.end.at(scenario_place(plan, heard.end.place))
        if running.stopping:
            raise interrupted()
        errors.seek(0)
        raise _without_a_word(status, errors.read())


def _without_a_word(status: int, errors: str) -> RunFailed:
    if status == -signal.SIGKILL:
        # By the host when it is out of memory, a batch system, a person.
        remedy = "Run it again; if nobody did it, the host was out of memory: run fewer at once (--jobs)"
        return RunFailed("killed", "the runner was killed", "airtcp-runner", remedy, [])
    last = errors[-2000:].strip().splitlines()[-5:]
    return foreign(f"ended with status {status} and no word{': ' if last else ''}{' / '.join(last)}")


def _command(tools: Tools, kernel: Path) -> list[str]:
    command = [str(tools.runner), "run", "--plan", "/dev/stdin", "--store", str(tools.store)]
    command += ["--kernel", str(kernel)]
    if tools.limits.stall_s is not None:
        command += ["--stall-limit-s", str(tools.limits.stall_s)]
    return [*command, "--fresh"] if tools.fresh else command


def _too_long(limit_s: int, moved: Progress | None) -> RunFailed:
    came = f"came to {moved.virtual_ns / 1e9:.3f} of {moved.of_ns / 1e9:g} s" if moved else "did not begin"
    remedy = "Raise --wall-limit-s, or run fewer at once (--jobs)"
    return RunFailed("hang", f"took longer than {limit_s} s of real time", f"virtual time {came}", remedy, [])


def _follow(process: Process, running: Running, heard: Heard, wall_limit_s: int | None) -> None:
    """Listens until the runner ends; a guest that outlives it and holds the pipe does not matter."""
    assert process.stdout is not None, "stdout is a pipe"
    stream, deadline, begin = process.stdout.fileno(), float("inf"), time.monotonic()
    while time.monotonic() < deadline:
        over = _has_ended(process)
        if running.stopping:
            deadline = min(deadline, time.monotonic() + GRACE_S)
        ready, _, _ = select.select([stream], [], [], 0 if over else POLL_S)
        chunk = os.read(stream, 65536) if ready else b""
        heard.take(chunk)
        if heard.waits:
            # For another process, which has a limit of its own.
            begin = time.monotonic()
        if (ready and not chunk) or (over and not ready):
            break
        if wall_limit_s is not None and not heard.end and time.monotonic() - begin >= wall_limit_s:
            raise _too_long(wall_limit_s, heard.moved)
