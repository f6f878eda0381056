"""The contents of a store: runs, scenes, and leftovers of killed processes."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from airtcp.data.stored_run import MANIFEST
from airtcp.errors import AirtcpError
from airtcp.execution.run_lock import is_held

_RUN = re.compile(r"[0-9a-f]{16}")
_SCENE = re.compile(r"air-[0-9a-f]{16}")
# A working folder, and the file by whose lock its maker is known to live.
_WORKING = re.compile(r"\.working-([0-9a-f]{16}|session-[0-9]+)-.+")
_LOCK = re.compile(r"\.lock-([0-9a-f]{16}|session-[0-9]+)")
# What programs of a run that failed have written (`crates/runner/src/kept_output.rs`).
_FAILED = re.compile(r"failed-([0-9a-f]{16})")


@dataclass(frozen=True)
class WorkingFolder:
    """A working folder or lock file; `alive`: its run is being computed, else its process was killed."""

    path: Path
    run: str
    alive: bool


@dataclass(frozen=True)
class Contents:
    """The entries of a store by kind; other files are ignored."""

    store: Path
    complete: list[Path]
    """Folders of runs that have a manifest."""
    incomplete: list[Path]
    """Folders with a run's name, without a manifest."""
    working: list[WorkingFolder]
    scenes: list[Path]
    failed: dict[Path, str]
    """What programs of failed runs have written, and of which runs."""

    @property
    def under_way(self) -> list[str]:
        """The names of runs that are being computed now."""
        return sorted({each.run for each in self.working if each.alive})

    @property
    def leftovers(self) -> list[WorkingFolder]:
        """Leftovers of killed processes."""
        return [each for each in self.working if not each.alive]


def read_contents(store: Path) -> Contents:
    """The present contents of a store; a missing or unreadable store raises `AirtcpError`."""
    try:
        names = sorted(os.listdir(store))  # noqa: PTH208
    except OSError as error:
        what = f"the store can't be read: {error.strerror}"
        raise AirtcpError(what, str(store), "Name a folder of runs with --store") from None
    runs = [store / name for name in names if _RUN.fullmatch(name) and (store / name).is_dir()]
    complete = [folder for folder in runs if (folder / MANIFEST).is_file()]
    whole = set(complete)
    named = [(name, _WORKING.fullmatch(name) or _LOCK.fullmatch(name)) for name in names]
    working = [WorkingFolder(store / name, m[1], is_held(store, m[1])) for name, m in named if m]
    return Contents(
        store,
        complete,
        [folder for folder in runs if folder not in whole],
        # A run that has just come to its end has left neither.
        [each for each in working if os.path.lexists(each.path)],
        [store / name for name in names if _SCENE.fullmatch(name)],
        {store / name: m[1] for name in names if (m := _FAILED.fullmatch(name))},
    )


def select_runs(contents: Contents, runs: list[str]) -> list[Path]:
    """The folders of these runs, by their names or beginnings of them; all complete ones if none is named."""
    if not runs:
        return contents.complete
    folders: dict[Path, None] = {}
    for run in runs:
        # `store ls` names runs; `airtcp run` prints their folders.
        name = Path(run).name
        known = contents.complete + contents.incomplete
        meant = [folder for folder in known if name and folder.name.startswith(name)]
        if not meant:
            remedy = "List the runs with: airtcp store ls"
            raise AirtcpError(f"has no run {run}", str(contents.store), remedy)
        folders.update(dict.fromkeys(meant))
    return list(folders)
