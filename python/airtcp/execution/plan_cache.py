"""A cache of compiled plans in a store: an unchanged scenario file is not compiled again.

Plans that depend on further files (link recordings, files of programs) are not cached.
"""

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from airtcp.input_file import read_input
from airtcp.plans.types.plan import Plan
from airtcp.scenario.reading.toml_file import FILE_BYTES_MOST
from airtcp.value_cache import ValueCache

KIND = "plans"
# The packages whose code compiles a scenario.
_MADE_BY = ("scenario",)


def plan_of_file(file: Path, changes: Mapping[str, Any], store: Path) -> Plan:
    """The plan of a scenario file with some keys changed; errors are `ScenarioError`s."""

    def compiled() -> Plan:
        from airtcp.scenario.compile.compiler import compile_file

        return compile_file(file, changes)

    try:
        source = read_input(file, FILE_BYTES_MOST)
    except OSError:
        return compiled()  # raises the error with the file's name
    return cached_plan(store, source + repr(sorted(changes.items())).encode(), compiled)


def cached_plan(store: Path | None, source: bytes, compiled: Callable[[], Plan]) -> Plan:
    """The cached plan of a scenario with the text `source`, or else the result of `compiled`."""
    if store is None:
        return compiled()
    cache, key = ValueCache(store, KIND, _MADE_BY), hashlib.sha256(source).hexdigest()
    known: Plan | None = cache.get(key, key)
    if known is not None:
        return known
    plan = compiled()
    if not _has_other_files(plan):
        cache.put(key, key, plan)
    return plan


def _has_other_files(plan: Plan) -> bool:
    air = plan["air"]
    return bool(plan["programs"] or (air and air["channel"]["traces"]))
