"""What a quantity is, and how its values are written."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from airtcp.errors import AirtcpError
from airtcp.metrics.arrays import Floats
from airtcp.metrics.survival import Sample
from airtcp.studies.quantities.view import View

# Lines over time of one run: label (empty for the only one), times in s, values.
Lines = Mapping[str, tuple[Floats, Floats]]


class MetricError(AirtcpError):
    """A metric that can't be told of what the scenario makes: no fault of the run."""


# Values of one run, by what has them.
Values = Mapping[str, Sample]


@dataclass(frozen=True)
class Quantity:
    """What can be told of a run: a number, values of which a statistic may be taken, samples, or lines over
    time.

    `values` are by what has them: flow, stream, ping, queue. A sample that is infinite has not come: a packet
    that was lost.

    A number that can't be told of a run is `nan`. `unit` and `digits` are for people; `units` are those that
    a metric may ask for.
    """

    label: str
    unit: str
    digits: int = 2
    number: Callable[[View], float] | None = None
    values: Callable[[View], Values] | None = None
    samples: Callable[[View], Floats] | None = None
    lines: Callable[[View], Lines] | None = None
    units: Collection[str] = ()

    @property
    def is_number(self) -> bool:
        """Whether it is a number of a run, its own or a statistic of its values."""
        return self.number is not None or self.values is not None


def mean_of(values: Sequence[float]) -> float:
    """The mean of what is known; `nan` without anything."""
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else float("nan")
