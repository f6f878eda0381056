"""A run in the list of a store: read from its manifest and from its files' sizes."""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from airtcp.data.json_file import parse_json, read_bytes
from airtcp.data.plain_file import REMEDY
from airtcp.errors import AirtcpError

MANIFEST = "manifest.json"


@dataclass(frozen=True)
class StoredRun:
    """A complete run of a store; what its version did not write down yet is `None`."""

    folder: Path
    name: str
    seed: int
    kernel: str | None
    """Release of the guest's kernel."""
    virtual_s: float | None
    size_bytes: int
    computed_s: float
    """Time at which the manifest was written: seconds since 1970."""

    @property
    def run(self) -> str:
        """The run's identity: the name of its folder."""
        return self.folder.name


def read_manifest(folder: Path, name: str | None = None) -> dict[str, Any]:
    """A run's manifest; one that is missing, damaged or of another run is an `AirtcpError`.

    `name` is the run's name, if it is not the folder's.
    """
    file = folder / MANIFEST
    manifest = parse_json(read_bytes(file), file, ("run", "name", "seed"))
    if manifest["run"] != (name or folder.name):
        raise AirtcpError(f"is the manifest of another run, {manifest['run']!s:.40}", str(file), REMEDY)
    return manifest


def describe(folder: Path) -> StoredRun:
    """A complete run, quickly: its series are not opened. One with a damaged manifest is an `AirtcpError`."""
    manifest = read_manifest(folder)
    kernel, virtual_s = manifest.get("kernel"), manifest.get("virtual_s")
    try:
        return StoredRun(
            folder,
            str(manifest["name"]),
            int(manifest["seed"]),
            str(kernel["release"]) if isinstance(kernel, dict) and "release" in kernel else None,
            None if virtual_s is None else float(virtual_s),
            size_bytes(folder),
            (folder / MANIFEST).stat().st_mtime,
        )
    except (ValueError, TypeError, OverflowError):
        raise AirtcpError("is damaged: a value is not of its type", str(folder / MANIFEST), REMEDY) from None


def size_bytes(folder: Path) -> int:
    """Bytes of all files below a folder; a file that disappears meanwhile counts as 0."""
    total = 0
    for entry in files_below(str(folder)):
        with contextlib.suppress(OSError):
            total += entry.stat(follow_symlinks=False).st_size
    return total


def files_below(folder: str) -> Iterator["os.DirEntry[str]"]:
    """Files below a folder; links are not followed."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    yield from files_below(entry.path)
                else:
                    yield entry
    except OSError:
        # Gone, or closed by a program of the scenario: nobody can count it.
        return
