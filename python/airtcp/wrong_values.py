"""What pydantic finds wrong with a value, in the words of those who write TOML files."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

# A value of any length may be quoted; lists of known names have some hundred characters.
_SHOWN_MOST = 60
_WHAT_MOST = 1200


@dataclass(frozen=True)
class Wrong:
    """What is wrong with a value, and what to do; the latter is empty if the key itself must be looked up."""

    what: str
    remedy: str = ""


def wrong_value(detail: "ErrorDetails", key: str) -> Wrong:
    """What is wrong with the value of `key`, for every kind of error but unknown and missing keys."""
    kind, value, limits = detail["type"], detail["input"], detail.get("ctx", {})
    if kind == "value_error":
        return Wrong(_cut(detail["msg"].removeprefix("Value error, ")))
    if kind == "literal_error":
        return Wrong(f"{in_toml(value)} is not possible", f"Write {_expected(limits['expected'])}")
    if kind == "string_pattern_mismatch":
        what = f"{in_toml(value)} is not a name"
        return Wrong(what, "Names begin with a letter or a digit, and go on with letters, digits, _, . and -")
    if kind.endswith(("_too_short", "_too_long")) or kind in ("too_short", "too_long"):
        return _wrong_length(value, limits)
    if limit := next((name for name in _LIMITS if name in limits), None):
        return Wrong(f"{in_toml(value)} is out of range: write {_LIMITS[limit]} {_number(limits[limit])}")
    return _wrong_type(kind, value, key)


_LIMITS = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}


def _wrong_length(value: Any, limits: Mapping[str, Any]) -> Wrong:
    if isinstance(value, str):
        if not value:
            return Wrong("is empty", "Write some text")
        if "max_length" in limits:
            what = f"has {len(value)} characters, {limits['max_length']} are possible"
            return Wrong(what, "Choose a shorter one")
    if "max_length" in limits:
        return Wrong(f"at most {limits['max_length']} are possible")
    return Wrong(f"{in_toml(value)} has too few entries: at least {limits['min_length']} are needed")


# What a value should be, by the beginning of pydantic's kind of error.
_TYPES = {
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "finite": "a number",
    "string": "text",
    "list": "a list",
    "tuple": "a list",
    "dict": "a table",
    "model": "a table",
}
_TRUE, _FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "none", "0")


def _wrong_type(kind: str, value: Any, key: str) -> Wrong:
    wanted = _TYPES.get(kind.partition("_")[0], "a value of this key")
    if kind == "tuple_type" and isinstance(value, str):
        return Wrong(f"{in_toml(value)} is not a list", f"Write [{in_toml(value)}, ...]")
    if wanted == "a list" and isinstance(value, dict):
        table = header(key)
        return Wrong(f"[{table}] is one table, and there may be several", f"Write [[{table}]]")
    return Wrong(f"{in_toml(value)} is not {wanted}", _as_wanted(wanted, value, key))


def _as_wanted(wanted: str, value: Any, key: str) -> str:
    """How to write what was probably meant; empty if nobody knows."""
    word = str(value).strip().lower()
    if wanted == "true or false":
        meant = "true" if word in _TRUE else "false" if word in _FALSE else "true or false"
        return f"Write {meant}, without quotes" if isinstance(value, str) else f"Write {meant}"
    if wanted in ("a whole number", "a number"):
        digits = r"[+-]?\d+" if wanted == "a whole number" else r"[+-]?\d+(\.\d+)?"
        number = re.match(digits, word) if isinstance(value, str) else None
        # A count may have what it counts after it, as "160 B".
        is_count = number is not None and re.fullmatch(r"\s*[a-z]*", word[number.end() :])
        return f"Write {number[0]}, without quotes" if number and is_count else ""
    if wanted == "a list" and isinstance(value, str):
        return f"Write [{in_toml(value)}]"
    if wanted == "a table":
        return f"Write [{header(key)}] with keys below it, or {key.rpartition('.')[2]} = {{ KEY = VALUE }}"
    is_short = len(str(value)) <= _SHOWN_MOST
    if wanted == "text" and isinstance(value, int | float) and not isinstance(value, bool) and is_short:
        return f'Write "{value}"'
    return ""


def header(key: str) -> str:
    """How the table of a key is written: of `wire[0].trace`, `wire.trace`, which belongs to the last wire."""
    return re.sub(r"\[\d+\]", "", key)


def _expected(alternatives: str) -> str:
    """Pydantic's list of alternatives, with quotes as in TOML."""
    words = re.sub(r"'([^']*)'", r'"\1"', alternatives)
    return re.sub(r"\bTrue\b", "true", re.sub(r"\bFalse\b", "false", words))


def _number(limit: float) -> str:
    return f"{limit:g}" if isinstance(limit, float) else str(limit)


def in_toml(value: Any) -> str:
    """A value as TOML has it, cut if it is long."""
    text = _text(value)
    return text if len(text) <= _SHOWN_MOST else f"{text[: _SHOWN_MOST - 3]}..."


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_text, value))}]"
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {_text(item)}' for key, item in value.items())} }}"
    return str(value)


def _cut(what: str) -> str:
    """What is wrong, which may quote a value of any length."""
    return what if len(what) <= _WHAT_MOST else f"{what[: _WHAT_MOST // 2]} ... {what[-_WHAT_MOST // 2 :]}"
