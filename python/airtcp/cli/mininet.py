"""`airtcp mininet`: a Mininet script, or a command of Mininet, in virtual time."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from airtcp.cli.execute import DEFAULT_STORE, Store
from airtcp.errors import AirtcpError

# What the guest does not share with this machine (crates/agent/src/boot/root.rs).
_OWN_FOLDERS = ("/tmp", "/var/tmp", "/run", "/dev", "/proc", "/sys")

Command = Annotated[
    list[str],
    typer.Argument(
        help="A script with its arguments, or after -- a command such as mn --test pingall.",
        show_default=False,
    ),
]
SeedOption = Annotated[int, typer.Option("--seed", help="Root of every random stream.")]


def mininet(command: Command, seed: SeedOption = 1, store: Store = DEFAULT_STORE) -> None:
    """Run a Mininet script in virtual time, as root of a guest of its own.

    What it reads from standard input are commands for Mininet's prompt. It can change every file; the changes
    end with the guest, except those in $RUN_DIR, which the run folder keeps.
    """
    from airtcp.execution.locate import find_runner
    from airtcp.execution.mininet import mininet_plan, run_mininet
    from airtcp.execution.store import prepare_store

    _check_folder(Path.cwd())
    typed = b"" if sys.stdin.isatty() else sys.stdin.buffer.read()
    plan = mininet_plan(_words(command), typed, Path.cwd(), seed)
    folder = run_mininet(plan, find_runner(), prepare_store(store), _show)
    typer.echo(f"Run folder: {folder}", err=True)
    status = folder / "programs" / "status"
    raise typer.Exit(int(status.read_text()) if status.is_file() else AirtcpError.exit_status)


def _words(command: list[str]) -> list[str]:
    """A script is run by Debian's Python, which Mininet is installed for."""
    if not command[0].endswith(".py"):
        return command
    if not Path(command[0]).is_file():
        raise AirtcpError("there is no such script", command[0], "Check the path")
    return ["/usr/bin/python3", *command]


def _check_folder(folder: Path) -> None:
    for own in _OWN_FOLDERS:
        if folder.is_relative_to(own):
            raise AirtcpError(f"the guest has an empty {own} of its own", str(folder), "Use another folder")


def _show(end: str, new: bytes) -> None:
    stream = sys.stdout if end == "out" else sys.stderr
    stream.buffer.write(new)
    stream.flush()
