"""Every quantity by its name."""

from collections.abc import Mapping

from airtcp.errors import AirtcpError, remedy_for
from airtcp.studies.quantities import (
    airtimes,
    chosen_rates,
    datagrams,
    expected,
    radios,
    rates,
    round_trips,
    senders,
    sharing,
    transfers,
)
from airtcp.studies.quantities.quantity import Quantity
from airtcp.studies.study_file import MetricFile

QUANTITIES: Mapping[str, Quantity] = {
    **rates.QUANTITIES,
    **round_trips.QUANTITIES,
    **senders.QUANTITIES,
    **sharing.QUANTITIES,
    **transfers.QUANTITIES,
    **radios.QUANTITIES,
    **airtimes.QUANTITIES,
    **chosen_rates.QUANTITIES,
    **datagrams.QUANTITIES,
    **expected.QUANTITIES,
}


def quantity(metric: MetricFile, place: str) -> Quantity:
    """The quantity that a metric names; an unknown one is an error."""
    if metric.of not in QUANTITIES:
        remedy = remedy_for(metric.of, QUANTITIES)
        raise AirtcpError(f'there is no quantity "{metric.of}"', place, remedy)
    found = QUANTITIES[metric.of]
    if metric.unit and found.units and metric.unit not in found.units:
        what = f'"{metric.unit}" is no unit of throughput; known: {", ".join(found.units)}'
        raise AirtcpError(what, place)
    return found
