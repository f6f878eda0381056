"""What `airtcp run` shows of a run, kept in the store: a run never changes, so it is read once."""

import hashlib
from pathlib import Path
from types import MappingProxyType
from typing import Any

from airtcp.data.groups import groups_text
from airtcp.plans.groups import Groups
from airtcp.report.table import Table
from airtcp.value_cache import ValueCache

KIND = "looks"
FACTS_KIND = "facts"
# What reads a run and makes its tables.
_MADE_BY = ("data", "metrics", "quantities", "report")

NO_GROUPS: Groups = MappingProxyType({})
Look = tuple[list[Table], list[str]]


def first_look(folder: Path, groups: Groups = NO_GROUPS) -> Look:
    """The tables and the warnings of a run, with further groups beside its own."""
    kept, key = ValueCache(folder.parent, KIND, _MADE_BY), _key(folder, groups)
    known = _look(kept.get(folder.name, key))
    if known is not None:
        return known
    from airtcp.data.run_folder import open_run
    from airtcp.report.run.report import run_tables, run_warnings

    run = open_run(folder).with_groups(groups)
    made = run_tables(run), run_warnings(run)
    kept.put(folder.name, key, _value(made))
    return made


def facts_look(folder: Path, groups: Groups = NO_GROUPS) -> dict[str, Any]:
    """The numbers of a run, as `airtcp run --json` prints them."""
    kept, key = ValueCache(folder.parent, FACTS_KIND, _MADE_BY), _key(folder, groups)
    known: dict[str, Any] | None = kept.get(folder.name, key)
    if known is not None:
        return known
    from airtcp.data.read_once import open_once
    from airtcp.report.run.facts import run_facts

    made = run_facts(open_once(folder).with_groups(groups))
    kept.put(folder.name, key, made)
    return made


def _value(look: Look) -> dict[str, Any]:
    tables, warnings = look
    return {"tables": [table.facts() for table in tables], "warnings": warnings}


def _look(value: Any) -> Look | None:
    try:
        return [Table(**table) for table in value["tables"]], list(value["warnings"])
    except (KeyError, TypeError):
        return None


def _key(folder: Path, groups: Groups) -> str:
    """The run's manifest, which has the checksums of its files; its place, which tables may name; groups."""
    manifest = hashlib.sha256((folder / "manifest.json").read_bytes()).hexdigest()
    return f"{manifest} {folder} {groups_text(folder)} {list(groups.items())}"
