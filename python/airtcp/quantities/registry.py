"""Every quantity by its name, and which names plots, metrics and comparisons take."""

from collections.abc import Mapping
from functools import cache

import numpy as np

from airtcp.errors import AirtcpError, remedy_for
from airtcp.metrics.survival import Sample, statistic
from airtcp.quantities import (
    airtimes,
    applications,
    chosen_rates,
    congestion_controls,
    expected,
    goodput,
    packets,
    pings,
    queues,
    radios,
    senders,
    sharing,
    stations,
    transfers,
    waiting,
)
from airtcp.quantities.metric_file import MetricFile
from airtcp.quantities.own import own_quantity
from airtcp.quantities.quantity import Drawing, Quantity

_TOPICS = (
    goodput,
    pings,
    senders,
    sharing,
    airtimes,
    waiting,
    transfers,
    packets,
    applications,
    congestion_controls,
    queues,
    radios,
    stations,
    chosen_rates,
    expected,
)
QUANTITIES: Mapping[str, Quantity] = {
    name: quantity for topic in _TOPICS for name, quantity in topic.QUANTITIES.items()
}
# In a figure of everything these come first: what applications and their congestion control experience.
_DRAWN_FIRST = (
    "rate",
    "cwnd",
    "inflight",
    "limits",
    "srtt",
    "rtt",
    "delay",
    "ack_delay",
    "datagram_delay",
    "video_buffer",
    "video_rate",
)
# What `airtcp plot` called differently once, when the name had another meaning in metrics.
_DRAWN_AS = {"queue": "backlog", "drops": "drop_rate"}
# Values by which runs are compared, in the order of tables.
_OF_RUN = (
    "goodput_mbps",
    "rtt_ms",
    "srtt_ms",
    "retransmits",
    "jain_index",
    "airtime_jain_index",
    "queueing_ms",
    "in_flight_segments",
    "qdisc_packets",
    "mac80211_packets",
    "radio_packets",
)


@cache
def drawn_quantities() -> Mapping[str, Drawing]:
    """What `airtcp plot` can draw over time, in the order of a figure of everything."""
    names = (*_DRAWN_FIRST, *(name for name in QUANTITIES if name not in _DRAWN_FIRST))
    return {name: drawing for name in names if (drawing := QUANTITIES[name].drawing) is not None}


def drawing_of(name: str) -> Drawing:
    """How a quantity is drawn over time; an unknown one, or one that is not drawn, is an `AirtcpError`."""
    drawn = drawn_quantities()
    if name in drawn:
        return drawn[name]
    if name in QUANTITIES:
        # Of these the usual reason is the name that they had.
        remedy = f'Did you mean "{_DRAWN_AS[name]}"?' if name in _DRAWN_AS else remedy_for(name, drawn)
        raise AirtcpError(f'"{name}" has no lines over time', "--what", remedy)
    raise AirtcpError(f'there is no quantity "{name}"', "--what", remedy_for(name, drawn))


def metric_quantities() -> dict[str, Quantity]:
    """What metrics of studies and campaigns can be of."""
    return {name: quantity for name, quantity in QUANTITIES.items() if quantity.is_metric}


@cache
def run_quantities() -> Mapping[str, Quantity]:
    """The values by which reports and `airtcp compare` hold runs against each other, in the order of
    tables.
    """
    others = (name for name, quantity in QUANTITIES.items() if quantity.of_run and name not in _OF_RUN)
    return {name: QUANTITIES[name] for name in (*_OF_RUN, *others)}


def quantity_of(metric: MetricFile, place: str) -> Quantity:
    """The quantity that a metric names; an unknown one is an `AirtcpError`."""
    if metric.python:
        return own_quantity(metric, place)
    if not metric.of:
        remedy = 'Write of = "..." or python = "FILE.py:FUNCTION"'
        raise AirtcpError("does not name a quantity", place, remedy)
    known = metric_quantities()
    if metric.of not in known:
        what = f'there is no quantity "{metric.of}"'
        if metric.of in QUANTITIES:
            what = f'"{metric.of}" cannot be a metric: only plots or comparisons have it'
        raise AirtcpError(what, place, remedy_for(metric.of, known))
    found = known[metric.of]
    if metric.unit and found.units and metric.unit not in found.units:
        what = f'"{metric.unit}" is not a unit of throughput; known: {", ".join(found.units)}'
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
