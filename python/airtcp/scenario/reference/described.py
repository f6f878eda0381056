"""A key in words, as the reference and `airtcp help` have it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Described:
    """A key in words, as Markdown: its name, what it may be, its default (may be empty) and its meaning."""

    name: str
    value: str
    default: str
    meaning: str
