"""Runs grouped by what differs between them; within a group only the seed differs."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from airtcp.quantities.quantity import Quantity
from airtcp.quantities.registry import compared
from airtcp.report.html.record import Record
from airtcp.report.html.run_factors import RunFactors, natural

SEED = "seed"


@dataclass(frozen=True)
class Measure:
    """A quantity by which runs are held against each other, with the name that files have for it."""

    key: str
    quantity: Quantity

    @property
    def name(self) -> str:
        """What tables and figures call it."""
        return self.quantity.label

    @property
    def label(self) -> str:
        """Name and unit."""
        return self.quantity.label_with_unit

    def value(self, record: Record) -> float:
        """The number of a run; NaN where it has none."""
        return record.numbers[self.key]


MEASURES = tuple(Measure(key, quantity) for key, quantity in compared().items())


@dataclass(frozen=True)
class Group:
    """Runs with the same values of all factors but the seed, in the order of `Groups.names`."""

    key: tuple[str, ...]
    records: tuple[Record, ...]

    def values(self, measure: Measure) -> list[float]:
        """The number of each run that has it."""
        return [value for record in self.records if not math.isnan(value := measure.value(record))]

    @property
    def same_seed_twice(self) -> bool:
        """Whether runs of the group have the same seed, so that they are no independent repetitions."""
        return len({record.seed for record in self.records}) < len(self.records)

    @property
    def doubted(self) -> int:
        """Runs in which a flow failed, or its congestion control was not what limited it."""
        return sum(1 for record in self.records if record.untrusted)


@dataclass(frozen=True)
class Groups:
    """All groups, by their factors: numbers in their order, words in the alphabet's."""

    names: tuple[str, ...]
    groups: tuple[Group, ...]

    @property
    def repetitions(self) -> int:
        """The most runs of a group."""
        return max((len(group.records) for group in self.groups), default=0)

    def levels(self, place: int) -> list[str]:
        """The values of a factor, in order."""
        return sorted({group.key[place] for group in self.groups}, key=natural)


def group_runs(records: Sequence[Record], factors: RunFactors) -> Groups:
    """The runs by their factors, without the seed."""
    places = [place for place, name in enumerate(factors.names) if name != SEED]
    made: dict[tuple[str, ...], list[Record]] = {}
    for record in records:
        values = factors.of(record)
        made.setdefault(tuple(values[place] for place in places), []).append(record)
    ordered = sorted(made.items(), key=lambda item: [natural(value) for value in item[0]])
    groups = tuple(Group(key, tuple(own)) for key, own in ordered)
    return Groups(tuple(factors.names[place] for place in places), groups)
