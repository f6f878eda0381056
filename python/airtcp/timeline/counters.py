"""Values over time of a run: windows, times, queues, rates and airtime."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airtcp.data.run_folder import Run
from airtcp.timeline.places import Place, Places, link_place, queue_place
from airtcp.timeline.ppdus import Integers, whole

Numbers = NDArray[np.float64]
# What is shown of a flow: column, name, unit, and the column's units in one of these.
_OF_ACKS = (
    ("cwnd", "cwnd", "segments", 1.0),
    ("in_flight", "in flight", "segments", 1.0),
    ("srtt_us", "srtt", "ms", 1e3),
)
_OF_FLOWS = (
    ("cwnd", "cwnd", "segments", 1.0),
    ("unacked", "in flight", "segments", 1.0),
    ("srtt_us", "srtt", "ms", 1e3),
)


@dataclass(frozen=True)
class Counter:
    """A value over time of one place; it holds until the next one.

    Of a mean over a sampling interval the value stands at the interval's begin.
    """

    place: Place
    name: str
    unit: str
    times_ns: Integers
    values: Numbers


def counters_of(run: Run) -> list[Counter]:
    """All counters of a run, of what it recorded, without those that are always 0."""
    found = [*_of_flows(run), *_of_queues(run), *_of_radios(run), *_of_links(run)]
    return [counter for counter in found if counter.values.any()]


def _of_flows(run: Run) -> Iterator[Counter]:
    known = set(run.recorded)
    for number, place in enumerate(Places(run).flows()):
        source = "acks" if "acks" in known else "flows"
        if source in known:
            frame = run.part(source, "flow", number)
            for column, label, unit, scale in _OF_ACKS if source == "acks" else _OF_FLOWS:
                times, values = whole(frame, "time_ns"), whole(frame, column) / scale
                yield _changes(Counter(place, label, unit, times, values))
        if "flows" in known:
            frame = run.part("flows", "flow", number)
            times, rate = rates(whole(frame, "time_ns"), whole(frame, "bytes_received") * 8)
            yield Counter(place, "goodput", "Mbit/s", times, rate / 1e6)


def _of_queues(run: Run) -> Iterator[Counter]:
    if "qdiscs" not in run.recorded:
        return
    for part in run.parts("qdiscs", "node", "interface", "handle", named=True).values():
        place = queue_place(part)
        name = f"{part['qdisc'][0] or 'queue'} backlog"
        values = whole(part, "backlog_packets").astype(np.float64)
        yield _changes(Counter(place, name, "packets", whole(part, "time_ns"), values))


def _of_radios(run: Run) -> Iterator[Counter]:
    if "air" not in run.recorded:
        return
    for number, place in enumerate(Places(run).radios()):
        part = run.part("air", "nic", number)
        times = whole(part, "time_ns")
        queue = whole(part, "queue_packets").astype(np.float64)
        yield _changes(Counter(place, "queue", "packets", times, queue))
        begins, share = rates(times, whole(part, "airtime_ns"))
        yield Counter(place, "airtime", "%", begins, share / 1e9 * 100)


def _of_links(run: Run) -> Iterator[Counter]:
    if "links" not in run.recorded:
        return
    radios = Places(run).radios()
    for (nic, peer), part in run.parts("links", "nic", "peer").items():
        place = link_place(radios, nic, peer)
        if place is None:
            continue
        times = whole(part, "time_ns")
        yield _changes(Counter(place, "PHY rate", "Mbit/s", times, whole(part, "rate_bps") / 1e6))
        begins, share = rates(times, whole(part, "airtime_ns"))
        yield Counter(place, "airtime of data", "%", begins, share / 1e9 * 100)
        yield _changes(Counter(place, "signal", "dBm", times, whole(part, "signal_mdbm") / 1e3))


def rates(times_ns: Integers, counts: Integers) -> tuple[Integers, Numbers]:
    """The increase of a counter per second in each interval, at its begin; the last one holds to the end."""
    if times_ns.size < 2:
        return times_ns[:0], np.zeros(0)
    spans = np.diff(times_ns)
    kept = spans > 0
    values = np.diff(counts)[kept] / spans[kept] * 1e9
    if not values.size:
        return times_ns[:0], values
    return np.append(times_ns[:-1][kept], times_ns[-1]), np.append(values, values[-1])


def _changes(counter: Counter) -> Counter:
    """The same without values that are those before."""
    values = counter.values
    if values.size < 3:
        return counter
    kept = np.flatnonzero(np.concatenate(([True], np.diff(values) != 0)))
    return Counter(counter.place, counter.name, counter.unit, counter.times_ns[kept], values[kept])
