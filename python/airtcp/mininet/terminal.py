"""A command of Mininet on this terminal: somebody types while virtual time goes at the pace of a clock."""

import sys
from collections.abc import Callable
from pathlib import Path

from airtcp.mininet.plan import NODE
from airtcp.plans.types.plan import Plan
from airtcp.sessions.job import Chunk, Job
from airtcp.sessions.opening import tools_for
from airtcp.sessions.saved import ended, save
from airtcp.sessions.session import Session


def on_terminal(
    plan: Plan, line: str, store: Path, hold: Callable[[Session, str, str], int], keep: Path | None
) -> int:
    """Holds a session in which the shell command runs, until it ends; returns its exit status.

    `hold` passes on what is typed and shown: it gets the session, a node and the command. `keep`: where the
    session is saved, so that `airtcp run` repeats it.
    """
    with Session(plan, tools_for(plan, store)) as session:
        session.on_output = _show
        status = hold(session, NODE, line)
        if keep is not None:
            save(keep, session.plan, ended(session.inputs, session.now_ns), None)
        return status


def _show(_: Job, chunk: Chunk) -> None:
    sys.stdout.buffer.write(chunk.data)
    sys.stdout.flush()
