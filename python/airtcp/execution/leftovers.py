"""Removes what a killed runner left in the store."""

import contextlib
import os
import shutil
import signal
import time
from pathlib import Path

from airtcp.errors import AirtcpError
from airtcp.execution.run_lock import run_lock

# A guest that is being killed may still write into its folder.
TRIES, BETWEEN_TRIES_S = 40, 0.05
# By this number a guest's processes have their run's working folder (crates/runner/src/launch.rs).
WORK_DESCRIPTOR = 3
PROC = Path("/proc")


def remove_leftovers(store: Path, run: str, process: int) -> None:
    """Removes the working folder and the lock of a run whose runner, by its process number, has ended.

    A runner does so itself; only one that was killed does not. What can't be removed stays: it is no run, and
    the next runner of the same run removes it.
    """
    folder = store / f".working-{run}-{process}"
    if not folder.exists() and not (store / f".lock-{run}").exists():
        return
    _end_processes(folder)
    try:
        with run_lock(store, run) as mine:
            for _ in range(TRIES if mine else 0):
                shutil.rmtree(folder, ignore_errors=True)
                if not folder.exists():
                    return
                time.sleep(BETWEEN_TRIES_S)
    except AirtcpError:
        # A store that can't be written any more.
        return


def _end_processes(folder: Path) -> None:
    """Kills what still has this working folder.

    A guest's processes are killed with its kernel, but for one that is being made in that moment: it asks to
    be traced by its parent, which is the system's first process by then, and is stopped for ever.
    """
    place = str(folder.resolve())
    for link in PROC.glob(f"[0-9]*/fd/{WORK_DESCRIPTOR}"):
        # Gone meanwhile, or another user's.
        with contextlib.suppress(OSError):
            if str(link.readlink()).removesuffix(" (deleted)") == place:
                os.kill(int(link.parts[2]), signal.SIGKILL)
