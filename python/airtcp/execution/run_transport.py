"""Transfers a run folder from the machine that computed it into the store: packs, checks, unpacks."""

import contextlib
import hashlib
import io
import json
import os
import shutil
import tarfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from airtcp.errors import AirtcpError
from airtcp.execution.events import RunFailed
from airtcp.execution.run_lock import run_lock

MANIFEST = "manifest.json"
_REMEDY = "Run it again; if it happens again, check the worker's memory and disk"
_OTHER_REMEDY = "Install the same airtcp and the same kernel on every worker"


def pack(folder: Path) -> bytes:
    """The files of a run folder."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for file in sorted(folder.rglob("*")):
            if file.is_file() and not file.is_symlink():
                tar.add(file, str(file.relative_to(folder)), recursive=False)
    return packed.getvalue()


def store_packed_run(packed: bytes, run: str, store: Path, made_with: Mapping[str, str], fresh: bool) -> Path:
    """Adds a packed run to the store atomically; returns its folder.

    Every file must match its checksum in the manifest, and the manifest must name `run` and the parts in
    `made_with` (`parts_of`); otherwise this raises `RunFailed` and leaves the store unchanged. A run that is
    in the store by now is kept, unless this one is `fresh`. Waits for the run's lock.
    """
    try:
        with run_lock(store, run, wait=True):
            return _store_packed_run(packed, run, store, made_with, fresh)
    except RunFailed:
        raise
    except AirtcpError as error:
        raise RunFailed("disk", error.what, error.place, error.remedy, []) from None


def _store_packed_run(
    packed: bytes, run: str, store: Path, made_with: Mapping[str, str], fresh: bool
) -> Path:
    final, aside = store / run, store / f".working-{run}-{os.getpid()}"
    try:
        shutil.rmtree(aside, ignore_errors=True)
        _unpack(packed, aside)
        _check(aside, run, made_with)
        if fresh:
            _move_away(final)
        if (final / MANIFEST).exists():
            return final
        try:
            aside.rename(final)
        except OSError:
            # Another campaign has added the same run meanwhile.
            if not (final / MANIFEST).exists():
                raise
    except OSError as error:
        what = f"can't be written to the store: {error.strerror}"
        raise RunFailed("disk", what, str(store), "Free some space or choose another store", []) from None
    except (tarfile.TarError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise _damaged(run, f"arrived damaged: {error}") from None
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return final


@cache
def parts_of(runner: Path, kernel: Path) -> dict[str, str]:
    """What a run of this installation says that it was made with, as far as it is known."""
    found = {}
    for key, name in (("library_sha256", "libairtcp_guest.so"), ("agent_sha256", "airtcp-agent")):
        with contextlib.suppress(OSError):
            found[key] = hashlib.sha256((runner.parent / name).read_bytes()).hexdigest()
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        found["kernel"] = str(json.loads((kernel / "kernel.json").read_text(encoding="utf-8"))["id"])
    return found


def _unpack(packed: bytes, folder: Path) -> None:
    """Plain files only, all of them below the folder; on the disk when this returns."""
    with tarfile.open(fileobj=io.BytesIO(packed), mode="r:") as tar:
        for member in tar:
            name = PurePosixPath(member.name)
            content = tar.extractfile(member) if member.isreg() else None
            if content is None or name.is_absolute() or ".." in name.parts:
                raise ValueError(f"{member.name!r} is not a file of a run")
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("xb") as out:
                shutil.copyfileobj(content, out)
                out.flush()
                os.fsync(out.fileno())


def _check(folder: Path, run: str, made_with: Mapping[str, str]) -> None:
    manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    if manifest["run"] != run:
        raise _damaged(run, f"arrived as {manifest['run']}")
    for name, checksum in manifest.get("sha256", {}).items():
        file = folder / name
        if not file.is_file() or hashlib.sha256(file.read_bytes()).hexdigest() != checksum:
            raise _damaged(run, f"arrived damaged: {name} is missing or has another checksum")
    parts = {**manifest, "kernel": manifest.get("kernel", {}).get("id")}
    for part, ours in made_with.items():
        theirs = parts.get(part)
        if theirs is not None and theirs != ours:
            what = f"was made with another {part.removesuffix('_sha256')} than this machine has"
            raise RunFailed("installation", what, f"run {run}", _OTHER_REMEDY, [])


def _damaged(run: str, what: str) -> RunFailed:
    return RunFailed("transport", what, f"run {run}", _REMEDY, [])


def _move_away(folder: Path) -> None:
    if folder.exists():
        old = folder.with_name(f".working-{folder.name}-{os.getpid()}-old")
        folder.rename(old)
        shutil.rmtree(old, ignore_errors=True)


def failure_of(error: AirtcpError) -> dict[str, Any]:
    """A failure as JSON, for another machine."""
    about = {"what": error.what, "place": error.place, "remedy": error.remedy}
    if isinstance(error, RunFailed):
        return {"kind": error.kind, "console": error.console, **about}
    return {"kind": "installation", "console": [], **about}


def failure_from(values: Mapping[str, Any]) -> RunFailed:
    """The failure of such JSON."""
    return RunFailed(
        values["kind"], values["what"], values["place"], values["remedy"], list(values["console"])
    )
