"""Lines of text on the terminal."""

import typer

from airtcp.visible_text import visible


def say(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Prints a text, whose control characters are visible; `err`: on standard error."""
    typer.echo(visible(text), err=err, nl=nl)
