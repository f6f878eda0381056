"""A shell on a terminal in a node."""

import contextlib
import os
import select
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


def open_terminal(session: Session, node: str, pace: float | None) -> None:
    """Opens a shell in a node on this terminal, while time passes at its pace, until the shell ends."""
    if not sys.stdin.isatty():
        raise AirtcpError("needs a terminal", node, f"Give it a command: {node} ip address")
    command = f"PS1='{node}:\\w\\$ ' exec /bin/bash --norc --noprofile || PS1='{node}$ ' exec /bin/sh"
    try:
        run_on_terminal(session, node, command, PACE if pace is None else pace)
    finally:
        session.set_pace(pace)


def run_on_terminal(session: Session, node: str, command: str, pace: float) -> int:
    """Runs a command in a node on this terminal at this pace until it ends; returns its exit status."""
    job = session.start(node, command, size())
    session.set_pace(pace)
    with _raw(), _resizing(session, job):
        session.let_go(job=job)
        _pass_on(session, job)
    return job.result().status


def _pass_on(session: Session, job: Job) -> None:
    """What is typed goes to the job, until it has ended; what it writes is shown as all output is."""
    typing = True
    while True:
        if session.take(0):
            return
        if session.has_more:
            continue
        watched = [session.fileno(), *([sys.stdin.fileno()] if typing else [])]
        ready, _, _ = select.select(watched, [], [], LOOK_S)
        if sys.stdin.fileno() in ready:
            typed = os.read(sys.stdin.fileno(), 4096)
            typing = bool(typed)
            if typed:
                session.write(job, typed)


@contextlib.contextmanager
def _raw() -> Iterator[None]:
    """Every key goes to the other side, Ctrl-C too."""
    before = termios.tcgetattr(sys.stdin)
    tty.setraw(sys.stdin)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


@contextlib.contextmanager
def _resizing(session: Session, job: Job) -> Iterator[None]:
    """The job's terminal has the size of this one."""
    before = signal.signal(signal.SIGWINCH, lambda *_: session.resize(job, *size()))
    try:
        yield
    finally:
        signal.signal(signal.SIGWINCH, before)
