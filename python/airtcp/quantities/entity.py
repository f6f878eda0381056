"""One thing of a run that has a quantity (a flow, ping, queue, radio), and what was seen of it."""

from dataclasses import dataclass
from enum import Enum

import numpy as np

from airtcp.metrics.arrays import Booleans, Floats, Integers
from airtcp.metrics.survival import Sample
from airtcp.quantities.line import Join

# From and to, in ns from the epoch; what begins in it counts.
Span = tuple[int, int]


class Kind(Enum):
    """What the values of a quantity are."""

    LEVEL = "level"
    """A state: each value holds until the next sample, the last one until its entity ends."""
    RATE = "rate"
    """A counter, of which the quantity is the increase per second."""
    COUNT = "count"
    """A counter, of which the quantity is the increase."""
    EVENT = "event"
    """One value for each packet, transfer or window."""


@dataclass(frozen=True)
class Companion:
    """Further values at the times of an entity, which drawings have as a dashed line beside its own."""

    label: str
    values: Floats


@dataclass(frozen=True)
class Entity:
    """The values of one thing, over the whole run.

    `name` tells it from others in tables and figures of several runs, `label` in drawings of one run.
    `node` and `interface` say where it is, if it has a place; `series` what it was read from, if the quantity
    has several. A value that is not known is NaN; of events,
    `at_least` are those that are only known to be larger (infinite: it never came). `alive_ns` is when the
    thing was there; default: always.
    """

    name: str
    times_ns: Integers
    values: Floats | Integers
    label: str = ""
    node: str = ""
    interface: str = ""
    series: str = ""
    at_least: Booleans | None = None
    alive_ns: Span | None = None
    join: Join = Join.STRAIGHT
    companion: Companion | None = None

    @property
    def drawn_label(self) -> str:
        """What drawings call it."""
        return self.label or self.name

    def alive_in(self, span: Span) -> Span:
        """The part of a span in which it was there; of no length where it was not."""
        begin, end = self.alive_ns or span
        begin = max(begin, span[0])
        return begin, max(begin, min(end, span[1]))

    def sample(self, span: Span) -> Sample:
        """The events that began in a span."""
        chosen = (self.times_ns >= span[0]) & (self.times_ns < span[1])
        if self.at_least is None:
            return Sample(np.asarray(self.values[chosen], np.float64))
        known, missing = (self.values[chosen & which] for which in (~self.at_least, self.at_least))
        return Sample(np.asarray(known, np.float64), np.asarray(missing, np.float64))
