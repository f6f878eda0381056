"""One run: the runner's process, its events, and its end."""

import contextlib
import json
import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from airtcp.errors import AirtcpError
from airtcp.execution.events import Done, Progress, RunFailed, RunInterrupted, foreign, read_event
from airtcp.scenario.plan import Plan

# A runner told to stop ends its guest within a second; after this it is killed with all it started.
GRACE_S = 10.0
POLL_S = 0.05

Process = subprocess.Popen[bytes]
End = Done | RunFailed | None


@dataclass(frozen=True)
class Tools:
    """What executes plans: the runner, the kernels by series, and the store of run folders."""

    runner: Path
    kernels: Mapping[str, Path]
    store: Path
    fresh: bool = False
    stall_limit_s: int | None = None


@dataclass
class Running:
    """The processes under way, so that one call ends them all."""

    _processes: set[Process] = field(default_factory=set)
    _lock: Lock = field(default_factory=Lock)
    stopping: bool = False

    def start(self, command: list[str], errors: int) -> Process:
        """Starts a runner in a session of its own, so that a terminal's Ctrl-C reaches only us."""
        with self._lock:
            if self.stopping:
                raise interrupted()
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
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
def _plan_file(plan: Plan) -> Iterator[Path]:
    with tempfile.NamedTemporaryFile("w", prefix="airtcp-", suffix="-plan.json", encoding="utf-8") as file:
        file.write(json.dumps(plan))
        file.flush()
        yield Path(file.name)


def run_plan(plan: Plan, tools: Tools, running: Running, report: Callable[[Progress], None]) -> Done:
    """Executes one plan; a failed run is a `RunFailed`."""
    with _plan_file(plan) as file, os.fdopen(os.memfd_create("errors"), "w+", errors="replace") as errors:
        try:
            process = running.start(_command(tools, file, tools.kernels[plan["kernel"]]), errors.fileno())
        except OSError as error:
            remedy = "Check AIRTCP_RUNNER, or build it: cargo build --release"
            raise AirtcpError(f"can't be started: {error.strerror}", str(tools.runner), remedy) from None
        try:
            end = _follow(process, running, report)
            status = _reap(process)
        finally:
            # Whatever happened here, the guest must not outlive us.
            end_session(process)
            running.ended(process)
            if process.stdout is not None:
                process.stdout.close()
        if isinstance(end, Done) and status == 0:
            return end
        if isinstance(end, RunFailed):
            raise end
        if running.stopping:
            raise interrupted()
        errors.seek(0)
        last = errors.read()[-2000:].strip().splitlines()[-5:]
        raise foreign(f"ended with status {status} and no word{': ' if last else ''}{' / '.join(last)}")


def _command(tools: Tools, plan: Path, kernel: Path) -> list[str]:
    command = [str(tools.runner), "run", "--plan", str(plan), "--store", str(tools.store)]
    command += ["--kernel", str(kernel)]
    if tools.stall_limit_s is not None:
        command += ["--stall-limit-s", str(tools.stall_limit_s)]
    return [*command, "--fresh"] if tools.fresh else command


def _follow(process: Process, running: Running, report: Callable[[Progress], None]) -> End:
    """Reads events until the runner ends; a guest that outlives it and holds the pipe does not matter."""
    end: End = None
    assert process.stdout is not None, "stdout is a pipe"
    stream, rest, deadline = process.stdout.fileno(), b"", float("inf")
    while time.monotonic() < deadline:
        over = _has_ended(process)
        if running.stopping:
            deadline = min(deadline, time.monotonic() + GRACE_S)
        ready, _, _ = select.select([stream], [], [], 0 if over else POLL_S)
        chunk = os.read(stream, 65536) if ready else b""
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            event = read_event(line.decode(errors="replace")) if line.strip() else None
            if isinstance(event, Progress):
                report(event)
            elif event is not None:
                end = event
        if (ready and not chunk) or (over and not ready):
            break
    return end
