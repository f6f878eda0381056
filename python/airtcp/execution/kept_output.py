"""What programs of a run wrote that takes too long: kept as the runner keeps that of other failed runs."""

import contextlib
import shutil
from pathlib import Path

from airtcp.execution.events import RunFailed

# Of crates/plan/src/report.rs and crates/runner/src/kept_output.rs.
PROGRAMS = "programs"


def kept_output(failed: RunFailed, store: Path, run: str, process: int) -> RunFailed:
    """Keeps what programs wrote so far of a run that is not over; returns the error that names it."""
    folder = store / f"failed-{run}"
    programs = store / f".working-{run}-{process}" / PROGRAMS
    with contextlib.suppress(OSError):
        written = programs.is_dir() and not programs.is_symlink()
        if written and any(not each.is_file() or each.lstat().st_size for each in programs.iterdir()):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            # A guest that still runs can't write any more: it names the folder by its path.
            programs.rename(folder / PROGRAMS)
            remedy = f"{failed.remedy}; what its programs wrote is in {folder}"
            return RunFailed(failed.kind, failed.what, failed.place, remedy, failed.console)
    return failed
