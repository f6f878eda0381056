"""Every quantity by its name."""

from collections.abc import Mapping

import numpy as np

from airtcp.errors import AirtcpError, remedy_for
from airtcp.metrics.survival import Sample, statistic
from airtcp.studies.quantities import (
    airtimes,
    chosen_rates,
    datagrams,
    distributions,
    expected,
    radios,
    rates,
    round_trips,
    senders,
    sharing,
    transfers,
)
from airtcp.studies.quantities.own import own_quantity
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
    **distributions.QUANTITIES,
    **expected.QUANTITIES,
}


def quantity(metric: MetricFile, place: str) -> Quantity:
    """The quantity that a metric names; an unknown one is an error."""
    if metric.python:
        return own_quantity(metric, place)
    if not metric.of:
        raise AirtcpError("names no quantity", place, 'Write of = "..." or python = "FILE.py:FUNCTION"')
    if metric.of not in QUANTITIES:
        remedy = remedy_for(metric.of, QUANTITIES)
        raise AirtcpError(f'there is no quantity "{metric.of}"', place, remedy)
    found = QUANTITIES[metric.of]
    if metric.unit and found.units and metric.unit not in found.units:
        what = f'"{metric.unit}" is no unit of throughput; known: {", ".join(found.units)}'
        raise AirtcpError(what, place)
    if metric.statistic:
        _check_statistic(metric, found, place)
    return found


def _check_statistic(metric: MetricFile, found: Quantity, place: str) -> None:
    if found.values is None:
        having = [name for name, one in QUANTITIES.items() if one.values is not None]
        what = f'"{metric.of}" has no values of which a statistic may be taken'
        raise AirtcpError(what, place, f"These have: {', '.join(having)}")
    try:
        statistic(Sample(np.zeros(1)), metric.statistic)
    except ValueError as error:
        raise AirtcpError(str(error), place, 'Write for example statistic = "p95"') from None
