"""Which run folders are meant by what a user names."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from airtcp.errors import AirtcpError

# A folder with one of these is, or should have become, a run folder; so is one with a run's name.
_FILES = ("plan.json", "manifest.json", "summary.json")
_RUN_NAME = re.compile(r"[0-9a-f]{16}")


def find_runs(paths: Sequence[Path]) -> list[Path]:
    """The run folders that are these paths or lie in them, each once, complete or not.

    A path without any is an error: nothing that a user names is silently nothing.
    """
    found: dict[Path, Path] = {}
    for path in paths:
        if not path.is_dir():
            raise AirtcpError("there is no such folder", str(path), "Name run folders, or a store of them")
        own = list(_runs_in(path))
        if not own:
            raise AirtcpError("holds no run folder", str(path), "Name run folders, or a store of them")
        for folder in own:
            found.setdefault(folder.resolve(), folder)
    return list(found.values())


def _runs_in(folder: Path) -> Iterator[Path]:
    if _RUN_NAME.fullmatch(folder.name) or any((folder / name).is_file() for name in _FILES):
        yield folder
        return
    try:
        inside = sorted(folder.iterdir())
    except OSError as error:
        raise AirtcpError(f"can't be read: {error.strerror}", str(folder), "Check its permissions") from None
    for child in inside:
        # Folders whose names begin with a dot are runs under way.
        if child.is_dir() and not child.name.startswith("."):
            yield from _runs_in(child)
