"""`airtcp debug`: gdb in the kernel of a network, at an instant of its virtual time."""

import sys
from typing import Annotated

import typer

from airtcp.cli.changes import Seed, Set, changes
from airtcp.cli.execute import DEFAULT_STORE, Store
from airtcp.cli.shell import Network

At = Annotated[str, typer.Option("--at", help='Begin at this time, as "12.3 s".', show_default=False)]
Execute = Annotated[
    list[str] | None,
    typer.Option(
        "--ex", help="A command of gdb to begin with; may be given several times.", show_default=False
    ),
]
Batch = Annotated[bool, typer.Option("--batch", help="End after these commands.")]


def debug(
    network: Network,
    at: At = "",
    seed: Seed = None,
    settings: Set = None,
    execute: Execute = None,
    batch: Batch = False,
    store: Store = DEFAULT_STORE,
) -> None:
    """Start gdb in the kernel of a network, at an instant of its virtual time.

    The clock stands while gdb has the kernel. In gdb, `help airtcp` lists commands that let it go on, wait
    for a loss, and go back. The kernel needs symbols: airtcp kernel build --debug.
    """
    from airtcp.debugging.debugger import Debugger, debugged_kernel
    from airtcp.sessions.opening import open_file

    opened = open_file(network, store, changes(seed, settings))
    with Debugger(opened, debugged_kernel(opened.plan["kernel"])) as debugger:
        if at:
            debugger.lab.until(at)
        words = [word for command in execute or [] for word in ("-ex", command)]
        status = debugger.run(["-batch", *words] if batch else words)
    sys.exit(status)
