"""Levels of a factor as numbers of one unit, for axes."""

import re
from collections.abc import Sequence

from airtcp.scenario.values import units
from airtcp.studies.study_file import Level

# A number, and the unit or word after it: `5 ms`, `20 packets`, `-80 dBm`, `10%`; not `11n`.
_NUMBER = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?:\s+([^\d\s].*?)|\s*(%))?\s*")
# Of levels with several units of these the axis has one.
_DIMENSIONS = (units.TIME, units.RATE, units.AMOUNT, units.DISTANCE, units.FREQUENCY)


def level_numbers(levels: Sequence[Level]) -> tuple[list[float], str] | None:
    """The levels as numbers of one unit; `None` if one is a word, or if their units differ in kind."""
    matches = [_NUMBER.fullmatch(str(level)) for level in levels]
    found = [(float(one[1]), one[2] or one[3] or "") for one in matches if one is not None]
    if len(found) < len(levels) or any(isinstance(level, bool) for level in levels):
        return None
    units_used = list(dict.fromkeys(unit for _, unit in found))
    if len(units_used) == 1:
        return [number for number, _ in found], units_used[0]
    for dimension in _DIMENSIONS:
        if all(unit in dimension.units for unit in units_used):
            # The largest of them leaves the shortest numbers.
            unit = max(units_used, key=lambda one: dimension.units[one])
            scale = {one: float(dimension.units[one] / dimension.units[unit]) for one in units_used}
            return [number * scale[own] for number, own in found], unit
    return None
