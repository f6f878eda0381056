"""Values of options that are lists: `A,B`, `NAME=VALUE,...` and `FACTOR=LEVEL,...`."""

from collections.abc import Sequence

from airtcp.errors import AirtcpError


def words(text: str) -> list[str]:
    """The words between commas, each once, in their order."""
    return list(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))


def pairs(text: str, option: str) -> dict[str, str]:
    """The values by name of `NAME=VALUE,...`."""
    values: dict[str, str] = {}
    for word in words(text):
        name, equals, value = (part.strip() for part in word.partition("="))
        if not (name and equals and value):
            raise AirtcpError(f'"{word}" is not NAME=VALUE', option, "Write NAME=VALUE,NAME=VALUE")
        values[name] = value
    return values


def selected_levels(only: Sequence[str]) -> dict[str, list[str]]:
    """The levels by factor of every `--only FACTOR=LEVEL,...`."""
    selected = {}
    for option in only:
        factor, equals, levels = option.partition("=")
        if not equals or not words(levels):
            raise AirtcpError(f'"{option}" selects no level', "--only", "Write FACTOR=LEVEL,LEVEL")
        selected[factor.strip()] = words(levels)
    return selected
