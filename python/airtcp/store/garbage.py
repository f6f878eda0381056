"""Finds and removes what a store no longer needs."""

import errno
import os
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from airtcp.data.run_integrity import find_damage
from airtcp.data.stored_run import MANIFEST, size_bytes
from airtcp.errors import AirtcpError
from airtcp.execution.run_lock import run_lock
from airtcp.store.contents import Contents
from airtcp.store.verification import verify

LEFTOVER = "left by a process that was killed"
FAILED = "written by programs of a run that failed"
INCOMPLETE = "incomplete: no manifest"
DAMAGED = "damaged"
OTHER_ENGINE = "made by another kernel, library or agent than the present ones"
OLD = "old"
# A guest that is being killed may still write into its folder.
_REMOVAL_TRIES, _BETWEEN_TRIES_S = 40, 0.05


@dataclass(frozen=True)
class RemovalFilter:
    """Intact runs that may be removed besides broken ones: those that meet all given conditions."""

    other_engines: bool = False
    before_s: float | None = None
    """Age limit: only runs whose manifest is older than this: seconds since 1970."""
    keep: frozenset[str] = frozenset()
    """Names of runs that are kept."""


@dataclass(frozen=True)
class Garbage:
    """A folder or lock file that may be removed, and the reason."""

    path: Path
    run: str
    reason: str
    detail: str = ""
    size_bytes: int = field(default=0, compare=False)


def find_garbage(
    contents: Contents,
    removal: RemovalFilter,
    of_another_engine: Callable[[list[Path]], set[Path]],
    at_once: int,
    progress: Callable[[int], None],
) -> Iterator[Garbage]:
    """What may be removed: leftovers, broken runs, and what `removal` selects. Reads every file.

    `of_another_engine` says which of these runs the present kernels, library and agent did not make.
    """
    for left in contents.leftovers:
        size = size_bytes(left.path) if left.path.is_dir() else 0
        yield Garbage(left.path, left.run, LEFTOVER, size_bytes=size)
    for folder, run in contents.failed.items():
        yield Garbage(folder, run, FAILED, size_bytes=size_bytes(folder))
    for folder in contents.incomplete:
        yield Garbage(folder, folder.name, INCOMPLETE, size_bytes=size_bytes(folder))
    sound = []
    for verified in verify(contents.complete, at_once, progress):
        folder = verified.folder
        if verified.damage:
            yield Garbage(folder, folder.name, DAMAGED, verified.damage[0], size_bytes(folder))
        elif folder.name not in removal.keep:
            sound.append(folder)
    if not removal.other_engines and removal.before_s is None:
        return
    if removal.before_s is not None:
        sound = [folder for folder in sound if _written_s(folder) < removal.before_s]
    others = of_another_engine(sound) if removal.other_engines else set(sound)
    reason = OTHER_ENGINE if removal.other_engines else OLD
    for folder in (each for each in sound if each in others):
        yield Garbage(folder, folder.name, reason, size_bytes=size_bytes(folder))


def remove(store: Path, garbage: Garbage) -> bool:
    """Removes it, unless a process is computing that run now or has replaced it; returns whether it did.

    The folder is renamed first, so that no process finds an incomplete run.
    """
    with run_lock(store, garbage.run) as mine:
        if not mine or not _is_still(garbage):
            return False
        if not garbage.path.is_dir():
            # The file of a lock goes when it is let go of.
            return True
        aside = garbage.path
        if not aside.name.startswith("."):
            aside = store / f".working-{garbage.run}-{os.getpid()}.old"
        try:
            garbage.path.rename(aside)
            _remove_tree(aside)
        except FileNotFoundError:
            return True
        except OSError as error:
            remedy = "Ask its owner, or check its permissions"
            raise AirtcpError(f"can't be removed: {error.strerror}", str(garbage.path), remedy) from None
    return True


def _is_still(garbage: Garbage) -> bool:
    if garbage.reason == INCOMPLETE:
        return not (garbage.path / MANIFEST).exists()
    return garbage.reason != DAMAGED or bool(find_damage(garbage.path))


def _remove_tree(folder: Path) -> None:
    for _ in range(_REMOVAL_TRIES):
        try:
            shutil.rmtree(folder)
        except OSError as error:
            if error.errno != errno.ENOTEMPTY:
                raise
            time.sleep(_BETWEEN_TRIES_S)
        else:
            return
    shutil.rmtree(folder)


def _written_s(folder: Path) -> float:
    try:
        return (folder / MANIFEST).stat().st_mtime
    except OSError:
        # Gone in the meantime: not old.
        return time.time()
