"""The store: the folder that holds run folders."""

import shutil
import tempfile
from pathlib import Path

from airtcp.errors import AirtcpError

# A minute of two flows is a few megabytes; below this a run would fail halfway.
FREE_BYTES_LEAST = 50_000_000


def prepare_store(store: Path) -> Path:
    """Creates the store if it is missing; raises an error if it can't be written or is full."""
    try:
        store.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=store):
            pass
        free = shutil.disk_usage(store).free
    except OSError as error:
        remedy = "Choose another store with --store"
        raise AirtcpError(f"the store can't be written: {error.strerror}", str(store), remedy) from None
    if free < FREE_BYTES_LEAST:
        what = (
            f"no space left on the device: {free / 1e6:.0f} MB free, {FREE_BYTES_LEAST / 1e6:.0f} MB needed"
        )
        raise AirtcpError(what, str(store), "Free some space or choose another store with --store")
    return store.resolve()
