"""What a key means: its table, values, default and meaning, as the manual has them."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from airtcp.manual.pages import manual_home
from airtcp.scenario.reference.described import Described

# Below the manual's folder.
KEY_INDEX = "docs/reference/keys.json"


@dataclass(frozen=True)
class KeyTable:
    """A table of keys: its title as pages have it, the path that leads to it, and its keys in their order."""

    title: str
    path: tuple[str, ...]
    keys: tuple[Described, ...]

    def key(self, name: str) -> Described | None:
        """The key of this name, if it has one."""
        return next((key for key in self.keys if key.name == name), None)


@dataclass(frozen=True)
class QuantityMeaning:
    """A quantity in words: its unit (may be empty) and its meaning."""

    unit: str
    meaning: str


@dataclass(frozen=True)
class KeyMeaning:
    """What a key means, and the tables in which it means this."""

    key: Described
    tables: tuple[str, ...]


def scenario_tables() -> list[KeyTable]:
    """The tables of scenarios."""
    return _tables("scenario")


def campaign_tables() -> list[KeyTable]:
    """The tables of campaigns and studies."""
    return _tables("campaign")


def lab_tables() -> list[KeyTable]:
    """The tables of labs."""
    return _tables("lab")


def quantities() -> Mapping[str, QuantityMeaning]:
    """The quantities, by name."""
    return {name: QuantityMeaning(**words) for name, words in _index()["quantity"].items()}


def _tables(kind: str) -> list[KeyTable]:
    return [
        KeyTable(table["title"], _path(table["title"]), tuple(Described(**key) for key in table["keys"]))
        for table in _index()[kind]
    ]


@cache
def _index() -> Any:
    """What `airtcp.manual.key_index` made: loading all models takes longer than any answer should."""
    return json.loads((manual_home() / KEY_INDEX).read_bytes())


def _path(title: str) -> tuple[str, ...]:
    """`wifi.NAME` of a title such as "`[wifi.NAME]`: a cell"."""
    found = re.match(r"`\[*([\w.]+)\]*`", title)
    return tuple(found[1].split(".")) if found else ()


def steps_of(text: str) -> tuple[str, ...]:
    """The names on the way to a key that a user writes: `flow[0].cca`, `[channel] rssi`, `wifi.home.rate`."""
    return tuple(re.findall(r"[A-Za-z0-9_*-]+", re.sub(r"\[(\d+|\*)\]", "", text)))


def meanings(text: str, tables: Iterable[KeyTable]) -> list[KeyMeaning]:
    """What a key means in the table that is named, or in every table that has it."""
    steps = steps_of(text)
    if not steps:
        return []
    having = [(table, key) for table in tables if (key := table.key(steps[-1])) is not None]
    named = [(table, key) for table, key in having if _leads_to(steps[:-1], table.path)]
    grouped: dict[Described, list[str]] = {}
    for table, key in named or having:
        grouped.setdefault(key, []).append(table.title)
    return [KeyMeaning(key, tuple(titles)) for key, titles in grouped.items()]


def table_of(text: str, tables: Iterable[KeyTable]) -> KeyTable | None:
    """The table that is named: `flow`, `wifi.home`, `wifi.NAME.radio.NODE`."""
    steps = steps_of(text)
    return next((table for table in tables if table.path and _leads_to(steps, table.path)), None)


def _leads_to(steps: tuple[str, ...], path: tuple[str, ...]) -> bool:
    """Whether steps are those of a path, in which words in capitals stand for any name."""
    if not path:
        return not steps
    end = steps[-len(path) :] if len(path) == 1 else steps
    return len(end) == len(path) and all(
        wanted.isupper() or step == wanted for step, wanted in zip(end, path, strict=True)
    )


def known_names(tables: Iterable[KeyTable]) -> list[str]:
    """The names of all keys, each once."""
    return list(dict.fromkeys(key.name for table in tables for key in table.keys))


def uses(name: str, texts: Mapping[str, str]) -> list[str]:
    """Which of these texts, by their names, give the key a value or have the table."""
    word = re.escape(name)
    used = re.compile(rf"(?m)(^|[\s{{,.]){word}\s*=|^\[+{word}(\]|\.)")
    return [where for where, text in texts.items() if used.search(text)]
