"""A plan as a flat table: dotted keys, and the value of each."""

import sys
from collections.abc import Iterator
from typing import Any

Value = str | int | float | bool | None
# What names an item of a list, so that `nodes.sta1.` means the same node in every plan.
_NAMES = ("name", "key", "node")


# The key that the plans of measured runs have beside their own.
MEASURED = "measured"


def flatten(plan: dict[str, Any], measured: bool = False) -> dict[str, Value]:
    """Each number, text and truth value of a plan by its dotted key, as `flows.sta1-h1.port`.

    Items of a list are keyed by their name where they have one that no other item has, else by their place. A
    run that was `measured` in a real network is never a repetition of a virtual one: it has one key more.
    """
    flat = dict(_leaves("", plan))
    return flat | {MEASURED: True} if measured else flat


def _leaves(prefix: str, value: Any) -> Iterator[tuple[str, Value]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            # Plans have the same keys by the hundred: each is kept once.
            yield from _leaves(sys.intern(f"{prefix}.{key}") if prefix else key, inner)
    elif isinstance(value, list):
        for key, inner in zip(_item_keys(value), value, strict=True):
            yield from _leaves(sys.intern(f"{prefix}.{key}"), inner)
    else:
        yield prefix, value


def _item_keys(items: list[Any]) -> list[str]:
    places = [str(place) for place in range(len(items))]
    if not items or not all(isinstance(item, dict) for item in items):
        return places
    for key in _NAMES:
        names = [item.get(key) for item in items]
        if all(isinstance(name, str) for name in names) and len(set(names)) == len(names):
            return names
    return places
