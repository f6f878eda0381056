"""`airtcp shell`: a running network, and a prompt to work with it."""

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from airtcp.cli.changes import Seed, Set, changes
from airtcp.cli.execute import DEFAULT_STORE, Store
from airtcp.cli.say import say

if TYPE_CHECKING:
    from airtcp.shell.shell import Shell

Network = Annotated[
    Path,
    typer.Argument(
        help="Scenario file (TOML), saved session, plan, or the folder of a finished run.", show_default=False
    ),
]
At = Annotated[
    str,
    typer.Option(
        "--at",
        help='Begin at this time, as "12.3 s"; of a run, with proof that it is the run.',
        show_default=False,
    ),
]


Web = Annotated[
    bool, typer.Option("--web", help="Show timeline and map on a page on loopback, which can drive, too.")
]
Port = Annotated[int, typer.Option("--port", help="Of --web: the port on loopback; 0: any that is free.")]


def shell(
    network: Network,
    at: At = "",
    seed: Seed = None,
    settings: Set = None,
    store: Store = DEFAULT_STORE,
    web: Web = False,
    port: Port = 0,
) -> None:
    """Start a network, stop its clock at traffic time zero, and give you a prompt."""
    from airtcp.cache_folder import cache_folder
    from airtcp.sessions.lab import Lab
    from airtcp.sessions.opening import open_file
    from airtcp.sessions.proof import prove
    from airtcp.shell.commands import COMMANDS
    from airtcp.shell.prompt import hold
    from airtcp.shell.shell import Pictures, Shell

    opened = open_file(network, store, changes(seed, settings))
    with Lab(opened) as lab:
        if at:
            lab.until(at)
        if opened.run is not None:
            say(prove(opened, lab), err=True)
        session = Shell(lab, Pictures(_plot, _report), COMMANDS)
        with _open_door(session), _open_page(session, port) if web else contextlib.nullcontext():
            status = hold(session, cache_folder() / "shell-history")
    sys.exit(status)


@contextlib.contextmanager
def _open_door(shell: "Shell") -> Iterator[None]:
    """While somebody sits at the prompt, others may enter."""
    from airtcp.cache_folder import cache_folder
    from airtcp.shell.visitors import Visitors

    if not sys.stdin.isatty():
        yield
        return
    number = str(os.getpid())
    # A terminal that is closed ends the session as a person would.
    for end in (signal.SIGHUP, signal.SIGTERM):
        signal.signal(end, lambda received, _: sys.exit(128 + received))
    folder = cache_folder() / "sessions" / number
    try:
        door = Visitors(shell.lab.session, shell.lab.nodes, folder)
    except OSError as error:
        say(f"Nobody can enter from another terminal: {folder}: {error.strerror}", err=True)
        yield
        return
    with contextlib.closing(door):
        shell.visitors = door
        hint = "airtcp enter NODE"
        say(f"Session {number} ({door.path}); enter it from another terminal: {hint}", err=True)
        yield


@contextlib.contextmanager
def _open_page(shell: "Shell", port: int) -> Iterator[None]:
    """Pages follow the session, and may drive it."""
    from airtcp.web.live import Live

    signal.signal(signal.SIGTERM, lambda received, _: sys.exit(128 + received))
    with contextlib.closing(Live(shell.lab, port)) as live:
        shell.audience = live
        say(f"To drive: {live.drive_address}\nTo look:  {live.look_address}", err=True)
        yield
        shell.audience = None


def _plot(run: Path, what: str, out: Path | None) -> None:
    from airtcp.cli.plot import plot

    plot([run], what=what, out=out)


def _report(run: Path, out: Path | None) -> None:
    from airtcp.cli.report import report

    report([run], out=out or Path("report.html"))
