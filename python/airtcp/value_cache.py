"""A cache of JSON values in a store. A value is valid for one key and for the code that computed it.

Missing, damaged and outdated values are computed again: the cache changes no result.
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
# The folder of caches in a store.
_CACHES = ".campaigns"
# Values of one kind, some tens of megabytes; above this number the older half is removed.
MAX_VALUES = 4000


class ValueCache:
    """The cached values of one kind: a folder in the store, and the packages whose code computes them."""

    def __init__(self, store: Path, kind: str, made_by: Sequence[str]) -> None:
        self._store = store
        self.folder = store / _CACHES / kind
        self._made_by = tuple(made_by)

    def get(self, name: str, key: str) -> Any:
        """The value with this name; `None` if none is valid for this key and the present code."""
        try:
            found = json.loads(self._file(name).read_bytes())
            return found["value"] if found["of"] == self._fingerprint(key) else None
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def put(self, name: str, key: str, value: Any) -> None:
        """Stores a value; does nothing if the store does not exist or can't be written."""
        if not self._store.is_dir():
            return
        file = self._file(name)
        aside = file.with_name(f".{file.name}.{os.getpid()}")
        with contextlib.suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            aside.write_text(json.dumps({"of": self._fingerprint(key), "value": value}), "utf-8")
            aside.replace(file)
            self._drop_old()

    def _drop_old(self) -> None:
        if len(list(self.folder.iterdir())) <= MAX_VALUES:
            return
        by_age = sorted(self.folder.glob("*.json"), key=lambda file: file.stat().st_mtime)
        for file in by_age[: len(by_age) // 2]:
            file.unlink(missing_ok=True)

    def _file(self, name: str) -> Path:
        return self.folder / f"{name}.json"

    def _fingerprint(self, key: str) -> str:
        return f"{code_hash(self._made_by)} {key}"


@cache
def code_hash(packages: Sequence[str]) -> str:
    """A hash of the files of these packages of airtcp: code, tables and templates."""
    found = hashlib.sha256()
    for package in packages:
        for file in sorted((_PACKAGE / package).rglob("*.*")):
            if file.suffix != ".pyc" and file.is_file():
                found.update(file.read_bytes())
    return found.hexdigest()
