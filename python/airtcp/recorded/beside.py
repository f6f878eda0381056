"""A number of a recording beside that of the model: how far they may differ, and what was fitted."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from airtcp.report.table import Table, number

Quantity = Literal["throughput", "median RTT", "95 % RTT"]
# How far a prediction may be off: as a share of what was measured; medians also by so many ms.
LIMITS: Mapping[Quantity, float] = {"throughput": 0.10, "median RTT": 0.15, "95 % RTT": 0.25}
MEDIAN_MS = 1.0
_UNITS: Mapping[Quantity, str] = {"throughput": "Mbit/s", "median RTT": "ms", "95 % RTT": "ms"}


@dataclass(frozen=True)
class Beside:
    """One quantity of one case, with the half-width of the measured mean's 95 % interval where it has one.

    `fitted`: the model was fitted to it, so that it is no prediction.
    """

    case: str
    quantity: Quantity
    measured: float
    modelled: float
    half: float = math.nan
    fitted: bool = False

    @property
    def ratio(self) -> float:
        """Model over measurement."""
        return self.modelled / self.measured

    @property
    def within(self) -> bool:
        """Whether the model is as near as `LIMITS` say."""
        off = abs(self.modelled - self.measured)
        near = off <= LIMITS[self.quantity] * self.measured
        return near or (self.quantity == "median RTT" and off <= MEDIAN_MS)

    @property
    def verdict(self) -> str:
        """In a word."""
        return "fitted" if self.fitted else "predicted" if self.within else "differs"


def beside_table(title: str, every: Sequence[Beside]) -> Table:
    """All numbers beside each other."""
    columns = ("case", "quantity", "measured", "95 %", "model", "ratio", "verdict")
    table = Table(title, columns, left=("case", "quantity", "verdict"))
    for one in every:
        half = "-" if math.isnan(one.half) else f"± {number(one.half, 2)}"
        quantity = f"{one.quantity} [{_UNITS[one.quantity]}]"
        cells = (number(one.measured, 2), half, number(one.modelled, 2), number(one.ratio, 3))
        table.add(one.case, quantity, *cells, one.verdict)
    return table


def beside_values(every: Sequence[Beside]) -> dict[str, float]:
    """Values for claims: the ratio of each number, and the share of predictions within the limits."""
    predicted = [one for one in every if not one.fitted]
    values = {f"{one.case}: {one.quantity}": one.ratio for one in every}
    if predicted:
        values["share predicted"] = sum(one.within for one in predicted) / len(predicted)
    return values


def mean_and_half(values: Sequence[float]) -> tuple[float, float]:
    """The mean of repetitions, and the half-width of its 95 % interval (Student's t); alone it has none."""
    import numpy as np
    from scipy import stats

    count = len(values)
    half = (
        float(stats.t.ppf(0.975, count - 1) * np.std(values, ddof=1) / math.sqrt(count))
        if count > 1
        else math.nan
    )
    return float(np.mean(values)), half
