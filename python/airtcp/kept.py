"""What is computed once and kept in a store: JSON by name, valid for one key and for the code that made it.

It saves time and nothing else: what is missing, damaged or of other code is made again.
"""

import contextlib
import hashlib
import json
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).resolve().parent
# In the store, where caches are.
_CACHES = ".campaigns"
# Of one kind: some tens of megabytes. Beyond it the older half goes.
VALUES_MOST = 4000


class Kept:
    """One kind of such values: its folder in the store, and the packages of airtcp whose code makes them."""

    def __init__(self, store: Path, kind: str, made_by: Sequence[str]) -> None:
        self._store = store
        self.folder = store / _CACHES / kind
        self._made_by = tuple(made_by)

    def get(self, name: str, key: str) -> Any:
        """The value kept under this name, or `None` if there is none for this key and this code."""
        try:
            found = json.loads(self._file(name).read_bytes())
            return found["value"] if found["of"] == self._of(key) else None
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def put(self, name: str, key: str, value: Any) -> None:
        """Keeps a value; a store that is not there, or can't be written to, keeps none."""
        if not self._store.is_dir():
            return
        file = self._file(name)
        aside = file.with_name(f".{file.name}.{os.getpid()}")
        with contextlib.suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            aside.write_text(json.dumps({"of": self._of(key), "value": value}), "utf-8")
            aside.replace(file)
            self._drop_old()

    def _drop_old(self) -> None:
        if len(list(self.folder.iterdir())) <= VALUES_MOST:
            return
        by_age = sorted(self.folder.glob("*.json"), key=lambda file: file.stat().st_mtime)
        for file in by_age[: len(by_age) // 2]:
            file.unlink(missing_ok=True)

    def _file(self, name: str) -> Path:
        return self.folder / f"{name}.json"

    def _of(self, key: str) -> str:
        return f"{code_hash(self._made_by)} {key}"


@cache
def code_hash(packages: Sequence[str]) -> str:
    """A hash of the Python code of these packages of airtcp."""
    found = hashlib.sha256()
    for package in packages:
        for file in sorted((_PACKAGE / package).rglob("*.py")):
            found.update(file.read_bytes())
    return found.hexdigest()
