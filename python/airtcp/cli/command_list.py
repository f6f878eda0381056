"""The list of commands in a help text."""

from typing import Any

from typer.core import TyperGroup

# Longer than any summary: the formatter breaks lines.
_NO_LIMIT = 10_000


class CommandList(TyperGroup):
    """A group whose help has the summaries of its commands whole, broken at the edge of the terminal."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Writes the commands with their summaries."""
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [
            (name, command.get_short_help_str(_NO_LIMIT))
            for name, command in found
            if command is not None and not command.hidden
        ]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)
