"""Every quantity by its name."""

from collections.abc import Mapping

from airtcp.errors import AirtcpError
from airtcp.scenario.known import suggestion
from airtcp.studies.quantities import expected, radios, rates, round_trips, senders, sharing, transfers
from airtcp.studies.quantities.quantity import Quantity
from airtcp.studies.study_file import MetricFile

QUANTITIES: Mapping[str, Quantity] = {
    **rates.QUANTITIES,
    **round_trips.QUANTITIES,
    **senders.QUANTITIES,
    **sharing.QUANTITIES,
    **transfers.QUANTITIES,
    **radios.QUANTITIES,
    **expected.QUANTITIES,
}


def quantity(metric: MetricFile, place: str) -> Quantity:
    """The quantity that a metric names; an unknown one is an error."""
    if metric.of not in QUANTITIES:
        hint = suggestion(metric.of, QUANTITIES)
        remedy = f"D{hint[1:]}" if hint else f"Known: {', '.join(QUANTITIES)}"
        raise AirtcpError(f'there is no quantity "{metric.of}"', place, remedy)
    if metric.of.startswith(("throughput", "flow_rates")):
        try:
            rates.check_unit(metric.unit)
        except ValueError as error:
            raise AirtcpError(str(error), place) from None
    return QUANTITIES[metric.of]
