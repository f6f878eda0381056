"""What a page needs of a run, kept in the store of the run: it is read once, however many pages show it.

Campaigns fill this while further runs go on. A folder of runs that has no caches gets none.
"""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from airtcp.data.run_integrity import results_state
from airtcp.report.html.read_run import Broken, PageAsked, Read, read_run
from airtcp.report.html.record import Record
from airtcp.value_cache import ValueCache

KIND = "pages"
RECORDS_KIND = "records"
# What reads a run and makes its part of a page.
_MADE_BY = ("data", "metrics", "quantities", "plots", "timeline", "report")


def read_or_kept(folder: Path, asked: PageAsked) -> Read | Broken:
    """The run as `read_run` has it, which is called only if nothing is kept of the folder as it is now."""
    kept, key = _cache(folder), _key(folder, asked)
    if key is None or not kept.folder.parent.is_dir():
        return read_run(folder, asked)
    known = _read(kept.get(folder.name, key))
    if known is not None:
        return known
    made = read_run(folder, asked)
    # What cannot be read is read again each time, with its reason.
    if isinstance(made, Read):
        kept.put(folder.name, key, asdict(made))
    return made


def record_or_kept(folder: Path, values: Sequence[str]) -> Read:
    """The row and the keys of a run, without its details; what cannot be read is an `AirtcpError`."""
    kept, key = ValueCache(folder.parent, RECORDS_KIND, _MADE_BY), _key(folder, PageAsked(0, tuple(values)))
    known = _read(kept.get(folder.name, key)) if key else None
    if known is not None:
        return known
    from airtcp.data.read_once import open_once
    from airtcp.plans.flat import flatten
    from airtcp.report.html.record import record_of

    run = open_once(folder)
    made = Read(record_of(run, values), flatten(run.plan, run.measured), "")
    if key and kept.folder.parent.is_dir():
        kept.put(folder.name, key, asdict(made))
    return made


def is_kept(folder: Path) -> bool:
    """Whether something is kept of a run; it may be outdated."""
    return (_cache(folder).folder / f"{folder.name}.json").exists()


def _cache(folder: Path) -> ValueCache:
    return ValueCache(folder.parent, KIND, _MADE_BY)


def _read(value: Any) -> Read | None:
    try:
        fields: dict[str, Any] = value["record"]
        record: dict[str, Any] = {
            name: tuple(own) if isinstance(own, list) else own for name, own in fields.items()
        }
        return Read(Record(**record), dict(value["plan"]), str(value["details"]))
    except (KeyError, TypeError, AttributeError):
        return None


def _key(folder: Path, asked: PageAsked) -> str | None:
    """The state of the folder's results, and its place, which pages name."""
    try:
        state = results_state(folder)
    except OSError:
        return None
    groups = list(asked.groups.items())
    return f"{state} {asked.points_most} {','.join(asked.values)} {folder} {groups} {asked.timeline}"
