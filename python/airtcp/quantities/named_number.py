"""Numbers of runs by the names of quantities: those of options and metrics, and any one in Python."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from airtcp.data.read_once import NotRecorded, open_once
from airtcp.data.run_folder import Run
from airtcp.errors import AirtcpError
from airtcp.quantities.aliases import ALIASES, present_name
from airtcp.quantities.forms import entities_of
from airtcp.quantities.forms import number as number_of
from airtcp.quantities.metric_file import MetricFile
from airtcp.quantities.quantity import Quantity, with_unit
from airtcp.quantities.registry import COMPARED, QUANTITIES, quantity_named, quantity_of
from airtcp.quantities.run_view import RunView
from airtcp.wrong_values import Wrong, wrong_value

# In place of names: those by which reports compare runs.
ALL = "all"
# How a metric puts flows together, if it is not as its quantity does.
_ACROSS = {"mean": "mean of flows", "least": "least of flows", "most": "most of flows"}
# Of shares that may be small.
_SHARE_DIGITS = 4


@dataclass(frozen=True)
class Reading:
    """The number of a run; of one that has none it is `nan`, and `why` says why in a clause."""

    value: float
    why: str = ""


@dataclass(frozen=True)
class NamedNumber:
    """What a name stands for: a quantity, and how its values become a number.

    `name` is what files, columns and options call it: the present one, a former one that says more, or one
    with a statistic, as `rtt.p95`.
    """

    name: str
    metric: MetricFile
    quantity: Quantity

    @property
    def label(self) -> str:
        """What screens call it: `Throughput`, `p95 of RTT (ping)`, `Throughput, least of flows`."""
        if self.metric.label:
            return self.metric.label
        label, asked = self.quantity.label, self.metric
        text = f"{asked.statistic} of {label}" if asked.statistic else label
        return f"{text}, {_ACROSS[asked.across]}" if asked.across in _ACROSS else text

    @property
    def unit(self) -> str:
        """The unit; of a share of what is missing none."""
        return "" if self._is_share else self.metric.unit or self.quantity.unit

    @property
    def label_with_unit(self) -> str:
        """Label and unit."""
        return with_unit(self.label, self.unit)

    @property
    def digits(self) -> int:
        """Digits after the point."""
        return _SHARE_DIGITS if self._is_share else self.quantity.digits

    @property
    def higher_is_better(self) -> bool | None:
        """Which way is better; `None` where neither is."""
        spread = self._is_share or self.metric.statistic == "deviation"
        return None if spread else self.quantity.higher_is_better

    @property
    def range(self) -> tuple[float, float]:
        """The least and the most that it can be."""
        asked, one = self.metric, self.quantity
        if self._is_share:
            return 0.0, 1.0
        if asked.statistic == "deviation":
            return 0.0, math.inf
        # A sum of shares may be more than 1.
        is_sum = (asked.across or one.across) == "sum"
        scale = one.units[one.unit] / one.units[asked.unit] if one.units and asked.unit else 1.0
        return one.least * scale, math.inf if is_sum else one.most * scale

    @property
    def _is_share(self) -> bool:
        return self.metric.statistic == "missing"

    def of(self, view: RunView) -> Reading:
        """The number of a run that is viewed over the time in which flows ran, by which runs are compared."""
        is_plain = self.metric == MetricFile(of=self.metric.of)
        own = view if is_plain else RunView.of_metric(view.run, self.metric)
        try:
            # A sum over nothing is 0, which is no number of a run; a number of its own may need no entities.
            own_number = self.quantity.override.number is not None
            found = number_of(self.quantity, own).value if own_number or self._has(own) else math.nan
            if not math.isnan(found):
                return Reading(found)
            why = "it is not defined for this run" if self._has(own) else "nothing in the run has it"
        except NotRecorded as error:
            remedy = f"; {error.remedy[:1].lower()}{error.remedy[1:]}" if error.remedy else ""
            why = f"the run {error.what}{remedy}"
        return Reading(math.nan, why)

    def _has(self, view: RunView) -> bool:
        return self.quantity.entities is None or bool(entities_of(self.quantity, view))


def number_named(name: str, place: str) -> NamedNumber:
    """What a name of a quantity stands for; an unknown one is an `AirtcpError` with the nearest.

    A statistic of a quantity that has values may follow its name: `rtt.p95`, `cwnd.most`.
    """
    quantity, point, statistic = name.partition(".")
    quantity_named(quantity, place)
    if point:
        quantity_of(MetricFile(of=quantity, statistic=statistic or name), place)
    return _known_number(name)


def find_number(name: str) -> NamedNumber | None:
    """What a name stands for; `None` if it is none of a quantity."""
    if present_name(name.partition(".")[0]) not in QUANTITIES:
        return None
    try:
        return number_named(name, name)
    except AirtcpError:  # a column of a file may be called so
        return None


def numbers_named(names: Sequence[str], place: str) -> tuple[NamedNumber, ...]:
    """What each name of a list stands for, once, in its order; `all` for those of every report."""
    every = [own for name in names for own in (COMPARED if name == ALL else (name,))]
    numbers = (number_named(name, place) for name in every)
    return tuple({number.name: number for number in numbers}.values())


@cache
def _known_number(name: str) -> NamedNumber:
    called, point, statistic = name.partition(".")
    metric, now = MetricFile(of=called), ALIASES.get(called)
    if point:
        metric = metric.model_copy(update={"statistic": statistic})
        return NamedNumber(f"{metric.of}.{statistic}", metric, QUANTITIES[metric.of])
    return NamedNumber(name if now and now.implied else metric.of, metric, QUANTITIES[metric.of])


def number(run: Run | Path | str, of: str, **arguments: Any) -> float:
    """A quantity of a run, as a metric of a campaign has it.

    Args:
        run: The run, or its folder.
        of: Name of the quantity (docs/reference/quantities.md), which also states its unit.
        arguments: Keys of `[metric.NAME]` of campaigns, such as `statistic="p95"` or `flows="sta1-*"`.

    Returns:
        The number in the unit of the quantity, or in `unit`; `nan` where the run has no value.

    Raises:
        AirtcpError: There is no such quantity or argument, or the run did not record its series.

    Example:
        >>> airtcp.number(run, "cwnd", statistic="most")
        20.0
    """
    try:
        metric = MetricFile(of=of, **arguments)
    except ValidationError as error:
        first = error.errors()[0]
        named = ".".join(str(part) for part in first["loc"])
        unknown = first["type"] == "extra_forbidden"
        wrong = Wrong("unknown argument") if unknown else wrong_value(first, named)
        remedy = wrong.remedy or "See airtcp help metric"
        raise AirtcpError(f"{named}: {wrong.what}", of, remedy) from None
    quantity = quantity_of(metric, of)
    opened = run if isinstance(run, Run) else open_once(Path(run))
    return number_of(quantity, RunView.of_metric(opened, metric)).value
