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
# Descriptor by which a guest's processes have their run's working folder (crates/runner/src/launch.rs).
WORK_DESCRIPTOR = 3
PROC = Path("/proc")


def remove_leftovers(store: Path, run: str, process: int) -> None:
    """Removes the working folder and the lock of a run whose runner, by its process number, has ended.

    A runner removes them itself unless it was killed. What can't be removed stays: it does not count as a
    run, and the next runner of the same run removes it.
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
    """Kills the processes that still have this working folder.

    A guest's processes are killed with its kernel, except one that was just being created: it requests to be
    traced by its parent, which is then the system's first process, and stays stopped for ever.
    """
    place = str(folder.resolve())
    for link in PROC.glob(f"[0-9]*/fd/{WORK_DESCRIPTOR}"):
        # It ended in the meantime, or belongs to another user.
        with contextlib.suppress(OSError):
            if str(link.readlink()).removesuffix(" (deleted)") == place:
                os.kill(int(link.parts[2]), signal.SIGKILL)
