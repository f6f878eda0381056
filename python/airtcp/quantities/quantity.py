"""What a quantity is: a name's one meaning, its unit, and the forms in which a run has it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from airtcp.errors import AirtcpError
from airtcp.metrics.arrays import Floats
from airtcp.metrics.survival import Sample
from airtcp.quantities.line import Line
from airtcp.quantities.metric_view import MetricView
from airtcp.quantities.run_view import RunView
from airtcp.quantities.whole_run import WholeRun

# Lines over time of one run: label (empty for the only one), times in s, values.
Lines = Mapping[str, tuple[Floats, Floats]]
# Values of one run, by what has them: flow, stream, ping, queue.
Values = Mapping[str, Sample]


class MetricError(AirtcpError):
    """A metric that cannot be computed from what the scenario makes: the run is not at fault."""


@dataclass(frozen=True)
class Drawing:
    """How `airtcp plot` and pages draw a quantity over time.

    `axis` stands at the axis, with the unit. `lines` has a line for each flow, queue or radio.
    `distribution` has the lines whose values `--kind cdf` shows, if they are others; `packets`, of a quantity
    of packets, has their times by the labels of the lines, with what was lost and what was under way at the
    run's end, and `--kind cdf` shows these. Values of a `rate_of`
    series are means over bins of its samples. `busy_only` leaves out lines that are 0 all the time (most
    queues are empty). Of a `shared` one, the lines of each flow are parts of a whole and have a panel of
    their own. One of the series in `sources` is enough; the caption names those that were not recorded, by
    the word beside them.
    """

    axis: str
    lines: Callable[[RunView], Sequence[Line]]
    distribution: Callable[[RunView], Sequence[Line]] | None = None
    packets: Callable[[RunView], Values] | None = None
    rate_of: tuple[str, ...] = ()
    busy_only: bool = False
    shared: bool = False
    sources: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Quantity:
    """One meaning, in at least one of these forms:

    - `number`: a single value of a run, for a metric's choice of flows and time; `nan` where the run has
      none.
    - `values`: a distribution by flow, stream, ping or queue, of which a metric takes a statistic. An
      infinite value never came: a lost packet.
    - `samples`: a distribution of the run as a whole, for figures only.
    - `lines`: values over time, for figures of `kind = "time"`.
    - `of_run`: the single value by which reports and `airtcp compare` hold runs against each other.
    - `drawing`: lines over time for `airtcp plot` and pages.

    `meaning` is for the reference. `series` are the series of a run that it needs. `digits` follow the
    point in tables. `units` are those that a metric may ask for. `higher_is_better` is `None` where neither
    is better.
    """

    label: str
    unit: str
    meaning: str
    series: tuple[str, ...] = ()
    digits: int = 2
    number: Callable[[MetricView], float] | None = None
    values: Callable[[MetricView], Values] | None = None
    samples: Callable[[MetricView], Sample] | None = None
    lines: Callable[[MetricView], Lines] | None = None
    of_run: Callable[[WholeRun], float] | None = None
    drawing: Drawing | None = None
    units: Collection[str] = ()
    higher_is_better: bool | None = None

    @property
    def is_number(self) -> bool:
        """Whether a metric of it is a number of a run: its own or a statistic of its values."""
        return self.number is not None or self.values is not None

    @property
    def is_metric(self) -> bool:
        """Whether studies and campaigns can use it."""
        return self.is_number or self.samples is not None or self.lines is not None

    @property
    def label_with_unit(self) -> str:
        """Label and unit."""
        return f"{self.label} [{self.unit}]" if self.unit else self.label
