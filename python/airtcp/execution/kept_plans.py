"""The plans of scenario files, kept in a store: a file that did not change is not compiled again.

A plan that other files went into (recordings of links, files of programs) is not kept: it depends on them.
"""

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from airtcp.kept import Kept
from airtcp.scenario.plan_types.plan import Plan

KIND = "plans"
# What turns a scenario into a plan.
_MADE_BY = ("scenario",)


def plan_of_file(file: Path, changes: Mapping[str, Any], store: Path) -> Plan:
    """The plan of a scenario file with changes of some of its keys (errors are `ScenarioError`s)."""

    def compiled() -> Plan:
        from airtcp.scenario.compile.compiler import compile_file

        return compile_file(file, changes)

    try:
        source = file.read_bytes()
    except OSError:
        return compiled()  # which says what is wrong with the file
    return kept_plan(store, source + repr(sorted(changes.items())).encode(), compiled)


def kept_plan(store: Path | None, source: bytes, compiled: Callable[[], Plan]) -> Plan:
    """What `compiled` makes of a scenario, whose own text is `source`, or made of it before."""
    if store is None:
        return compiled()
    kept, key = Kept(store, KIND, _MADE_BY), hashlib.sha256(source).hexdigest()
    known: Plan | None = kept.get(key, key)
    if known is not None:
        return known
    plan = compiled()
    if not _has_other_files(plan):
        kept.put(key, key, plan)
    return plan


def _has_other_files(plan: Plan) -> bool:
    air = plan["air"]
    return bool(plan["programs"] or (air and air["channel"]["traces"]))
