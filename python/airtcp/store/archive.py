"""Runs packed into one file that unpacks as a store: `tar -xf FILE -C STORE`."""

import contextlib
import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from airtcp.data.stored_run import MANIFEST
from airtcp.errors import AirtcpError

ZSTD, GZIP = (".tar.zst", ".tzst"), (".tar.gz", ".tgz")


def is_archive(path: Path) -> bool:
    """Whether a path names an archive, and not a store."""
    return path.name.endswith(ZSTD + GZIP)


@contextlib.contextmanager
def new_archive(file: Path) -> Iterator[tarfile.TarFile]:
    """An archive to add runs to; the file is there when it is complete, and never in place of another."""
    if os.path.lexists(file):
        raise _exists(file)
    compress = _stream if file.name.endswith(ZSTD) else _gzip
    aside = None
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=file.parent, prefix=f".{file.name}.", delete=False) as raw:
            aside = Path(raw.name)
            with compress(cast(IO[bytes], raw)) as archive:
                yield archive
            raw.flush()
            os.fchmod(raw.fileno(), 0o644)
            os.fsync(raw.fileno())
        # A link, for unlike a rename it never takes the place of what another process has put there.
        os.link(aside, file)
    except FileExistsError:
        raise _exists(file) from None
    except OSError as error:
        what = f"can't be written: {error.strerror or error}"
        raise AirtcpError(what, str(file), "Choose another place, or free some space") from None
    finally:
        if aside is not None:
            aside.unlink(missing_ok=True)


def add_run(archive: tarfile.TarFile, folder: Path) -> None:
    """Adds a run's folder, its manifest last: what is cut before it is not taken for complete."""
    run = folder.name
    archive.add(folder, run, filter=_without_manifest)
    archive.add(folder / MANIFEST, f"{run}/{MANIFEST}", filter=_anonymous)


def _without_manifest(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    # Links and pipes, which programs of a scenario may have made, stay behind.
    inner = member.name.partition("/")[2]
    return _anonymous(member) if (member.isfile() or member.isdir()) and inner != MANIFEST else None


def _anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


@contextlib.contextmanager
def _gzip(raw: IO[bytes]) -> Iterator[tarfile.TarFile]:
    with tarfile.open(fileobj=raw, mode="w|gz", format=tarfile.PAX_FORMAT) as archive:
        yield archive


@contextlib.contextmanager
def _stream(raw: IO[bytes]) -> Iterator[tarfile.TarFile]:
    """Through the program zstd: Python's own library has that from 3.14 on only."""
    program = shutil.which("zstd")
    if program is None:
        remedy = "Install it (Debian: apt install zstd), or name the archive .tar.gz"
        raise AirtcpError("the program zstd was not found", "PATH", remedy)
    with subprocess.Popen([program, "-q", "-c"], stdin=subprocess.PIPE, stdout=raw) as process:
        assert process.stdin is not None, "stdin is a pipe"
        try:
            with tarfile.open(fileobj=process.stdin, mode="w|", format=tarfile.PAX_FORMAT) as archive:
                yield archive
            process.stdin.close()
        except BaseException:
            process.kill()
            raise
        if process.wait() != 0:
            raise OSError(f"zstd ended with status {process.returncode}")


def _exists(file: Path) -> AirtcpError:
    return AirtcpError(
        "already exists and is not overwritten", str(file), "Use another name, or remove the file"
    )
