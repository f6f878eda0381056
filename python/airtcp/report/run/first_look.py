"""What `airtcp run` shows of a run, kept in the store: a run never changes, so it is read once."""

import hashlib
from pathlib import Path
from typing import Any

from airtcp.report.table import Table
from airtcp.value_cache import ValueCache

KIND = "looks"
# What reads a run and makes its tables.
_MADE_BY = ("data", "metrics", "quantities", "report")

Look = tuple[list[Table], list[str]]


def first_look(folder: Path) -> Look:
    """The tables and the warnings of a run."""
    kept, key = ValueCache(folder.parent, KIND, _MADE_BY), _key(folder)
    known = _look(kept.get(folder.name, key))
    if known is not None:
        return known
    from airtcp.data.run_folder import open_run
    from airtcp.report.run.report import run_tables, run_warnings

    run = open_run(folder)
    made = run_tables(run), run_warnings(run)
    kept.put(folder.name, key, _value(made))
    return made


def _value(look: Look) -> dict[str, Any]:
    tables, warnings = look
    shown = [
        {"title": t.title, "columns": list(t.columns), "rows": t.rows, "left": list(t.left)} for t in tables
    ]
    return {"tables": shown, "warnings": warnings}


def _look(value: Any) -> Look | None:
    try:
        tables = [Table(t["title"], t["columns"], t["rows"], t["left"]) for t in value["tables"]]
        return tables, list(value["warnings"])
    except (KeyError, TypeError):
        return None


def _key(folder: Path) -> str:
    """The run's manifest, which has the checksums of its files, and its place, which tables may name."""
    manifest = hashlib.sha256((folder / "manifest.json").read_bytes()).hexdigest()
    return f"{manifest} {folder}"
