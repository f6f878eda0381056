"""Values that are a word, a quantity or a table: read into one table per kind.

A table's own `kind` (or `control`) chooses among the models of a union; a bare word stands for the table with
only that.
"""

from collections.abc import Iterable
from typing import Any

from airtcp.errors import suggestion


def kind_of(word: str, known: Iterable[str], what: str) -> str:
    """The known kind that is meant (`minstrel-ht` is `minstrel_ht`); another one is a `ValueError`."""
    kinds = tuple(known)
    name = word.strip().lower().replace("-", "_").replace(" ", "_")
    if name in kinds:
        return name
    hint = suggestion(name, kinds)
    raise ValueError(f'unknown {what} "{word}"; {hint + " " if hint else ""}known: {", ".join(kinds)}')


def table_of_kind(value: dict[str, Any], key: str, known: Iterable[str], what: str) -> dict[str, Any]:
    """The table with its kind as a known word."""
    kinds = tuple(known)
    if not isinstance(value.get(key), str):
        raise ValueError(f"a {what} as a table needs {key}, known: {', '.join(kinds)}")
    return {**value, key: kind_of(value[key], kinds, what)}
