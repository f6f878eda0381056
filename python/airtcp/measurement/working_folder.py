"""The folder of a store in which a measured run is made; `airtcp store gc` removes it after a kill -9."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from airtcp.execution.run_lock import run_lock

# Of the name of a run, which a measured one has only when all is measured: 16 hexadecimal digits.
_NAME_BYTES = 8


@contextmanager
def working_folder(store: Path) -> Iterator[Path]:
    """A new folder, locked as that of a run, and removed at the end."""
    name = secrets.token_hex(_NAME_BYTES)
    with run_lock(store, name):
        folder = store / f".working-{name}-{os.getpid()}"
        folder.mkdir()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
