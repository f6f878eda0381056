"""Whether a run folder is what its manifest says: every file of results, by its checksum."""

import hashlib
import os
import stat
from pathlib import Path
from typing import Any

from airtcp.data.groups import groups_text
from airtcp.data.stored_run import read_manifest
from airtcp.errors import AirtcpError

# What holds results; the output of programs and the console have no checksums.
_FILES = ("plan.json", "summary.json")
_FOLDERS = ("series", "pcap")


def find_damage(folder: Path, name: str | None = None) -> list[str]:
    """The damages of a run folder, each as `FILE: what`; empty if there are none.

    `name` is the run's name where the folder has another one, as a copy under way has. Runs of versions that
    wrote no checksums are held against the checksum of their plan alone.
    """
    try:
        manifest = read_manifest(folder, name)
    except AirtcpError as error:
        return [f"{Path(error.place).name}: {error.what}"]
    known, damage = _known(manifest), _identity_damage(manifest)
    if known is None:
        return [*damage, "manifest.json: is damaged: its checksums are not a table of paths"]
    present = {file: _digest(folder, file) for file in result_files(folder)}
    for file in sorted(known.keys() | present.keys()):
        if file not in present:
            damage.append(f"{file}: is missing")
        elif file not in known:
            if "sha256" in manifest:
                damage.append(f"{file}: is not in the manifest")
        elif present[file] is None:
            damage.append(f"{file}: can't be read, or is not a regular file")
        elif present[file] != known[file]:
            damage.append(f"{file}: is not what was written: its checksum is not that of the manifest")
    return damage


def result_files(folder: Path) -> list[str]:
    """The files of results that are there, by their paths in the folder."""
    found = [name for name in _FILES if os.path.lexists(folder / name)]
    for inner in _FOLDERS:
        try:
            found += sorted(f"{inner}/{name}" for name in os.listdir(folder / inner))  # noqa: PTH208
        except OSError:
            continue
    return found


def manifest_digest(folder: Path) -> str:
    """A hash of the manifest, which has the checksums of all results; without one an `OSError`."""
    return hashlib.sha256((folder / "manifest.json").read_bytes()).hexdigest()


def results_state(folder: Path) -> str:
    """What tells, without reading series, whether a run folder is as it was: its manifest, size and time of
    change of every file of results, and the groups. A folder without a manifest is an `OSError`."""
    states = ((file, os.stat(folder / file)) for file in result_files(folder))  # noqa: PTH116
    files = (f"{file}:{state.st_size}:{state.st_mtime_ns}" for file, state in states)
    return " ".join([manifest_digest(folder), *files, groups_text(folder)])


def result_digests(folder: Path) -> dict[str, str | None]:
    """The checksum of every file of results; `None` for one that can't be read."""
    return {file: _digest(folder, file) for file in result_files(folder)}


def has_checksums(folder: Path) -> bool:
    """Whether the version that made a run wrote checksums of all results."""
    return "sha256" in read_manifest(folder)


def _known(manifest: dict[str, Any]) -> dict[str, str] | None:
    """Checksums by paths inside the folder; `None` if that is not what the manifest has."""
    if "sha256" not in manifest:
        plan = manifest.get("plan_sha256")
        return {"plan.json": str(plan)} if plan else {}
    checksums = manifest["sha256"]
    if not isinstance(checksums, dict) or not all(map(_is_result, checksums)):
        return None
    return {path: str(value) for path, value in checksums.items()}


def _is_result(path: str) -> bool:
    folder, _, name = path.partition("/")
    return path in _FILES or (folder in _FOLDERS and name not in ("", ".", "..") and "/" not in name)


def _identity_damage(manifest: dict[str, Any]) -> list[str]:
    """The name of a run is the beginning of the hash of its parts' hashes (the runner's identity.rs)."""
    kernel = manifest.get("kernel")
    parts = [
        manifest.get("plan_sha256"),
        kernel.get("id") if isinstance(kernel, dict) else None,
        manifest.get("library_sha256"),
        manifest.get("agent_sha256"),
    ]
    if None in parts:
        return []
    name = hashlib.sha256("".join(f"{part}\n" for part in parts).encode()).hexdigest()[:16]
    if name == manifest["run"]:
        return []
    return ["manifest.json: is damaged: the run's name is not that of its plan, kernel, library and agent"]


def _digest(folder: Path, file: str) -> str | None:
    try:
        # A link could lead anywhere, and a pipe would wait for ever.
        number = os.open(folder / file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(number, "rb") as content:
            if not stat.S_ISREG(os.fstat(number).st_mode):
                return None
            return hashlib.file_digest(content, "sha256").hexdigest()
    except OSError:
        return None
