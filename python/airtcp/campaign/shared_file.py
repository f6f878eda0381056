"""JSON files in a store that several campaigns add to at the same time."""

import contextlib
import fcntl
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = ".campaigns"
_LOCK = "lock"


@dataclass
class SharedFile:
    """Values by keys. What others wrote meanwhile is kept; whoever reads finds all of a file or none.

    It saves time and nothing else: a file that is missing, damaged or can't be written is as good as empty.
    """

    file: Path
    values: dict[str, Any] = field(default_factory=dict)
    _new: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.values = self._read()

    def add(self, key: str, value: Any) -> None:
        """Adds a value, or puts it in the place of another; `save` writes it."""
        self.values[key] = self._new[key] = value

    def save(self) -> None:
        """Writes what was added, if anything was."""
        if not self._new:
            return
        with contextlib.suppress(OSError), _locked(self.file.parent):
            self.values = {**self._read(), **self._new}
            _write_whole(self.file, self.values)
            self._new = {}

    def _read(self) -> dict[str, Any]:
        try:
            found = json.loads(self.file.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Alone among those who write in this folder; a process that dies lets go."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / _LOCK).open("w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _write_whole(file: Path, values: Mapping[str, Any]) -> None:
    number, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.", suffix=".partial")
    try:
        with os.fdopen(number, "w", encoding="utf-8") as aside:
            json.dump(values, aside, separators=(",", ":"))
        Path(name).replace(file)
    finally:
        Path(name).unlink(missing_ok=True)
