"""What `airtcp run` shows of a run, kept beside the runs of a store: a run never changes, so it is read once.

It saves time and nothing else: what is missing, damaged or of other code is made again.
"""

import contextlib
import hashlib
import json
import os
from functools import cache
from pathlib import Path

from airtcp.report.table import Table

# In the store, where caches are.
FOLDER = ".campaigns/looks"
_PACKAGE = Path(__file__).resolve().parents[1]
# What reads a run and makes its tables.
_SOURCES = ("data", "metrics", "report")

Look = tuple[list[Table], list[str]]


def first_look(folder: Path) -> Look:
    """The tables and the warnings of a run."""
    file = folder.parent / FOLDER / f"{folder.name}.json"
    known = _read(file, folder)
    if known is not None:
        return known
    from airtcp.data.run_folder import open_run
    from airtcp.report.run_report import run_tables, run_warnings

    run = open_run(folder)
    made = run_tables(run), run_warnings(run)
    _write(file, folder, made)
    return made


def _read(file: Path, folder: Path) -> Look | None:
    try:
        told = json.loads(file.read_bytes())
        if told["of"] != _key(folder):
            return None
        tables = [Table(t["title"], t["columns"], t["rows"], t["left"]) for t in told["tables"]]
        return tables, list(told["warnings"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _write(file: Path, folder: Path, look: Look) -> None:
    tables, warnings = look
    shown = [
        {"title": t.title, "columns": list(t.columns), "rows": t.rows, "left": list(t.left)} for t in tables
    ]
    aside = file.with_name(f".{file.name}.{os.getpid()}")
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        aside.write_text(json.dumps({"of": _key(folder), "tables": shown, "warnings": warnings}), "utf-8")
        aside.replace(file)


def _key(folder: Path) -> str:
    """A hash of airtcp's code and of the run's manifest, which has the checksums of its files."""
    manifest = hashlib.sha256((folder / "manifest.json").read_bytes()).hexdigest()
    return f"{_code()} {manifest} {folder}"


@cache
def _code() -> str:
    found = hashlib.sha256()
    for room in _SOURCES:
        for file in sorted((_PACKAGE / room).rglob("*.py")):
            found.update(file.read_bytes())
    return found.hexdigest()
