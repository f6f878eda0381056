"""What rate control chose: rates of data PPDUs by their time on the air, probes, how soon a rate was found.

All are of the data PPDUs that the chosen nodes (`node`) sent in the span, and need `[sampling] ppdus = true`.
"""

from typing import TYPE_CHECKING

import numpy as np

from airtcp.metrics import phy_rates
from airtcp.metrics.arrays import Integers
from airtcp.metrics.survival import Sample
from airtcp.quantities.entity import Entity, Kind
from airtcp.quantities.quantity import Override, Quantity, Values
from airtcp.quantities.run_view import RunView

if TYPE_CHECKING:
    import polars

DATA, RECEIVED = 0, 0


def _ppdus(view: RunView) -> "polars.DataFrame":
    """The data PPDUs of the chosen nodes in the span."""
    from polars import col

    in_time = col("start_ns").is_between(view.start_ns, view.stop_ns)
    return _data_ppdus(view).filter(in_time).sort("start_ns", maintain_order=True)


def _data_ppdus(view: RunView) -> "polars.DataFrame":
    from polars import col

    nics = [nic for nic in range(len(view.radio_names)) if view.has_node(view.node_of(nic))]
    return view.series("ppdus").filter((col("kind") == DATA) & col("nic").is_in(nics))


def by_radio(view: RunView) -> list[Entity]:
    """The PHY rate in bit/s of each data PPDU."""
    made = []
    for nic, name in enumerate(view.radio_names):
        frame = _data_ppdus(view)
        own = frame.filter(frame["nic"] == nic).sort("start_ns", maintain_order=True)
        rates = _integers(own, "rate_bps")
        nothing = np.zeros(rates.size, bool)
        # Points, as of packets.
        made.append(Entity(name, _integers(own, "start_ns"), rates, node=view.node_of(nic), at_least=nothing))
    return [entity for entity in made if entity.times_ns.size]


def _integers(frame: "polars.DataFrame", column: str) -> Integers:
    values: Integers = frame[column].to_numpy().astype("int64")
    return values


def _rates_and_airtimes(frame: "polars.DataFrame") -> tuple[Integers, Integers]:
    return _integers(frame, "rate_bps"), _integers(frame, "end_ns") - _integers(frame, "start_ns")


def chosen_rate(view: RunView) -> float:
    """Mean PHY rate in Mbit/s, weighted with time on the air."""
    return phy_rates.mean_rate_mbps(*_rates_and_airtimes(_ppdus(view)))


def rates_by_airtime(view: RunView) -> Values:
    """PHY rates in Mbit/s at equal steps of the time on the air: their distribution over it."""
    return {"": Sample(phy_rates.rates_by_airtime_mbps(*_rates_and_airtimes(_ppdus(view))))}


def upward_probes(view: RunView) -> float:
    """PPDUs of one MPDU per second that were faster than the rate with most time on the air."""
    frame = _ppdus(view)
    span_s = (view.stop_ns - view.start_ns) / 1e9
    if not frame.height or span_s <= 0:
        return float("nan")
    return phy_rates.upward_probes(*_rates_and_airtimes(frame), _integers(frame, "bytes")) / span_s


def rate_reached(view: RunView) -> float:
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
        "PHY rate of the data PPDUs that `node` sent, weighted with their time on the air",
        _PPDUS,
        1,
        entities=by_radio,
        kind=Kind.EVENT,
        scale=1e-6,
        override=Override(
            "a slow PPDU keeps the others silent for longer: time on the air is the weight",
            chosen_rate,
            values=rates_by_airtime,
        ),
    ),
    "upward_probes": Quantity(
        "Probes of faster rates",
        "1/s",
        "PPDUs of one MPDU per second that were faster than the rate with most time on the air",
        _PPDUS,
        1,
        override=Override("probes are told by the rate with most time on the air", upward_probes),
    ),
    "rate_reached": Quantity(
        "Time to 90 % of the final rate",
        "s",
        "time to the end of the first `bin` with 90 % of the octets that each bin of the last quarter "
        "delivers",
        _PPDUS,
        2,
        override=Override("one time of a run", rate_reached),
    ),
}
