"""What a quantity is, and how its values are written."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from airtcp.metrics.arrays import Floats
from airtcp.studies.quantities.view import View

# Lines over time of one run: label (empty for the only one), times in s, values.
Lines = Mapping[str, tuple[Floats, Floats]]


@dataclass(frozen=True)
class Quantity:
    """One of the three kinds is there: a number, samples, or lines over time.

    A sample that is infinite has not come: a packet that was lost.

    A number that can't be told of a run is `nan`. `unit` and `digits` are for people; `units` are those that
    a metric may ask for.
    """

    label: str
    unit: str
    digits: int = 2
    number: Callable[[View], float] | None = None
    samples: Callable[[View], Floats] | None = None
    lines: Callable[[View], Lines] | None = None
    units: Collection[str] = ()


def mean_of(values: Sequence[float]) -> float:
    """The mean of what is known; `nan` without anything."""
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else float("nan")
