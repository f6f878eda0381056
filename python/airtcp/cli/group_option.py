"""`--group NAME=PATTERN,...`: groups of flows, streams and pings, beside those of the scenario."""

from collections.abc import Sequence
from typing import Annotated

import typer

from airtcp.cli.option_lists import words
from airtcp.errors import AirtcpError

Group = Annotated[
    list[str] | None,
    typer.Option(
        "--group",
        metavar="NAME=PATTERN,...",
        help='Take flows, streams and pings together, as "calls=v*"; may be given several times. Beside the '
        "groups of the scenario; one of the same name replaces it.",
        show_default=False,
    ),
]


def asked_groups(options: Sequence[str] | None) -> dict[str, tuple[str, ...]]:
    """The patterns of each group that was asked for."""
    found: dict[str, tuple[str, ...]] = {}
    for option in options or ():
        name, equals, patterns = option.partition("=")
        if not name.strip() or not equals or not words(patterns):
            what, remedy = f'"{option}" is not NAME=PATTERN', 'Write for example --group "calls=v*"'
            raise AirtcpError(what, "--group", remedy)
        found[name.strip()] = tuple(words(patterns))
    return found
