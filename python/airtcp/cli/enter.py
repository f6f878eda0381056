"""`airtcp enter`: another terminal in a node of a running session."""

import sys
from typing import Annotated

import typer

Node = Annotated[str, typer.Argument(help="Node of the running network.", show_default=False)]
OfSession = Annotated[
    str,
    typer.Option(
        "--session",
        help="Number of the session, which its shell shows; needed if several are running.",
        show_default=False,
    ),
]


def enter(node: Node, session: OfSession = "") -> None:
    """Open a terminal in a node of a network that `airtcp shell` holds."""
    from airtcp.cache_folder import cache_folder
    from airtcp.shell.enter import chosen
    from airtcp.shell.enter import enter as open_terminal

    sys.exit(open_terminal(chosen(cache_folder() / "sessions", session), node))
