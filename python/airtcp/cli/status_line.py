"""Progress on stderr: on a terminal one line that changes, else a line for each step."""

from typing import Self

from airtcp.visible_text import visible


class StatusLine:
    """The line, from `with` to its end."""

    def __init__(self, first: str) -> None:
        from rich.console import Console

        self._console = Console(stderr=True, highlight=False)
        self._status = self._console.status(first) if self._console.is_terminal else None

    def __enter__(self) -> Self:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._status is not None:
            self._status.stop()

    def say(self, line: str, on_terminal: str) -> None:
        """Prints `line`, or shows the other text on a terminal."""
        if self._status is None:
            self._console.print(visible(line), markup=False, soft_wrap=True)
        else:
            self.show(on_terminal)

    def show(self, text: str) -> None:
        """Shows a text on a terminal, and nothing elsewhere."""
        from rich.markup import escape

        if self._status is not None:
            self._status.update(escape(visible(text)))
