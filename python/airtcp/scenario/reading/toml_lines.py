"""Finds the lines of keys in a TOML text: `tomllib` reads values and gives no lines."""

import re

_NAME = r"""(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')"""
_HEADER = re.compile(r"\s*(\[\[?)\s*(.+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(rf"\s*({_NAME}(?:\s*\.\s*{_NAME})*)\s*=")
_PART = re.compile(_NAME)
_TEXT_OF_LINES = re.compile(r"\"{3}|'{3}")


def key_lines(text: str) -> dict[str, int]:
    """The line, from 1, of each key and table, by its path as messages write it: `flow[0].cca`.

    Of arrays of tables the tables are numbered. Keys within inline tables are not found; nor is anything that
    looks like a key within a text of several lines.
    """
    found: dict[str, int] = {}
    counts: dict[str, int] = {}
    table, closing = "", ""
    for number, line in enumerate(text.splitlines(), 1):
        if closing:
            closing = "" if closing in line else closing
            continue
        if header := _HEADER.match(line):
            parts = _parts(header[2])
            table = _numbered(parts, counts, is_array=header[1] == "[[")
            found.setdefault(table, number)
        elif key := _KEY.match(line):
            path = ".".join([*([table] if table else []), *_parts(key[1])])
            found.setdefault(path, number)
        marks = _TEXT_OF_LINES.findall(line)
        closing = marks[0] if len(marks) % 2 else ""
    return found


def line_of(text: str, key: str) -> int | None:
    """The line of a key, or of the nearest table that it would stand in; `None` if there is none."""
    lines = key_lines(text)
    while key:
        # An array of tables as a whole stands where its first table does.
        for own in (key, f"{key}[0]"):
            if own in lines:
                return lines[own]
        shorter = re.sub(r"(\.[^.\[\]]*|\[\d+\])$", "", key)
        key = shorter if shorter != key else ""
    return None


def with_line(place: str, text: str, key: str) -> str:
    """A file with the line of a key in it, as `home.toml:12`; without one if there is none."""
    line = line_of(text, key)
    return place if line is None else f"{place}:{line}"


def _parts(path: str) -> list[str]:
    return [part.strip("\"'") for part in _PART.findall(path)]


def _numbered(parts: list[str], counts: dict[str, int], is_array: bool) -> str:
    """The path of a table, with the number of each array of tables on its way."""
    path = ""
    for place, part in enumerate(parts):
        path = f"{path}.{part}" if path else part
        if is_array and place == len(parts) - 1:
            counts[path] = counts.get(path, 0) + 1
        if path in counts:
            path = f"{path}[{counts[path] - 1}]"
    return path
