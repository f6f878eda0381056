"""Errors for users: what is wrong, where, and what to do."""

import difflib
from collections.abc import Collection, Iterable


class AirtcpError(Exception):
    """An error that the user can fix: what is wrong, where, and what to do.

    The command `airtcp` prints it and ends with `exit_status`.

    Attributes:
        what: what is wrong, without a full stop.
        place: where: a file and key, a folder, a node; may be empty.
        remedy: what to do; may be empty.
        exit_status: 2 for wrong input, 3 for a failed run.

    Example:
        >>> try:
        ...     airtcp.load("nowhere")
        ... except airtcp.AirtcpError as error:
        ...     print(error.place, "|", error.what, "|", error.remedy, "|", error.exit_status)
        nowhere | there is no such file or folder | Check the path | 2
    """

    exit_status = 2

    def __init__(self, what: str, place: str = "", remedy: str = "") -> None:
        self.what = what.rstrip(".")
        self.place = place
        self.remedy = remedy[:1].upper() + remedy[1:].rstrip(".")
        super().__init__(str(self))

    def __str__(self) -> str:
        text = f"{self.place}: {self.what}" if self.place else self.what
        if not self.remedy:
            return f"{text}."
        return f"{text}. {self.remedy}{'' if self.remedy.endswith('?') else '.'}"


def suggestion(word: str, known: Iterable[str]) -> str:
    """`did you mean "..."?` if a known word is similar, else an empty text."""
    words = list(known)
    same = [own for own in words if own.lower() == word.lower()]
    near = same or difflib.get_close_matches(word, words, n=1, cutoff=0.6)
    return f'did you mean "{near[0]}"?' if near else ""


def remedy_for(word: str, known: Collection[str]) -> str:
    """The remedy for an unknown word: a similar known word, else the list of known words."""
    hint = suggestion(word, known)
    return f"D{hint[1:]}" if hint else f"Known: {', '.join(known) or 'none'}"
