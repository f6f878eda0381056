"""What differs between runs, as a reader calls it."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from airtcp.plans.factors import Factor, PlanComparison
from airtcp.report.html.record import Record

# Of a table; plans that differ in more ways are distinguished by a number.
FACTORS_MOST = 6
CASE = "case"
MADE_BY = "made by"

_NUMBER = re.compile(r"(\d+(?:\.\d+)?)")

# Endings of the plan's names, what a reader takes instead, and by how much the number is divided.
_UNITS = (("_ns", "ms", 1e6), ("_bps", "Mbit/s", 1e6))


@dataclass(frozen=True)
class RunFactors:
    """What differs between the runs: names, and the values of each run by its folder.

    `untold` are names of factors that have no column, because they are too many; `case` numbers their
    combinations.
    """

    names: Sequence[str] = ()
    values: Mapping[str, Sequence[str]] = field(default_factory=dict)
    untold: Sequence[str] = ()

    def of(self, record: Record) -> tuple[str, ...]:
        """The values of a run; a dash for each factor if it is not known."""
        return tuple(self.values.get(record.folder, ["-"] * len(self.names)))


def factors_of(records: Sequence[Record], plans: PlanComparison) -> RunFactors:
    """The factors of these runs, whose plans were compared in the same order.

    Versions of airtcp, model and kernel are one: runs of different ones are never taken for repetitions.
    """
    if not records:
        return RunFactors()
    columns = dict(_told(factor) for factor in plans.factors())
    if len({record.made_by for record in records}) > 1:
        columns[MADE_BY] = [record.made_by for record in records]
    untold = list(columns)[FACTORS_MOST:]
    if untold:
        rest = list(zip(*(columns.pop(name) for name in untold), strict=True))
        numbers = {values: str(n) for n, values in enumerate(dict.fromkeys(rest), 1)}
        columns[CASE] = [numbers[values] for values in rest]
    rows = zip(*columns.values(), strict=True) if columns else [()] * len(records)
    values = {record.folder: tuple(row) for record, row in zip(records, rows, strict=True)}
    return RunFactors(tuple(columns), values, tuple(untold))


def _told(factor: Factor) -> tuple[str, list[str]]:
    for ending, unit, divisor in _UNITS:
        if factor.name.endswith(ending) and not any(isinstance(value, str) for value in factor.values):
            name = f"{_words(factor.name.removesuffix(ending))} {unit}"
            return name, ["-" if value is None else f"{float(value) / divisor:g}" for value in factor.values]
    return _words(factor.name), ["-" if value is None else str(value) for value in factor.values]


def _words(name: str) -> str:
    return name.replace("_", " ")


def natural(value: str) -> tuple[tuple[float, str], ...]:
    """Sorts `20 packets` before `100 packets`."""
    parts = _NUMBER.split(value)
    return tuple((float(part), "") if n % 2 else (math.inf, part) for n, part in enumerate(parts) if part)
