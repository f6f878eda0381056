"""What `airtcp run` shows of a run, kept in the store: a run never changes, so it is read once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from airtcp.data.groups import groups_text
from airtcp.data.run_integrity import manifest_digest
from airtcp.plans.groups import Groups
from airtcp.report.table import Table
from airtcp.value_cache import ValueCache

KIND = "looks"
# What reads a run and makes its tables.
_MADE_BY = ("plans", "data", "metrics", "quantities", "report")


@dataclass(frozen=True)
class Asked:
    """Groups beside those of the run, and whether tables have every member of a group of many."""

    groups: Groups = field(default_factory=dict)
    every_member: bool = False


@dataclass(frozen=True)
class FirstLook:
    """The tables of a run, its warnings, and all that is known of it as JSON has it.

    `left_out` is how many rows tables do not have, for a group stands for them.
    """

    tables: list[Table]
    warnings: list[str]
    facts: Mapping[str, Any]
    left_out: int = 0


AS_IT_IS = Asked()


def first_look(folder: Path, asked: Asked = AS_IT_IS) -> FirstLook:
    """The look at a run that is asked for."""
    kept, key = ValueCache(folder.parent, KIND, _MADE_BY), _key(folder, asked)
    known = _look(kept.get(folder.name, key))
    if known is not None:
        return known
    from airtcp.data.read_once import open_once
    from airtcp.report.record import as_json
    from airtcp.report.run.facts import run_record
    from airtcp.report.run.report import tables_of

    record = run_record(open_once(folder).with_groups(asked.groups))
    whole = tables_of(record, every_member=True)
    # Only a group stands for others.
    cut = bool(record.groups) and not asked.every_member
    tables = tables_of(record, every_member=False) if cut else whole
    made = FirstLook(tables, record.warnings, as_json(record), _rows(whole) - _rows(tables))
    kept.put(folder.name, key, _value(made))
    return made


def _rows(tables: Sequence[Table]) -> int:
    return sum(len(table.rows) for table in tables)


def _value(look: FirstLook) -> dict[str, Any]:
    about = {"warnings": look.warnings, "facts": look.facts, "left_out": look.left_out}
    return {"tables": [table.facts() for table in look.tables], **about}


def _look(value: Any) -> FirstLook | None:
    try:
        tables = [Table(**table) for table in value["tables"]]
        return FirstLook(tables, list(value["warnings"]), value["facts"], value["left_out"])
    except (KeyError, TypeError):
        return None


def _key(folder: Path, asked: Asked) -> str:
    """The manifest, which has the checksums of all files; the place, which tables may name; what is asked."""
    groups = list(asked.groups.items())
    return f"{manifest_digest(folder)} {folder} {groups_text(folder)} {groups} {asked.every_member}"
