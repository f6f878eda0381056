"""Keeps what a script wrote beside itself: its files are in a layer in memory, which ends with the guest."""

import os
import shutil
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

WRITTEN = Path("/run/airtcp-written")
"""What programs wrote over the files of the machine, by its path there (crates/agent/src/boot/root.rs)."""
MOST_FILES = 10_000
MOST_BYTES = 1 << 30
"""Most bytes that are kept; the rest is named."""
NAMED = 10
"""Most files that the message names."""
# What Python writes beside its modules.
_LEFT_OUT = ("__pycache__",)


def written_below(folder: Path, layer: Path = WRITTEN) -> Iterator[Path]:
    """The regular files that were written below a folder, in the order of names. Links are not followed."""
    place = layer / folder.relative_to("/")
    # A folder that was replaced by a link leads elsewhere.
    if any(part.is_symlink() for part in (place, *place.parents)):
        return
    for parent, folders, names in os.walk(place, followlinks=False):
        folders[:] = sorted(name for name in folders if name not in _LEFT_OUT)
        for name in sorted(names):
            file = Path(parent, name)
            if stat.S_ISREG(file.lstat().st_mode):
                yield Path("/") / file.relative_to(layer)


class Kept:
    """What is copied to a folder, within limits."""

    def __init__(self, to: Path, layer: Path = WRITTEN) -> None:
        self._to, self._layer = to, layer
        self._bytes = 0
        self.names: list[str] = []
        self.left: list[str] = []

    def keep(self, file: Path, name: str) -> None:
        """Copies a file under this name."""
        source = self._layer / file.relative_to("/")
        size = source.lstat().st_size
        if name in self.names:
            return
        if len(self.names) >= MOST_FILES or self._bytes + size > MOST_BYTES:
            self.left.append(name)
            return
        target = self._to / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target, follow_symlinks=False)
        self._bytes += size
        self.names.append(name)

    def keep_below(self, folders: list[Path]) -> None:
        """Copies what was written below folders; names are relative to the first that has the file."""
        for folder in folders:
            for file in written_below(folder, self._layer):
                inside = next(one for one in folders if file.is_relative_to(one))
                self.keep(file, str(file.relative_to(inside)))


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def message(kept: Kept) -> str:
    """What is said of it at the end; nothing if nothing was written."""
    lines = []
    if kept.names:
        files = (
            "a file that the script wrote is" if len(kept.names) == 1 else "files that the script wrote are"
        )
        lines.append(f"airtcp: {files} in programs/files of the run folder: {_listed(kept.names)}\n")
    if kept.left:
        limit = f"{MOST_FILES} files or {MOST_BYTES >> 30} GiB"
        lines.append(
            f"airtcp: these are not kept, as there are more than {limit}: {_listed(kept.left)}. "
            "Let the script write them to $RUN_DIR, or write less\n"
        )
    return "".join(lines)


def main() -> None:
    """Keeps what was written below the folders that are named."""
    kept = Kept(Path(os.environ["RUN_DIR"]) / "files")
    kept.keep_below([Path(folder) for folder in dict.fromkeys(sys.argv[1:])])
    sys.stderr.write(message(kept))
