"""A shell on a terminal in a node."""

import contextlib
import os
import signal
import sys
import termios
import tty
from collections.abc import Iterator

from airtcp.errors import AirtcpError
from airtcp.sessions.job import Job
from airtcp.sessions.session import Session

# Real time, so that programs feel alive.
PACE = 1.0
LOOK_S = 0.5


def size() -> tuple[int, int]:
    """Lines and columns of this terminal."""
    columns, lines = os.get_terminal_size(sys.stdin.fileno())
    return lines, columns


def login(node: str) -> str:
    """The command line of a shell on a terminal in a node."""
    return f"PS1='{node}:\\w\\$ ' exec /bin/bash --norc --noprofile || PS1='{node}$ ' exec /bin/sh"


def open_terminal(session: Session, node: str, pace: float | None) -> None:
    """Opens a shell in a node on this terminal, while time passes at its pace, until the shell ends."""
    if not sys.stdin.isatty():
        raise AirtcpError("needs a terminal", node, f"Give it a command: {node} ip address")
    try:
        run_on_terminal(session, node, login(node), PACE if pace is None else pace)
    finally:
        session.set_pace(pace)


def run_on_terminal(session: Session, node: str, command: str, pace: float) -> int:
    """Runs a command in a node on this terminal at this pace until it ends; returns its exit status."""
    job = session.start(node, command, size())
    session.set_pace(pace)
    with raw(), size_changes() as changes:
        session.let_go(job=job)
        _pass_on(session, job, changes)
    return job.result().status


def _pass_on(session: Session, job: Job, changes: int) -> None:
    """What is typed goes to the job, and the terminal's size, until it has ended; what it writes is shown as
    all output is.
    """
    stdin = sys.stdin.fileno()

    def type_on() -> None:
        typed = os.read(stdin, 4096)
        if typed:
            session.write(job, typed)
        else:
            del session.listening[stdin]

    def tell_size() -> None:
        os.read(changes, 4096)
        session.resize(job, *size())

    session.listening[stdin] = type_on
    session.listening[changes] = tell_size
    try:
        while not session.stands:
            session.hear(LOOK_S)
    finally:
        session.listening.pop(stdin, None)
        session.listening.pop(changes, None)


@contextlib.contextmanager
def raw() -> Iterator[None]:
    """Every key goes to the other side, Ctrl-C too."""
    before = termios.tcgetattr(sys.stdin)
    tty.setraw(sys.stdin)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


@contextlib.contextmanager
def size_changes() -> Iterator[int]:
    """A file that becomes readable when the size of this terminal has changed; who listens reads it empty.

    The signal may come while something is being written, another such signal included, so it only leaves a
    byte there.
    """
    changes, noted = os.pipe()
    os.set_blocking(noted, False)

    def note(*_: object) -> None:
        # A full pipe says already what there is to say.
        with contextlib.suppress(BlockingIOError):
            os.write(noted, b"x")

    before = signal.signal(signal.SIGWINCH, note)
    try:
        yield changes
    finally:
        signal.signal(signal.SIGWINCH, before)
        os.close(changes)
        os.close(noted)
