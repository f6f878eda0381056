"""A factor as an axis: its name with the unit, and its levels as numbers in order."""

from dataclasses import dataclass

from airtcp.studies.level_numbers import level_numbers
from airtcp.studies.results import Results
from airtcp.studies.study_file import FigureFile, Level


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
    read = level_numbers(levels)
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
