"""`xterm` and its like without a display: the command runs, and what its window would show is a file.

Mininet starts terminals with the traffic of a script in them. A terminal in which a shell waits for somebody
to type waits here, too.
"""

import os
import re
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

FOLDER = Path(os.environ.get("RUN_DIR", ".")) / "terminals"


def title_of(words: Sequence[str]) -> str:
    """The title, as a part of a file's name."""
    given = next((after for word, after in pairwise(words) if word in _TITLE), "terminal")
    return re.sub(r"[^\w.-]+", "-", given).strip("-") or "terminal"


_TITLE = ("-title", "--title", "-T", "-t")


def command_of(words: Sequence[str]) -> list[str]:
    """The command: all after `-e` or `--`, of which one word is a line for a shell (xterm(1))."""
    start = next((number for number, word in enumerate(words) if word in ("-e", "-x", "--")), None)
    command = list(words[start + 1 :]) if start is not None else []
    if not command:
        return ["/bin/bash"]
    return ["/bin/sh", "-c", command[0]] if len(command) == 1 else command


def _new_file(title: str) -> int:
    """A file of its own for each terminal: a node may have several."""
    FOLDER.mkdir(exist_ok=True)
    number = 0
    while True:
        name = f"{title}-{number}.txt" if number else f"{title}.txt"
        try:
            return os.open(FOLDER / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError:
            number += 1


def main() -> None:
    """Runs the command in place of a terminal with it."""
    words = sys.argv[1:]
    window = _new_file(title_of(words))
    for output in (1, 2):
        os.dup2(window, output)
    # Nobody types: the end that could be written to stays open in the command.
    keyboard, _typing = os.pipe()
    os.set_inheritable(_typing, True)
    os.dup2(keyboard, 0)
    command = command_of(words)
    os.execvp(command[0], command)
