"""What a command of the prompt is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from airtcp.errors import AirtcpError

if TYPE_CHECKING:
    from airtcp.shell.shell import Shell


@dataclass(frozen=True)
class Command:
    """A word of the prompt that is no node."""

    name: str
    usage: str
    """What follows the name."""
    help: str
    """One sentence."""
    run: "Callable[[Shell, list[str]], None]"
    """Carries it out; gets the words that follow the name."""

    def misused(self) -> AirtcpError:
        """The error of wrong words."""
        return AirtcpError("can't be understood", self.name, f"Write: {self.name} {self.usage}".rstrip())


def pair(words: Sequence[str]) -> tuple[str, str, list[str]]:
    """Two nodes, written `a b` or `a-b`, and the other words."""
    if words and "-" in words[0]:
        a, _, b = words[0].partition("-")
        return a, b, list(words[1:])
    if len(words) < 2:
        raise AirtcpError("needs two nodes", " ".join(words), "Write for example ap1-h1")
    return words[0], words[1], list(words[2:])
