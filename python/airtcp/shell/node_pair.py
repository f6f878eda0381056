"""Two nodes in the words of a command."""

from collections.abc import Sequence

from airtcp.errors import AirtcpError


def pair(words: Sequence[str]) -> tuple[str, str, list[str]]:
    """Two nodes, written `a b` or `a-b`, and the other words."""
    if words and "-" in words[0]:
        a, _, b = words[0].partition("-")
        return a, b, list(words[1:])
    if len(words) < 2:
        raise AirtcpError("needs two nodes", " ".join(words), "Write for example ap1-h1")
    return words[0], words[1], list(words[2:])
