"""The tests of a suite with their needs, kept in the cache: reading the sources takes seconds."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from airtcp.cache_folder import cache_folder
from airtcp.hostap.needs import Need, known_needs, needs_of
from airtcp.hostap.sources import Place, SuiteTest, module_files, read_sources
from airtcp.value_cache import ValueCache

FOLDER = "hostap"
"""Folder of airtcp's cache for what is made of suites."""
_MADE_BY = ("hostap",)
Needs = Mapping[str, Sequence[Need]]


def needs_by_test(folder: Path) -> tuple[list[SuiteTest], Needs]:
    """The tests of a suite in the order of modules and lines, and the needs of each by its name.

    Raises:
        AirtcpError: a module is no Python.
    """
    place = cache_folder() / FOLDER
    place.mkdir(parents=True, exist_ok=True)
    kept = ValueCache(place, "needs", _MADE_BY)
    name, key = hashlib.sha256(str(folder).encode()).hexdigest(), _content(folder)
    found = kept.get(name, key)
    if found is None:
        sources = read_sources(folder)
        needs = needs_of(sources)
        found = [[asdict(test), [need.name for need in needs[test.name]]] for test in sources.tests]
        kept.put(name, key, found)
    known = {need.name: need for need in known_needs()}
    tests = [SuiteTest(**{**test, "place": Place(**test["place"])}) for test, _ in found]
    return tests, {test["name"]: [known[name] for name in names] for test, names in found}


def _content(folder: Path) -> str:
    found = hashlib.sha256()
    for file in module_files(folder):
        found.update(f"{file.name}\n".encode())
        found.update(file.read_bytes())
    return found.hexdigest()
