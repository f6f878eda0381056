"""What `--only FACTOR=LEVEL,...` and lists with commas ask for."""

from collections.abc import Sequence

from airtcp.errors import AirtcpError


def words(text: str) -> list[str]:
    """The words between commas."""
    return [word.strip() for word in text.split(",") if word.strip()]


def wished_levels(only: Sequence[str]) -> dict[str, list[str]]:
    """Wanted levels by factor."""
    wishes = {}
    for wish in only:
        factor, equals, levels = wish.partition("=")
        if not equals or not words(levels):
            raise AirtcpError(f'"{wish}" chooses nothing', "--only", "Write FACTOR=LEVEL,LEVEL")
        wishes[factor.strip()] = words(levels)
    return wishes
