"""One run: the runner's process, its events, and its end."""

import contextlib
import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, Timer

from airtcp.errors import AirtcpError
from airtcp.execution.events import Done, Progress, RunFailed, RunInterrupted, foreign, read_event
from airtcp.scenario.plan import Plan

# A runner told to stop ends its guest within a second; after this it is killed with all it started.
GRACE_S = 10.0


@dataclass(frozen=True)
class Tools:
    """What executes plans: the runner, the kernel and the store of run folders."""

    runner: Path
    kernel: Path
    store: Path
    fresh: bool = False
    stall_limit_s: int | None = None


@dataclass
class Running:
    """The processes under way, so that one call ends them all."""

    _processes: set["subprocess.Popen[str]"] = field(default_factory=set)
    _lock: Lock = field(default_factory=Lock)
    stopping: bool = False

    def start(self, command: list[str], errors: int) -> "subprocess.Popen[str]":
        """Starts a runner in a session of its own, so that a terminal's Ctrl-C reaches only us."""
        with self._lock:
            if self.stopping:
                raise interrupted()
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
            )
            self._processes.add(process)
            return process

    def ended(self, process: "subprocess.Popen[str]") -> None:
        """Forgets a process that has ended."""
        with self._lock:
            self._processes.discard(process)

    def stop(self) -> None:
        """Tells every runner to end its guest; those that do not obey are killed after `GRACE_S`."""
        with self._lock:
            self.stopping = True
            processes = list(self._processes)
        for process in processes:
            _signal_group(process, signal.SIGTERM)
        for process in processes:
            timer = Timer(GRACE_S, _signal_group, (process, signal.SIGKILL))
            timer.daemon = True
            timer.start()


def _signal_group(process: "subprocess.Popen[str]", number: int) -> None:
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)


def end_session(process: "subprocess.Popen[str]") -> None:
    """Ends a process that leads a session, with all it started; returns when it has ended."""
    _signal_group(process, signal.SIGTERM)
    _wait(process)


def interrupted() -> RunInterrupted:
    """The error of a run that was not let finish."""
    return RunInterrupted("interrupted", "interrupted", "", "", [])


def run_plan(plan: Plan, tools: Tools, running: Running, report: Callable[[Progress], None]) -> Done:
    """Executes one plan; a failed run is a `RunFailed`."""
    with tempfile.TemporaryDirectory(prefix="airtcp-") as folder, tempfile.TemporaryFile("w+") as errors:
        file = Path(folder) / "plan.json"
        file.write_text(json.dumps(plan), encoding="utf-8")
        try:
            process = running.start(_command(tools, file), errors.fileno())
        except OSError as error:
            remedy = "Check AIRTCP_RUNNER, or build it: cargo build --release"
            raise AirtcpError(f"can't be started: {error.strerror}", str(tools.runner), remedy) from None
        try:
            end = _follow(process, report)
        except BaseException:
            # Whatever happened here, the guest must not outlive us.
            end_session(process)
            raise
        finally:
            status = _wait(process)
            running.ended(process)
        if isinstance(end, Done) and status == 0:
            return end
        if isinstance(end, RunFailed):
            raise end
        if running.stopping:
            raise interrupted()
        errors.seek(0)
        last = errors.read()[-2000:].strip().splitlines()[-5:]
        raise foreign(f"ended with status {status} and no word{': ' if last else ''}{' / '.join(last)}")


def _command(tools: Tools, plan: Path) -> list[str]:
    command = [str(tools.runner), "run", "--plan", str(plan), "--store", str(tools.store)]
    command += ["--kernel", str(tools.kernel)]
    if tools.stall_limit_s is not None:
        command += ["--stall-limit-s", str(tools.stall_limit_s)]
    return [*command, "--fresh"] if tools.fresh else command


def _follow(process: "subprocess.Popen[str]", report: Callable[[Progress], None]) -> Done | RunFailed | None:
    end: Done | RunFailed | None = None
    assert process.stdout is not None, "stdout is a pipe"
    with process.stdout as lines:
        for line in lines:
            if not line.strip():
                continue
            event = read_event(line)
            if isinstance(event, Progress):
                report(event)
            elif event is not None:
                end = event
    return end


def _wait(process: "subprocess.Popen[str]") -> int:
    try:
        return process.wait(GRACE_S)
    except subprocess.TimeoutExpired:
        _signal_group(process, signal.SIGKILL)
        return process.wait()
