"""What is wrong with a text that is not TOML, in the words of somebody who writes scenarios."""

import re
import tomllib
from dataclasses import dataclass

_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
# A key without `=` behind it, as YAML and several configuration files have it.
_NO_EQUALS = re.compile(r"\s*([\w.-]+)\s*(?::|=>|:=|\s)\s*(.+?)\s*,?\s*$")
_KEY_VALUE = re.compile(r"\s*([\w.-]+)\s*=\s*(.*?)\s*$")
_TWO_EQUALS = re.compile(r"=+\s*[^=\s]")
_BARE = re.compile(r"[A-Za-z][\w .*/+-]*|\d[\d.]*\s*[A-Za-z%][\w/]*")


@dataclass(frozen=True)
class SyntaxMistake:
    """What is wrong, in which line (0: in none), and how to write it."""

    line: int
    what: str
    remedy: str


def syntax_mistake(text: str, error: tomllib.TOMLDecodeError) -> SyntaxMistake:
    """What to say of a text that the parser refuses."""
    told = str(error)
    place = _PLACE.search(told)
    lines = text.splitlines() or [""]
    number = int(place[1]) if place and place[1] else len(lines)
    said = _PLACE.sub("", told)
    what = f"TOML syntax: {said[:1].lower()}{said[1:]}"
    if text.startswith("\ufeff"):
        return SyntaxMistake(1, "begins with a byte order mark", "Save it as UTF-8 without one")
    if text.lstrip().startswith("{"):
        return SyntaxMistake(1, "is JSON, not TOML", 'Write name = "..." and [wifi.NAME] with keys below it')
    remedy = _remedy(said, lines[min(number, len(lines)) - 1])
    return SyntaxMistake(number, what, remedy or "See https://toml.io")


def _remedy(said: str, line: str) -> str:
    twice = re.match(r"Cannot (?:declare|overwrite|mutate|redefine)", said)
    if twice and line.lstrip().startswith("["):
        return f"{line.strip()} is there already: write these keys below it"
    if twice or said.startswith("Cannot overwrite a value"):
        return "The key has a value already: remove one of the lines"
    if said.startswith("Illegal character") or said.startswith("Unterminated string"):
        return 'The text in this line does not end: close it with "'
    given = _KEY_VALUE.match(line)
    if said.startswith("Expected ']'"):
        return f"Close the line: {line.split('#')[0].strip().rstrip(']')}{']' * (line.count('[') or 1)}"
    if given and said.startswith(("Invalid value", "Expected newline")):
        return _value_remedy(*given.groups())
    bare = _NO_EQUALS.match(line)
    if bare and not line.lstrip().startswith("["):
        return f"Write {bare[1]} = {_quoted(bare[2])}"
    return ""


def _value_remedy(key: str, value: str) -> str:
    if _TWO_EQUALS.match(value):
        return f"Write {key} = {_quoted(value.lstrip('= '))}"
    if not value:
        return f'Give {key} a value, or remove the line: {key} = "..."'
    return f"Write {key} = {_quoted(value)}" if _BARE.fullmatch(value.split("#")[0].strip()) else ""


def _quoted(value: str) -> str:
    """The value as TOML has it: text in quotes; numbers, lists and what is quoted stay."""
    plain = value.split("#")[0].strip() if not value.startswith(('"', "'")) else value
    if plain in ("True", "False", "yes", "no", "on", "off"):
        return "true" if plain in ("True", "yes", "on") else "false"
    return f'"{plain}"' if _BARE.fullmatch(plain) and plain not in ("true", "false") else plain
