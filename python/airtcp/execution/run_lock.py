"""The lock of a run in a store: the same as run_lock.rs of the runner.

An exclusive `flock` on the file `.lock-RUN`; the system releases it when its holder ends. Only the holder may
create, replace and remove the run's folder and its working folders.
"""

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

from airtcp.errors import AirtcpError

POLL_S = 0.05


@contextlib.contextmanager
def run_lock(store: Path, run: str, wait: bool = False) -> Iterator[bool]:
    """Takes the lock for as long as the block lasts; says whether it has it; with `wait` it always has."""
    file = store / f".lock-{run}"
    number = _try(file)
    while number is None and wait:
        time.sleep(POLL_S)
        number = _try(file)
    try:
        yield number is not None
    finally:
        if number is not None:
            _release(file, number)


def is_held(store: Path, run: str) -> bool:
    """Whether a process is at work on this run now; asks without writing, also of a read-only store."""
    try:
        number = os.open(store / f".lock-{run}", os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(number, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        # Held; or there are no locks here, and then nothing may be taken for dead.
        return True
    finally:
        os.close(number)
    return False


def _try(file: Path) -> int | None:
    """The locked file; `None` if another process has it."""
    while True:
        try:
            number = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            what = f"the store can't be written: {error.strerror}"
            raise AirtcpError(what, str(file.parent), "Ask its owner, or check its permissions") from None
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Its last holder may have removed it after we opened it.
            if _is_at(file, number):
                return number
        except BlockingIOError:
            os.close(number)
            return None
        except OSError as error:
            os.close(number)
            what = f"the file system has no locks (flock): {error.strerror}"
            raise AirtcpError(what, str(file.parent), "Use a store on another file system") from None
        os.close(number)


def _release(file: Path, number: int) -> None:
    # While it is held, so that nobody's new file can be meant.
    with contextlib.suppress(OSError):
        if _is_at(file, number):
            file.unlink()
    os.close(number)


def _is_at(file: Path, number: int) -> bool:
    try:
        return os.path.samestat(file.stat(), os.fstat(number))
    except FileNotFoundError:
        return False
