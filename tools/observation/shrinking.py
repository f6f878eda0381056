"""A smaller scenario whose results observation still changes."""

import copy
from collections.abc import Callable, Iterator

from observation.scenarios import Tables

# Lists of a scenario from which entries can be removed.
LISTS = ("session", "program", "flow", "udp", "voip", "ping", "request", "web", "video")


def shrunk(tables: Tables, still_moved: Callable[[Tables], bool]) -> Tables:
    """Removes one entry after another as long as `still_moved` holds for the scenario."""
    smaller = True
    while smaller:
        smaller = False
        for candidate in _without_one_thing(tables):
            if still_moved(candidate):
                tables, smaller = candidate, True
                break
    return tables


def _without_one_thing(tables: Tables) -> Iterator[Tables]:
    for name in LISTS:
        for index, entry in enumerate(tables.get(name, [])):
            if "end" in entry:
                continue
            candidate = copy.deepcopy(tables)
            del candidate[name][index]
            yield candidate
    if "node" in tables:
        yield {name: value for name, value in tables.items() if name != "node"}
    for cell, keys in tables["wifi"].items():
        for key in keys:
            if key not in ("stations", "access_point", "kind", "standard"):
                candidate = copy.deepcopy(tables)
                del candidate["wifi"][cell][key]
                yield candidate
