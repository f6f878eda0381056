"""A quantity: its name at an axis, and how a run's lines of it are made."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from airtcp.plots.time_series import Line
from airtcp.report.run_view import RunView


@dataclass(frozen=True)
class Quantity:
    """`label` stands at the axis, with the unit; `meaning` is for a list of quantities.

    Values of a `rate_of` series are means over bins of its samples. `busy_only` leaves out lines that are 0
    all the time (there are many queues, and few matter). Of a `shared` one, the lines of each flow are
    parts of a whole and have a panel of their own. One of the series in `sources` is enough; a figure says
    which was not recorded, by the word beside it.
    """

    label: str
    meaning: str
    lines: Callable[[RunView], Sequence[Line]]
    rate_of: tuple[str, ...] = ()
    busy_only: bool = False
    shared: bool = False
    sources: tuple[tuple[str, str], ...] = ()
