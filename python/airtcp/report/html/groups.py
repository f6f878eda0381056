"""Runs grouped by what differs between them; within a group only the seed differs."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from airtcp.report.html.record import Record
from airtcp.report.html.run_factors import RunFactors, natural

SEED = "seed"


@dataclass(frozen=True)
class Measure:
    """A number of each run: what tables and figures call it, its digits, and whether more of it is better."""

    name: str
    unit: str
    value: Callable[[Record], float]
    digits: int
    higher_is_better: bool | None = None

    @property
    def label(self) -> str:
        """Name and unit."""
        return f"{self.name} [{self.unit}]" if self.unit else self.name


MEASURES = (
    Measure("Goodput", "Mbit/s", lambda record: record.goodput_mbps, 2, higher_is_better=True),
    Measure("Ping RTT", "ms", lambda record: record.rtt_ms, 1, higher_is_better=False),
    Measure("srtt", "ms", lambda record: record.srtt_ms, 1),
    Measure("Retransmitted", "segments", lambda record: float(record.retransmitted), 0),
    Measure("Jain's index", "", lambda record: record.jain, 3, higher_is_better=True),
    Measure("Jain's index of airtime", "", lambda record: record.airtime_jain, 3),
    Measure("Queueing delay", "ms", lambda record: record.waiting.queueing_ms, 1),
    Measure("In flight", "segments", lambda record: record.waiting.in_flight, 1),
    Measure("Waiting in qdiscs", "packets", lambda record: record.waiting.in_qdiscs, 1),
    Measure("Waiting in mac80211", "packets", lambda record: record.waiting.in_mac80211, 1),
    Measure("Waiting in radios", "packets", lambda record: record.waiting.in_radios, 1),
)


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
