"""What a runner that was killed leaves in the store."""

import shutil
import time
from pathlib import Path

from airtcp.errors import AirtcpError
from airtcp.execution.run_lock import run_lock

# A guest that is being killed may still write into its folder.
TRIES, BETWEEN_TRIES_S = 40, 0.05


def remove_leftovers(store: Path, run: str, process: int) -> None:
    """Removes the working folder and the lock of a run whose runner, by its process number, has ended.

    A runner does so itself; only one that was killed does not. What can't be removed stays: it is no run, and
    the next runner of the same run removes it.
    """
    folder = store / f".working-{run}-{process}"
    if not folder.exists() and not (store / f".lock-{run}").exists():
        return
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
