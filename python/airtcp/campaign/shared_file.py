"""JSON files in a store to which several campaigns may write at the same time."""

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
    """A JSON object. Saving merges with what other processes wrote, and replaces the file atomically.

    It is a cache: a missing, damaged or unwritable file counts as empty.
    """

    file: Path
    values: dict[str, Any] = field(default_factory=dict)
    _new: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.values = self._read()

    def add(self, key: str, value: Any) -> None:
        """Sets a value; `save` writes it."""
        self.values[key] = self._new[key] = value

    def save(self) -> None:
        """Writes the values added since the last call."""
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
    """Holds an exclusive lock on the folder; the system releases it if the process dies."""
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
