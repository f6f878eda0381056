"""Text files of numbers: the same number of them in each line."""

import itertools
import math
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from airtcp.formats.text_file import damaged_line, text_of

# As many rows as a trace may have (`POINTS_MOST` of scenarios), and as many packets of mahimahi as fill them.
_LINES_MOST = 5_000_000


@dataclass(frozen=True)
class Row:
    """The numbers of one line."""

    line: int
    numbers: list[float]


def first_pairs(content: bytes) -> list[tuple[float, float]]:
    """The first lines as pairs of numbers; none if one of them is something else."""
    lines = content[:8_000].decode("utf-8", "replace").splitlines()
    # The last one may be cut.
    whole = lines if len(content) <= 8_000 else lines[:-1]
    try:
        return [(float(first), float(second)) for first, second in (line.split() for line in whole)]
    except ValueError:
        return []


def rises(pairs: list[tuple[float, float]]) -> bool:
    """Whether there are pairs, and the first number of each is more than that before."""
    return bool(pairs) and all(later[0] > before[0] for before, later in pairwise(pairs))


def rows(file: Path, content: bytes, counts: tuple[int, ...], units: tuple[str, ...] = ()) -> list[Row]:
    """Lines of finite numbers; empty lines and those that begin with # are left out.

    Each line has as many numbers as the first, one of `counts`. A number may have one of `units` behind it.
    """
    found: list[Row] = []
    for number, line in enumerate(text_of(file, content).splitlines(), start=1):
        words = line.replace(",", " ").split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) not in counts or (found and len(words) != len(found[0].numbers)):
            expected = len(found[0].numbers) if found else " or ".join(map(str, counts))
            raise damaged_line(file, number, f"has {len(words)} values instead of {expected}")
        if len(found) >= _LINES_MOST:
            raise damaged_line(file, number, f"is one of more than {_LINES_MOST}")
        found.append(Row(number, [_number(file, number, word, units) for word in words]))
    if not found:
        raise damaged_line(file, 1, "and all others have no numbers")
    return found


def _number(file: Path, line: int, word: str, units: tuple[str, ...]) -> float:
    bare = word
    for unit in units:
        bare = bare.removesuffix(unit)
    try:
        value = float(bare)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise damaged_line(file, line, f'has "{word}", which is no number')
    return value


def check_rises(file: Path, found: list[Row]) -> None:
    """Refuses rows whose first number, the time, does not rise."""
    for before, row in itertools.pairwise(found):
        if row.numbers[0] <= before.numbers[0]:
            raise damaged_line(file, row.line, "has a time that does not rise")


def check_range(file: Path, row: Row, column: int, least: float, most: float) -> float:
    """The number of a column; one that is out of range is an `AirtcpError`."""
    value = row.numbers[column]
    if not least <= value <= most:
        raise damaged_line(file, row.line, f"has {value:g}, which is not from {least:g} to {most:g}")
    return value
