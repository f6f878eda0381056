"""What a command made of runs, kept in the store of the first: it is made again if something changes."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

from airtcp.data.run_integrity import results_state
from airtcp.value_cache import ValueCache

KIND = "answers"
_MADE_BY = ("cli", "data", "formats", "metrics", "plans", "plots", "quantities", "report", "wifi")
# Libraries whose version a figure or a number may depend on.
_LIBRARIES = ("matplotlib", "numpy", "polars", "scipy")


@dataclass(frozen=True)
class KeptAnswer:
    """What a command with these `options` says of these run folders, as JSON, or which files it writes."""

    folders: Sequence[Path]
    options: Mapping[str, Any]

    def get(self) -> Any:
        """What was said; `None` if nothing was, or if a run, the code or a library is another one now."""
        return self._cache().get(self._name(), self._key) if self._key else None

    def put(self, answer: Any) -> None:
        """Notes what was said; in a folder of runs that has no caches, nothing."""
        cache = self._cache()
        if self._key and cache.folder.parent.is_dir():
            cache.put(self._name(), self._key, answer)

    def files(self) -> list[Path] | None:
        """The files that were written, if all of them are as they were written."""
        try:
            found = {Path(name): digest for name, digest in (self.get() or {}).items()}
            return list(found) if found and all(_digest(file) == found[file] for file in found) else None
        except (OSError, AttributeError):
            return None

    def put_files(self, files: Sequence[Path]) -> None:
        """Notes the files that were written."""
        self.put({str(file): _digest(file) for file in files})

    def _cache(self) -> ValueCache:
        return ValueCache(self.folders[0].resolve().parent, KIND, _MADE_BY)

    def _name(self) -> str:
        folders = [str(folder) for folder in self.folders]
        text = json.dumps([str(Path.cwd()), folders, self.options], default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    @cached_property
    def _key(self) -> str | None:
        """The state of the runs, read once before they are, and the versions of libraries."""
        try:
            states = [results_state(folder) for folder in self.folders]
        except OSError:
            return None
        versions = [f"{library} {version(library)}" for library in _LIBRARIES]
        return hashlib.sha256("\n".join([*states, *versions]).encode()).hexdigest()


def _digest(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
