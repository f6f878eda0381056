"""Values put into the tables of a scenario by the path of their key: `wire[1].queue`, `flow[*].cca`."""

import re
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from airtcp.scenario.errors import ScenarioError

_STEP = re.compile(r'("[^"]+"|[A-Za-z0-9_*-]+)(?:\[(\d+|\*)\])?(?:\.|$)')
_REMEDY = 'Write for example "wire[1].queue", "flow[*].cca" or "wifi.home.standard"'


def assign(tables: dict[str, Any], path: str, value: Any) -> None:
    """Puts a value where `path` leads, in the tables of a scenario file.

    A step is the name of a key, in quotes if it holds a dot (`sysctl."net.ipv4.tcp_ecn"`); `[2]` chooses an
    entry of a list, counted from 0, `[*]` every one. Tables on the way that are not there are made, lists
    are not. A list or a table takes the place of the old one. A path that leads nowhere is a
    `ScenarioError`.
    """
    steps = list(_steps(path))
    for holder, key in _holders(tables, steps, path):
        # Each place its own copy: a later assignment into one must not reach the others.
        holder[key] = deepcopy(value)


def _steps(path: str) -> Iterator[str | int]:
    """Names, numbers, and `[*]`."""
    at = 0
    while at < len(path):
        step = _STEP.match(path, at)
        if step is None:
            raise ScenarioError(path, "is not the path of a key", _REMEDY)
        yield step[1].strip('"')
        if step[2] is not None:
            yield "[*]" if step[2] == "*" else int(step[2])
        at = step.end()
    if not path or path.endswith("."):
        raise ScenarioError(path, "is not the path of a key", _REMEDY)


def _holders(tables: Any, steps: list[str | int], path: str) -> Iterator[tuple[Any, Any]]:
    """Every table or list that the last step chooses from, with what it chooses."""
    here, rest = steps[0], steps[1:]
    for key in _chosen(tables, here, path):
        if not rest:
            yield tables, key
            continue
        if isinstance(key, str) and key not in tables:
            if not isinstance(rest[0], str) or rest[0] == "[*]":
                raise ScenarioError(path, f'there is no list "{key}"', "Add it to the scenario file")
            tables[key] = {}
        yield from _holders(tables[key], rest, path)


def _chosen(holder: Any, step: str | int, path: str) -> list[Any]:
    if isinstance(step, str) and step != "[*]":
        if not isinstance(holder, dict):
            raise ScenarioError(path, f'"{step}" is not in a table', _REMEDY)
        return [step]
    if not isinstance(holder, list):
        raise ScenarioError(path, f"{step} selects from a value that is not a list", _REMEDY)
    if step == "[*]":
        return list(range(len(holder)))
    if not isinstance(step, int) or step >= len(holder):
        raise ScenarioError(path, f"there is no entry {step} (of {len(holder)}, counted from 0)", _REMEDY)
    return [step]
