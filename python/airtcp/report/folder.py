"""The output folder of a report: written aside, put in place when complete."""

import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from airtcp.errors import AirtcpError

# Says that a folder is a report of ours and may be replaced by a newer one.
MARK = "report.json"


def check_output(out: Path) -> None:
    """A folder that exists and is not a report is an error, before anything is computed."""
    if out.exists() and not (out.is_dir() and (not any(out.iterdir()) or (out / MARK).is_file())):
        raise AirtcpError("exists and is not a report", str(out), "Choose another folder with --out")
    parent = next(folder for folder in out.absolute().parents if folder.exists())
    try:
        with tempfile.TemporaryDirectory(dir=parent):
            pass
    except OSError as error:
        raise _unwritable(error, parent) from None


def _unwritable(error: OSError, place: Path) -> AirtcpError:
    return AirtcpError(f"can't be written: {error.strerror}", str(place), "Choose another folder with --out")


@contextlib.contextmanager
def output_folder(out: Path, about: dict[str, object]) -> Iterator[Path]:
    """A folder to write into; it takes the place of `out` when the block ends well, else it vanishes."""
    check_output(out)
    aside = out.parent / f".{out.name}.{os.getpid()}.partial"
    try:
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir(parents=True)
        yield aside
        (aside / MARK).write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
        before = out.parent / f".{out.name}.{os.getpid()}.before"
        if out.exists():
            out.rename(before)
        aside.rename(out)
        shutil.rmtree(before, ignore_errors=True)
    except OSError as error:
        raise _unwritable(error, out) from None
    finally:
        shutil.rmtree(aside, ignore_errors=True)
