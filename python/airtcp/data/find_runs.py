"""Finds the run folders in the paths that a user names."""

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


def check_is_run(folder: Path) -> None:
    """Refuses a folder that is no run's, be it complete or not: a store, or anything else."""
    if _is_run(folder):
        return
    first = next(_runs_in(folder), None)
    if first is None:
        raise AirtcpError("is not a run folder", str(folder), "Name a folder that airtcp run made")
    what = "is a folder of run folders, not a run folder"
    raise AirtcpError(what, str(folder), f"Name one of them, for example {first}")


def _is_run(folder: Path) -> bool:
    name = folder.resolve().name
    return bool(_RUN_NAME.fullmatch(name)) or any((folder / file).is_file() for file in _FILES)


def _runs_in(folder: Path) -> Iterator[Path]:
    if _is_run(folder):
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
