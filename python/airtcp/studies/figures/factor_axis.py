"""A factor as an axis: its name with the unit, and its levels as numbers in order."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from airtcp.scenario.values import units
from airtcp.studies.results import Results
from airtcp.studies.study_file import FigureFile, Level

# A number, and the unit or word after it: `5 ms`, `20 packets`, `-80 dBm`, `10%`; not `11n`.
_NUMBER = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?:\s+([^\d\s].*?)|\s*(%))?\s*")
# Of levels with several units of these the axis has one.
_DIMENSIONS = (units.TIME, units.RATE, units.AMOUNT, units.DISTANCE, units.FREQUENCY)


@dataclass(frozen=True)
class FactorAxis:
    """The text at the axis, the levels from the least number to the most, their numbers, and what is shown of
    each.

    Levels that are words have no `numbers`; they, and those that the study calls otherwise, are in its order.
    """

    label: str
    levels: tuple[Level, ...]
    numbers: tuple[float, ...] | None
    names: tuple[str, ...]


def factor_axis(results: Results, figure: FigureFile, factor: str) -> FactorAxis:
    """The axis of a factor of a figure."""
    study, own = results.study, results.study.factors[factor]
    levels = results.levels(figure.part, factor, figure.where)
    read = _numbers(levels)
    if read is None or own.labels:
        names = tuple(study.label(factor, one) for one in levels)
        numbers_known = None if read is None else tuple(read[0])
        return FactorAxis(study.factor_name(factor), tuple(levels), numbers_known, names)
    numbers, unit = read
    label = study.factor_name(factor) if own.unit or not unit else f"{own.name} [{unit}]"
    order = sorted(range(len(levels)), key=lambda place: numbers[place])
    chosen = tuple(numbers[place] for place in order)
    return FactorAxis(
        label, tuple(levels[place] for place in order), chosen, tuple(f"{one:g}" for one in chosen)
    )


def _numbers(levels: Sequence[Level]) -> tuple[list[float], str] | None:
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
