"""A plan as a flat table: dotted keys, and the value of each."""

import hashlib
import json
import sys
from collections.abc import Iterable, Mapping
from typing import Any

Value = str | int | float | bool | None
# What names an item of a list, so that `nodes.sta1.` means the same node in every plan.
_NAMES = ("name", "key", "node")
# Points of a recording are one value: a plan may have hundreds of thousands.
_RECORDED = (".points",)


# The key that the plans of measured runs have beside their own.
MEASURED = "measured"


def flatten(plan: Mapping[str, Any], measured: bool = False) -> dict[str, Value]:
    """Each number, text and truth value of a plan by its dotted key, as `flows.sta1-h1.port`.

    Items of a list are keyed by their name where they have one that no other item has, else by their place. A
    run that was `measured` in a real network is never a repetition of a virtual one: it has one key more.
    """
    flat: dict[str, Value] = {}
    _add_leaves(flat, "", plan.items())
    return flat | {MEASURED: True} if measured else flat


def _add_leaves(flat: dict[str, Value], prefix: str, items: Iterable[tuple[str, Any]]) -> None:
    for name, value in items:
        key = f"{prefix}{name}"
        if isinstance(value, dict):
            _add_leaves(flat, f"{key}.", value.items())
        elif not isinstance(value, list):
            # Plans have the same keys by the hundred: each is kept once.
            flat[sys.intern(key)] = value
        elif key.endswith(_RECORDED):
            digest = hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
            flat[key] = f"{len(value)} points {digest[:16]}"
        else:
            _add_leaves(flat, f"{key}.", zip(_item_keys(value), value, strict=True))


def _item_keys(items: list[Any]) -> list[str]:
    places = [str(place) for place in range(len(items))]
    if not items or not all(isinstance(item, dict) for item in items):
        return places
    for key in _NAMES:
        names = [item.get(key) for item in items]
        if all(isinstance(name, str) for name in names) and len(set(names)) == len(names):
            return names
    return places


def put(holder: Any, key: str, value: Value) -> bool:
    """Puts a value at a dotted key of a plan, as `flatten` names it; false if the plan has no such key."""
    places: list[tuple[str, Any]] = []
    if isinstance(holder, dict):
        places = [(str(name), name) for name in holder]
    elif isinstance(holder, list):
        places = [(name, place) for place, name in enumerate(_item_keys(holder))]
    for name, place in places:
        if key == name and not isinstance(holder[place], dict | list):
            holder[place] = value
            return True
        # Names may hold dots: several ways may begin.
        if key.startswith(f"{name}.") and put(holder[place], key[len(name) + 1 :], value):
            return True
    return False
