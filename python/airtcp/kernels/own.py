"""Kernels of a source of one's own, as they are built: what their `kernel.json` says of the source."""

import json
from dataclasses import dataclass

from airtcp.kernels.folder_name import kernels_folder


@dataclass(frozen=True)
class OwnKernel:
    """A built kernel: the nearest series, and the congestion controls that it has."""

    base: str
    congestion_controls: tuple[str, ...]


def own_kernel(base: str) -> OwnKernel | None:
    """The kernel of this name, whatever its flavour and timer frequency; `None` if none is built."""
    store = kernels_folder()
    for folder in (store / base, *sorted(store.glob(f"{base}-*"))):
        try:
            about = json.loads((folder / "kernel.json").read_text(encoding="utf-8"))
            return OwnKernel(about["base"], tuple(about["congestion_controls"]))
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return None
