"""Runs copied into another store: whole and verified, or not at all."""

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from airtcp.data.run_integrity import find_damage, result_digests, result_files
from airtcp.data.stored_run import MANIFEST
from airtcp.errors import AirtcpError
from airtcp.execution.run_lock import run_lock


@dataclass
class ExportResult:
    """The names of exported runs, by outcome."""

    copied: list[str] = field(default_factory=list)
    present: list[str] = field(default_factory=list)
    """The destination had them, with the same results."""
    refused: dict[str, str] = field(default_factory=dict)
    """Why a run was not copied."""


def copy_run(folder: Path, to: Path, exported: ExportResult) -> None:
    """Copies a run into the store `to`, waiting for whoever is at work on the same run there."""
    run = folder.name
    damage = find_damage(folder)
    if damage:
        exported.refused[run] = f"is damaged: {damage[0]}"
        return
    with run_lock(to, run, wait=True):
        target = to / run
        if os.path.lexists(target):
            why = _difference(folder, target)
            if why:
                exported.refused[run] = why
            else:
                exported.present.append(run)
            return
        working = to / f".working-{run}-{os.getpid()}"
        shutil.rmtree(working, ignore_errors=True)
        try:
            _copy_whole(folder, working)
            damage = find_damage(working, run)
            if damage:
                exported.refused[run] = f"changed while it was copied: {damage[0]}"
                return
            working.rename(target)
        except OSError as error:
            remedy = "Free some space there, or check permissions, and export again"
            what = f"can't be copied: {error.strerror or error}"
            raise AirtcpError(what, f"{folder} to {to}", remedy) from None
        finally:
            shutil.rmtree(working, ignore_errors=True)
        exported.copied.append(run)


def _difference(folder: Path, target: Path) -> str:
    """Why a run of this name may not be there already; nothing if it is the same."""
    if find_damage(target):
        return f"{target} is damaged: airtcp store gc --store {target.parent} removes it"
    if result_digests(folder) != result_digests(target):
        return f"{target} has other results and is not overwritten: look which of the two is right"
    return ""


def _copy_whole(folder: Path, working: Path) -> None:
    """Copies all files; the manifest has its name when all it lists is on the disk, as in a new run."""
    for inner, folders, files in os.walk(folder):
        there = working / Path(inner).relative_to(folder)
        there.mkdir(exist_ok=True)
        # Links and pipes, which programs of a scenario may have made, stay behind.
        folders[:] = [name for name in folders if not (Path(inner) / name).is_symlink()]
        for name in files:
            source = Path(inner) / name
            if source.is_file() and not source.is_symlink() and source != folder / MANIFEST:
                shutil.copy2(source, there / name, follow_symlinks=False)
    part = working / "manifest.part"
    shutil.copy2(folder / MANIFEST, part)
    for path in [*(working / file for file in result_files(working)), part, working / "series", working]:
        _write_through(path)
    part.rename(working / MANIFEST)


def _write_through(path: Path) -> None:
    if not path.exists():
        return
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
