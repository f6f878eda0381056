"""Runs grouped by what differs between them; within a group only the seed differs."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from airtcp.quantities.named_number import NamedNumber
from airtcp.report.html.record import Record
from airtcp.report.html.run_factors import RunFactors, natural

SEED = "seed"


@dataclass(frozen=True)
class Group:
    """Runs with the same values of all factors but the seed, in the order of `Groups.names`."""

    key: tuple[str, ...]
    records: tuple[Record, ...]

    def values(self, measure: NamedNumber) -> list[float]:
        """The number of each run that has it."""
        return [value for record in self.records if not math.isnan(value := record.numbers[measure.name])]

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
    """All groups, by their factors: numbers in their order, words in the alphabet's.

    `measures` are the numbers by which they are compared.
    """

    names: tuple[str, ...]
    groups: tuple[Group, ...]
    measures: tuple[NamedNumber, ...]

    @property
    def repetitions(self) -> int:
        """The most runs of a group."""
        return max((len(group.records) for group in self.groups), default=0)

    def levels(self, place: int) -> list[str]:
        """The values of a factor, in order."""
        return sorted({group.key[place] for group in self.groups}, key=natural)


def group_runs(records: Sequence[Record], factors: RunFactors, measures: Sequence[NamedNumber]) -> Groups:
    """The runs by their factors, without the seed, to be compared by these measures."""
    places = [place for place, name in enumerate(factors.names) if name != SEED]
    made: dict[tuple[str, ...], list[Record]] = {}
    for record in records:
        values = factors.of(record)
        made.setdefault(tuple(values[place] for place in places), []).append(record)
    ordered = sorted(made.items(), key=lambda item: [natural(value) for value in item[0]])
    groups = tuple(Group(key, tuple(own)) for key, own in ordered)
    return Groups(tuple(factors.names[place] for place in places), groups, tuple(measures))
