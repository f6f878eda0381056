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
from airtcp.execution.events import Done, Progress, RunFailed, RunInterrupted, protocol_error
from airtcp.execution.kept_output import kept_output
from airtcp.execution.leftovers import remove_leftovers
from airtcp.execution.limits import NO_LIMITS, Limits
from airtcp.execution.runner_output import RunnerOutput
from airtcp.plans.types.plan import Plan
from airtcp.scenario.reading.plan_places import scenario_place

# A runner ends its guest within a second of SIGTERM; after this time its session is killed.
GRACE_S = 10.0
POLL_S = 0.05

Process = subprocess.Popen[bytes]


@dataclass(frozen=True)
class Tools:
    """Everything needed to execute plans: runner, kernels by series, and the store of run folders.

    `guests` is the number of guests that compute a run whose network is split; `None`: as many as there are
    cores for where runs are started, else one. Results do not depend on it.
    """

    runner: Path
    kernels: Mapping[str, Path]
    store: Path
    fresh: bool = False
    limits: Limits = NO_LIMITS
    guests: int | None = None


@dataclass
class Running:
    """The active runner processes, so that one call can end them all."""

    _processes: set[Process] = field(default_factory=set)
    _lock: Lock = field(default_factory=Lock)
    stopping: bool = False

    def start(self, command: list[str], plan: IO[str], errors: IO[str]) -> Process:
        """Starts a runner in its own session, so that Ctrl-C of a terminal reaches only this process."""
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
        """Sends SIGTERM to every runner; those that do not end within `GRACE_S` are killed."""
        with self._lock:
            self.stopping = True
            for process in self._processes:
                _signal_group(process, signal.SIGTERM)


def _signal_group(process: Process, number: int) -> None:
    # Until a process is reaped, its group number can't be reused.
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)


def _has_ended(process: Process) -> bool:
    """Whether the process has ended, without reaping it; its children may still run."""
    if process.returncode is not None:
        return True
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None


def end_session(process: Process) -> int:
    """Ends a session leader and its session; returns the leader's exit status."""
    _signal_group(process, signal.SIGTERM)
    return _reap(process)


def _reap(process: Process) -> int:
    """Waits up to `GRACE_S` for a process to end, then kills what is left of its session."""
    _wait_for_end(process, GRACE_S)
    _signal_group(process, signal.SIGKILL)
    return process.wait()


def _wait_for_end(process: Process, limit_s: float) -> None:
    """Returns as soon as the process has ended, or after `limit_s`."""
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
    """The error of an interrupted run."""
    return RunInterrupted("interrupted", "interrupted", "", "", [])


@contextlib.contextmanager
def nameless(text: str = "") -> Iterator[IO[str]]:
    """An anonymous file in memory, which the system removes with its last user."""
    with os.fdopen(os.memfd_create("airtcp"), "w+", encoding="utf-8", errors="replace") as file:
        file.write(text)
        file.flush()
        yield file


def run_plan(plan: Plan, tools: Tools, running: Running, report: Callable[[Progress], None]) -> Done:
    """Executes one plan; a failed run is a `RunFailed`."""
    output = RunnerOutput(report)
    with nameless(json.dumps(plan)) as file, nameless() as errors:
        try:
            process = running.start(_command(plan, tools), file, errors)
        except OSError as error:
            raise not_started(tools, error) from None
        try:
            _follow(process, running, output, tools.limits.wall_s)
            status = _reap(process)
        except RunFailed as failed:
            run = output.started.run if output.started else None
            raise (kept_output(failed, tools.store, run, process.pid) if run else failed) from None
        finally:
            # The guest must not outlive this function, whatever happened.
            end_session(process)
            running.ended(process)
            if output.started:
                remove_leftovers(tools.store, output.started.run, process.pid)
            if process.stdout is not None:
                process.stdout.close()
        if isinstance(output.end, Done) and status == 0:
            return output.end
        if isinstance(output.end, RunFailed):
            raise output.end.at(scenario_place(plan, output.end.place))
        if running.stopping:
            raise interrupted()
        raise missing_end(status, errors)


def not_started(tools: Tools, error: OSError) -> AirtcpError:
    """The error of a runner that can't be started."""
    remedy = "Check AIRTCP_RUNNER, or build it: cargo build --release"
    return AirtcpError(f"can't be started: {error.strerror}", str(tools.runner), remedy)


def missing_end(status: int, errors: IO[str]) -> RunFailed:
    """The error of a runner that has ended and said nothing of it, with the last lines of its errors."""
    if status == -signal.SIGKILL:
        # By the host's out-of-memory killer, a batch system, or a user.
        remedy = "Run it again; if the host was out of memory, run fewer at once (--jobs)"
        return RunFailed("killed", "the runner was killed", "airtcp-runner", remedy, [])
    errors.seek(0)
    last = errors.read()[-2000:].strip().splitlines()[-5:]
    return protocol_error(
        f"ended with status {status} without a result{': ' if last else ''}{' / '.join(last)}"
    )


def _command(plan: Plan, tools: Tools) -> list[str]:
    command = [str(tools.runner), "run", "--plan", "/dev/stdin", "--store", str(tools.store)]
    command += ["--kernel", str(tools.kernels[plan["kernel"]])]
    if tools.limits.stall_s is not None:
        command += ["--stall-limit-s", str(tools.limits.stall_s)]
    # Plans of other formats than this one's reach the runner too, which says what is wrong with them.
    if plan.get("split") and tools.guests is not None:
        command += ["--guests", str(tools.guests)]
    return [*command, "--fresh"] if tools.fresh else command


def _too_long(limit_s: int, progress: Progress | None) -> RunFailed:
    reached = f"{progress.virtual_ns / 1e9:.3f} of {progress.of_ns / 1e9:g} s" if progress else "not started"
    remedy = "Raise --wall-limit-s, or run fewer at once (--jobs)"
    return RunFailed(
        "hang", f"took longer than {limit_s} s of real time", f"virtual time {reached}", remedy, []
    )


def _follow(process: Process, running: Running, output: RunnerOutput, wall_limit_s: int | None) -> None:
    """Reads events until the runner ends, even if a guest still holds the pipe open."""
    assert process.stdout is not None, "stdout is a pipe"
    stream, deadline, begin = process.stdout.fileno(), float("inf"), time.monotonic()
    while time.monotonic() < deadline:
        over = _has_ended(process)
        if running.stopping:
            deadline = min(deadline, time.monotonic() + GRACE_S)
        ready, _, _ = select.select([stream], [], [], 0 if over else POLL_S)
        chunk = os.read(stream, 65536) if ready else b""
        output.take(chunk)
        if output.waits:
            # Waiting for another process does not count: that process has its own limit.
            begin = time.monotonic()
        if (ready and not chunk) or (over and not ready):
            break
        if wall_limit_s is not None and not output.end and time.monotonic() - begin >= wall_limit_s:
            raise _too_long(wall_limit_s, output.progress)
