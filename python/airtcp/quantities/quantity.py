"""What a quantity is: one name, one meaning, one extractor, from which all its forms follow."""

import math
import textwrap
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from airtcp.errors import AirtcpError
from airtcp.metrics.arrays import Floats
from airtcp.metrics.survival import Estimate, Sample
from airtcp.quantities.entity import Entity, Kind
from airtcp.quantities.run_view import RunView

# Lines over time of one run: name (empty for the only one), times in s, values.
Lines = Mapping[str, tuple[Floats, Floats]]
# Values of one run, by what has them: flow, stream, ping, queue.
Values = Mapping[str, Sample]
# How entities come together in a number: `MetricFile.across`.
Across = Literal["sum", "pooled", "mean"]

# Of a line beside an axis, which is as long as a panel of `airtcp plot` is high.
_AXIS_LETTERS = 18
# A space that no line ends at.
_TIED = "\u00a0"


class MetricError(AirtcpError):
    """A metric that cannot be computed from what the scenario makes: the run is not at fault."""


@dataclass(frozen=True)
class Override:
    """What of a quantity does not follow from its entities, and the `reason`.

    `number` is of a run, `mean` of a sample, `values` are by entity, `drawn` are other entities to draw;
    where their values are places in a list, from 0, `drawn_names` has the names in it.
    """

    reason: str
    number: Callable[[RunView], float] | None = None
    mean: Callable[[Sample], Estimate] | None = None
    values: Callable[[RunView], Values] | None = None
    drawn: Callable[[RunView], Sequence[Entity]] | None = None
    drawn_names: Callable[[RunView], Sequence[str]] | None = None


NO_OVERRIDE = Override("")


@dataclass(frozen=True)
class Quantity:
    """One meaning. `entities` reads off a run what has it and each one's values; from these follow the
    number, the values, the lines, the drawing and the value by which runs are compared (`forms.py`,
    `drawing.py`). A quantity without entities is a number of the run alone.

    The values of entities times `scale` are in the `unit`. `across` is how entities come together: `sum`
    where all of them share something, `pooled` where each value counts alike, `mean` where each entity does.
    The `meaning` is for the reference, `series` are those of a run that it needs. `digits` follow the point
    in tables. `units` are those that a metric may ask for, with the bit/s of each. `higher_is_better` is
    `None` where neither is better. `least` and `most` are what a value can be: an interval around a mean may
    reach beyond, and is drawn no further.

    Of drawings: `busy_only` leaves out lines that are 0 all the time (most queues are empty). Of a `shared`
    one, the lines of each flow are parts of a whole and have a panel of their own. Shares `in_percent` are
    drawn so. One of the series in `sources` is enough; the caption names those that were not recorded, by the
    word beside them.
    """

    label: str
    unit: str
    meaning: str
    series: tuple[str, ...] = ()
    digits: int = 2
    entities: Callable[[RunView], Sequence[Entity]] | None = None
    kind: Kind = Kind.LEVEL
    across: Across = "pooled"
    scale: float = 1.0
    override: Override = NO_OVERRIDE
    units: Mapping[str, float] | None = None
    higher_is_better: bool | None = None
    least: float = 0.0
    most: float = math.inf
    busy_only: bool = False
    shared: bool = False
    in_percent: bool = False
    sources: Collection[tuple[str, str]] = ()

    @property
    def has_values(self) -> bool:
        """Whether it has more values than a number."""
        return self.entities is not None or self.override.values is not None

    @property
    def label_with_unit(self) -> str:
        """What every screen calls it."""
        return with_unit(self.label, self.unit)

    @property
    def axis_label(self) -> str:
        """The label with the unit, in lines that are no longer than a panel of a figure is high."""
        # Whole percents can be read at an axis, numbers of tables are shares.
        unit = "%" if self.in_percent else self.unit.replace(" ", _TIED)
        text = textwrap.fill(with_unit(self.label, unit), _AXIS_LETTERS, break_on_hyphens=False)
        return text.replace(_TIED, " ")


def with_unit(label: str, unit: str) -> str:
    """A label as screens have it."""
    return f"{label} [{unit}]" if unit else label
