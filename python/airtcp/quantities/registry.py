"""Every quantity by its name, which every command, campaign and study takes."""

from collections.abc import Collection, Mapping
from functools import cache

import numpy as np

from airtcp.errors import AirtcpError, suggestion
from airtcp.metrics.survival import Sample, statistic
from airtcp.quantities import (
    aggregates,
    airtimes,
    applications,
    chosen_rates,
    congestion_controls,
    dual_queues,
    expected,
    goodput,
    mptcp,
    packets,
    pings,
    queues,
    quic,
    radios,
    roaming,
    senders,
    sharing,
    stations,
    tins,
    transfers,
)
from airtcp.quantities.aliases import ALIASES, present_name
from airtcp.quantities.metric_file import MetricFile
from airtcp.quantities.own import own_quantity
from airtcp.quantities.quantity import Quantity

_TOPICS = (
    goodput,
    mptcp,
    pings,
    senders,
    quic,
    sharing,
    airtimes,
    transfers,
    packets,
    applications,
    congestion_controls,
    queues,
    tins,
    dual_queues,
    radios,
    stations,
    roaming,
    chosen_rates,
    aggregates,
    expected,
)
QUANTITIES: Mapping[str, Quantity] = {
    name: quantity for topic in _TOPICS for name, quantity in topic.QUANTITIES.items()
}
# In a figure of everything these come first: what applications and their congestion control experience.
_DRAWN_FIRST = (
    "throughput",
    "cwnd",
    "inflight",
    "limits",
    "srtt",
    "quic_cwnd",
    "quic_inflight",
    "quic_srtt",
    "rtt",
    "delay",
    "ack_delay",
    "datagram_delay",
    "video_buffer",
    "video_rate",
)
# A figure of everything leaves these out: others of its lines show the same.
_SHOWN_BY_OTHERS = (
    "queue",
    "radio_packets",
    "latency",
    "transfer_time",
    "transfer_rate",
    "datagram_loss",
    "ipdv",
    "pdv",
)
# The numbers by which reports compare runs if no others are asked for, in the order of tables.
COMPARED = (
    "throughput",
    "rtt",
    "srtt",
    "retransmits",
    "jain_index",
    "airtime_jain",
    "queueing_delay",
    "inflight",
    "queue",
    "mac80211_packets",
    "radio_packets",
    "power",
)


@cache
def drawn_together() -> tuple[str, ...]:
    """What a figure of everything shows, in its order."""
    others = (name for name, one in QUANTITIES.items() if one.entities is not None)
    return tuple(name for name in dict.fromkeys((*_DRAWN_FIRST, *others)) if name not in _SHOWN_BY_OTHERS)


def quantity_named(name: str, place: str) -> Quantity:
    """A quantity by its name, or by a former one; an unknown one is an `AirtcpError` with the nearest."""
    if present_name(name) not in QUANTITIES:
        raise AirtcpError(f'there is no quantity "{name}"', place, nearest(name))
    return QUANTITIES[present_name(name)]


def nearest(name: str, more: Collection[str] = ()) -> str:
    """The remedy for an unknown name: the present name of what is most like it, of these and `more` names."""
    known = {
        **{each: each for each in (*more, *QUANTITIES)},
        **{old: new.name for old, new in ALIASES.items()},
    }
    hint = suggestion(name, known)
    found = hint.partition('"')[2].partition('"')[0]
    return (
        f'Did you mean "{known[found]}"?' if found else f"Known: {', '.join(dict.fromkeys(known.values()))}"
    )


def quantity_of(metric: MetricFile, place: str) -> Quantity:
    """The quantity that a metric names; an unknown one is an `AirtcpError`."""
    if metric.python:
        return own_quantity(metric, place)
    if not metric.of:
        remedy = 'Write of = "..." or python = "FILE.py:FUNCTION"'
        raise AirtcpError("does not name a quantity", place, remedy)
    found = quantity_named(metric.of, place)
    if metric.unit and found.units and metric.unit not in found.units:
        what = f'"{metric.unit}" is not a unit of throughput; known: {", ".join(found.units)}'
        raise AirtcpError(what, place)
    if metric.statistic:
        _check_statistic(metric, found, place)
    return found


def _check_statistic(metric: MetricFile, found: Quantity, place: str) -> None:
    if not found.has_values:
        having = [name for name, one in QUANTITIES.items() if one.has_values]
        what = f'"{metric.of}" has no values of which a statistic may be taken'
        raise AirtcpError(what, place, f"These have: {', '.join(having)}")
    try:
        statistic(Sample(np.zeros(1)), metric.statistic)
    except ValueError as error:
        raise AirtcpError(str(error), place, 'Write for example statistic = "p95"') from None
