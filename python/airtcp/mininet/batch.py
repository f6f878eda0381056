"""A command of Mininet from beginning to end, as a run: what is typed is known before."""

import contextlib
import errno
import os
import stat
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

from airtcp.execution.limits import Limits
from airtcp.execution.locate import find_kernel
from airtcp.execution.run_names import names
from airtcp.execution.runner import Running, Tools, run_plan
from airtcp.mininet.plan import NODE, TYPIST
from airtcp.plans.content import content_of
from airtcp.plans.types.plan import Plan, PlanFile, PlanProgram
from airtcp.scenario.compile.session_plan import with_session

PROGRAM = "mininet"
POLL_S = 0.1
# What is read at a time: a script may write faster than a terminal shows.
_PIECE_BYTES = 1 << 20
# Seconds of real time for which virtual time may stand still: starting Python and Open vSwitch takes some.
STALL_S = 300
LOOK_S = 60
"""Seconds of real time after which slow virtual time is explained."""
SLOW = 0.1
"""Virtual seconds for each of real time below which it is slow."""
_WHY_SLOW = (
    "airtcp: the last {real} s took the network through {virtual:.1f} s. Each packet is computed, and links "
    "without bw carry many: TCP fills them, and so do broadcasts, for ever, where switches form a loop "
    "without STP. If so, give links bw, or let all of them carry less: "
    "airtcp mininet --link-rate '10 Mbit/s'\n"
)
# A pipe that never ends: at its end Mininet's prompt would poll without sleeping, and virtual time stop.
_TYPE = f"""
mkfifo /run/commands; exec 3<>/run/commands; "$SCENARIO_DIR/{TYPIST}" "$SCENARIO_DIR/commands" >&3 &
exec <&3
"""
# Scripts print to one, Mininet to the other: of one file both are in the order in which they were written.
_TOGETHER = "exec 2>&1\n"


def batch_plan(plan: Plan, line: str, commands: bytes, *, together: bool = False) -> Plan:
    """The plan with a shell command that ends the run; `commands` and `exit` are typed at its prompt.

    `together`: what it writes to its two outputs is shown in one, in order.
    """
    typed = commands + (b"" if commands.endswith(b"\n") or not commands else b"\n") + b"exit\n"
    file: PlanFile = {"path": "commands", "executable": False, "content": content_of(typed)}
    program: PlanProgram = {
        "name": PROGRAM,
        "node": NODE,
        "command": _TYPE + (_TOGETHER if together else "") + line,
        "start_ns": 0,
        "must_succeed": False,
        "stop_ns": None,
    }
    # Requests for changes of the air are a matter of the session, also of one in which nobody types.
    return with_session(
        {**plan, "programs": [program], "ends_with_programs": [0], "files": [*plan["files"], file]}, []
    )


def run_batch(plan: Plan, runner: Path, store: Path, show: Callable[[str, bytes], None]) -> Path:
    """Runs the plan; shows what the command writes (`out` or `err`) while it does. Returns the run folder."""
    kernels = {plan["kernel"]: find_kernel(plan["kernel"])}
    tools = Tools(runner, kernels, store, fresh=True, limits=Limits(STALL_S, None))
    output = _Output(store, names(runner, kernels, [plan])[0], show)
    slowness = Slowness(lambda text: show("err", text.encode()))
    reader = threading.Thread(target=output.follow, daemon=True)
    reader.start()
    try:
        return run_plan(plan, tools, Running(), lambda now: slowness.at(now.virtual_ns)).folder
    finally:
        output.over.set()
        reader.join()


class Slowness:
    """Says once that virtual time is slow, and why it may be: such a script looks like one that hangs."""

    def __init__(self, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._say, self._clock = say, clock
        self._since_s, self._since_ns = clock(), 0
        self._said = False

    def at(self, virtual_ns: int) -> None:
        """Virtual time has come to this instant."""
        real_s, virtual_s = self._clock() - self._since_s, (virtual_ns - self._since_ns) / 1e9
        if real_s < LOOK_S or self._said:
            return
        if virtual_s < SLOW * real_s:
            self._said = True
            self._say(_WHY_SLOW.format(real=round(real_s), virtual=virtual_s))
        self._since_s, self._since_ns = self._clock(), virtual_ns


def _open_plain(path: Path) -> IO[bytes]:
    """Opens a regular file; the script may have put a link or a pipe in its place, which is an `OSError`."""
    file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    return file


class _Output:
    """The two files of the command, in the run's working folder as long as it runs."""

    def __init__(self, store: Path, run: str, show: Callable[[str, bytes], None]) -> None:
        self.over = threading.Event()
        self._store, self._run, self._show = store, run, show
        self._files: dict[str, IO[bytes]] = {}

    def follow(self) -> None:
        """Shows what is written until the run is over, and what was left then."""
        while not self.over.wait(POLL_S):
            self._show_new()
        self._show_new()
        for file in self._files.values():
            file.close()

    def _show_new(self) -> None:
        for end in ("out", "err"):
            if end not in self._files:
                # Once open, the file can be read to its end, whatever becomes of its folder.
                for path in self._store.glob(f".working-{self._run}-*/programs/{PROGRAM}.{end}"):
                    with contextlib.suppress(OSError):
                        self._files[end] = _open_plain(path)
            while end in self._files and (new := self._files[end].read(_PIECE_BYTES)):
                self._show(end, new)
