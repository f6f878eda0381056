"""What rate control chose: rates of data PPDUs by their time on the air, probes, how soon a rate was found.

All are of the data PPDUs that the chosen nodes (`node`) sent in the span, and need `[sampling] ppdus = true`.
"""

from typing import TYPE_CHECKING

from airtcp.metrics import phy_rates
from airtcp.metrics.arrays import Integers
from airtcp.metrics.survival import Sample
from airtcp.quantities.metric_view import MetricView
from airtcp.quantities.quantity import Quantity

if TYPE_CHECKING:
    import polars

DATA, RECEIVED = 0, 0


def _ppdus(view: MetricView) -> "polars.DataFrame":
    from polars import col

    nics = [n for n, nic in enumerate(view.run.plan["air"]["nics"]) if view.has_node(nic["node"])]
    chosen = (col("kind") == DATA) & col("nic").is_in(nics)
    in_time = col("start_ns").is_between(view.start_ns, view.stop_ns)
    return view.run.series("ppdus").filter(chosen & in_time).sort("start_ns", maintain_order=True)


def _integers(frame: "polars.DataFrame", column: str) -> Integers:
    values: Integers = frame[column].to_numpy().astype("int64")
    return values


def _rates_and_airtimes(frame: "polars.DataFrame") -> tuple[Integers, Integers]:
    return _integers(frame, "rate_bps"), _integers(frame, "end_ns") - _integers(frame, "start_ns")


def chosen_rate(view: MetricView) -> float:
    """Mean PHY rate in Mbit/s, weighted with time on the air."""
    return phy_rates.mean_rate_mbps(*_rates_and_airtimes(_ppdus(view)))


def chosen_rates(view: MetricView) -> Sample:
    """PHY rates in Mbit/s at equal steps of the time on the air: their distribution over it."""
    return Sample(phy_rates.rates_by_airtime_mbps(*_rates_and_airtimes(_ppdus(view))))


def upward_probes(view: MetricView) -> float:
    """PPDUs of one MPDU per second that were faster than the rate with most time on the air."""
    frame = _ppdus(view)
    span_s = (view.stop_ns - view.start_ns) / 1e9
    if not frame.height or span_s <= 0:
        return float("nan")
    return phy_rates.upward_probes(*_rates_and_airtimes(frame), _integers(frame, "bytes")) / span_s


def rate_reached(view: MetricView) -> float:
    """Seconds from the span's begin to the end of the first bin with 90 % of what the last quarter
    delivers.
    """
    frame = _ppdus(view)
    received = frame["outcome"].to_numpy() == RECEIVED
    return phy_rates.reached_after_s(
        _integers(frame, "end_ns"), _integers(frame, "bytes"), received, view.edges_ns()
    )


_PPDUS = ("ppdus",)

QUANTITIES = {
    "chosen_rate": Quantity(
        "PHY rate by time on the air",
        "Mbit/s",
        "PHY rate of the data PPDUs that `node` sent, mean weighted with their time on the air",
        _PPDUS,
        1,
        number=chosen_rate,
    ),
    "chosen_rates": Quantity(
        "PHY rate by time on the air",
        "Mbit/s",
        "the same at equal steps of the time on the air",
        _PPDUS,
        1,
        samples=chosen_rates,
    ),
    "upward_probes": Quantity(
        "probes of faster rates",
        "1/s",
        "PPDUs of one MPDU per second that were faster than the rate with most time on the air",
        _PPDUS,
        1,
        number=upward_probes,
    ),
    "rate_reached": Quantity(
        "time to 90 % of the final rate",
        "s",
        "time to the end of the first `bin` with 90 % of the octets that each bin of the last quarter "
        "delivers",
        _PPDUS,
        2,
        number=rate_reached,
    ),
}
