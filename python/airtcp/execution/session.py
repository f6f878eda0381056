"""The process of a session: the runner, to which orders go, and from which answers come."""

import contextlib
import json
import os
import select
import subprocess
import time
from pathlib import Path

from airtcp.execution.events import RunFailed, protocol_error, read_event
from airtcp.execution.guest_activity import Patience
from airtcp.execution.runner import GRACE_S, Tools, end_session, missing_end, nameless, not_started
from airtcp.plans.types.messages import SessionAnswer, SessionOrder
from airtcp.plans.types.plan import Plan
from airtcp.scenario.reading.plan_places import scenario_place


class SessionProcess:
    """A running guest that takes orders, and answers, as `crates/guest/src/session` says."""

    def __init__(self, plan: Plan, tools: Tools) -> None:
        self._plan = plan
        self._store = tools.store
        self._open = contextlib.ExitStack()
        self._errors = self._open.enter_context(nameless())
        try:
            with nameless(json.dumps(plan)) as file:
                self._process = subprocess.Popen(
                    _command(tools, tools.kernels[plan["kernel"]], file.fileno()),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=self._errors,
                    pass_fds=[file.fileno()],
                    # Ctrl-C of a terminal is a matter of whoever holds the session.
                    start_new_session=True,
                )
        except OSError as error:
            self._open.close()
            raise not_started(tools, error) from None
        self._received = b""
        self._failure: RunFailed | None = None

    @property
    def folder(self) -> Path:
        """The working folder of the guest (`crates/runner/src/workspace.rs`)."""
        return self._store / f".working-session-{self._process.pid}-{self._process.pid}"

    @property
    def runner(self) -> int:
        """The process of the runner."""
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        """Whether the guest was found to have ended."""
        return self._failure is not None

    @property
    def has_more(self) -> bool:
        """Whether an answer was received that `receive` has not returned."""
        return b"\n" in self._received

    def patience(self, seconds: float) -> Patience:
        """The patience of whoever waits for the guest, from now on."""
        return Patience(self._process.pid, seconds)

    def fileno(self) -> int:
        """What becomes readable with an answer, for `select`; but ask `receive` first: it may hold some."""
        assert self._process.stdout is not None, "stdout is a pipe"
        return self._process.stdout.fileno()

    def send(self, order: SessionOrder) -> None:
        """Sends an order."""
        assert self._process.stdin is not None, "stdin is a pipe"
        line = json.dumps(order).encode() + b"\n"
        try:
            self._process.stdin.write(line)
            self._process.stdin.flush()
        except (BrokenPipeError, ValueError):
            raise self._end() from None

    def receive(self, timeout_s: float | None = None) -> SessionAnswer | None:
        """The next answer; `None` after so many seconds without one.

        The end of the guest is a `RunFailed` that says why.
        """
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while b"\n" not in self._received:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            ready, _, _ = select.select([self.fileno()], [], [], left)
            if not ready:
                return None
            chunk = os.read(self.fileno(), 1 << 16)
            if not chunk:
                raise self._end()
            self._received += chunk
        line, _, self._received = self._received.partition(b"\n")
        try:
            answer: SessionAnswer = json.loads(line)
        except ValueError:
            raise protocol_error(f"printed {line[:200]!r}") from None
        if "session" not in answer:
            self._received = line + b"\n" + self._received
            raise self._end()
        return answer

    def _end(self) -> RunFailed:
        """Why the guest has ended; the same however often it is asked."""
        if self._failure is None:
            self._failure = self._reason()
        return self._failure

    def _reason(self) -> RunFailed:
        assert self._process.stdout is not None, "stdout is a pipe"
        # It is about to say why.
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE_S)
        status = end_session(self._process)
        lines = self._received + self._process.stdout.read()
        self._received = b""
        for line in lines.decode(errors="replace").splitlines():
            event = read_event(line) if '"event"' in line else None
            if isinstance(event, RunFailed):
                return event.at(scenario_place(self._plan, event.place))
        return missing_end(status, self._errors)

    def close(self) -> None:
        """Ends the guest; nothing of it is left."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        end_session(self._process)
        self._open.close()

    def kill_if_stuck(self) -> None:
        """Ends a guest that takes no orders."""
        end_session(self._process)


def _command(tools: Tools, kernel: Path, plan: int) -> list[str]:
    command = [str(tools.runner), "session", "--plan", f"/proc/self/fd/{plan}", "--store", str(tools.store)]
    return [*command, "--kernel", str(kernel)]
