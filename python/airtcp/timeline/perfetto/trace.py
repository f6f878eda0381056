"""A run as a trace of Perfetto."""

from pathlib import Path

import numpy as np

from airtcp.data.series.mac80211 import ACCESS_CATEGORIES
from airtcp.output_file import whole_file
from airtcp.timeline.lanes import lanes
from airtcp.timeline.marks import Marks
from airtcp.timeline.packets import Packets
from airtcp.timeline.perfetto.events import Events, Slices
from airtcp.timeline.perfetto.tracks import Tracks
from airtcp.timeline.places import Place
from airtcp.timeline.ppdus import GROUP, GROUP_IN_SERIES, Integers, Ppdus, Txops
from airtcp.timeline.timeline import Timeline
from airtcp.wifi.ppdu import PPDU_KINDS, PPDU_OUTCOMES

RECEIVED = 0
_NO_WORD = "-"


def write_trace(timeline: Timeline, file: Path) -> int:
    """Writes the trace, which appears only when complete; returns its bytes.

    A timestamp is nanoseconds from traffic time zero; if something was before, from the start of the clock.
    """
    tracks, events = Tracks(), Events(offset_ns(timeline))
    _write_events(timeline, tracks, events)
    content = (tracks.packets(), events.interned(), events.in_order().tobytes())
    with whole_file(file) as aside:
        file.parent.mkdir(parents=True, exist_ok=True)
        with aside.open("wb") as out:
            out.writelines(content)
    return sum(map(len, content))


def offset_ns(timeline: Timeline) -> int:
    """What is added to times so that none is below 0: nothing, or the epoch."""
    starts = [0]
    for part in (timeline.ppdus, timeline.txops):
        if part is not None and part.start_ns.size:
            starts.append(int(part.start_ns.min()))
    return int(timeline.run.plan["epoch_ns"]) if min(starts) < 0 else 0


def _write_events(timeline: Timeline, tracks: Tracks, events: Events) -> None:
    zero = np.zeros(1, np.int64)
    name = events.names.numbers(["traffic may start (traffic time zero)"])
    run = Place("run", f"{timeline.run.plan['name']}, seed {timeline.run.plan['seed']}")
    events.instants(Slices(zero, zero, np.array([tracks.of(run)]), name))
    arrows = _Arrows(timeline)
    if timeline.ppdus is not None:
        radios = np.array([tracks.below(place, "PPDUs") for place in timeline.radios], np.int64)
        events.slices(_ppdu_slices(timeline.ppdus, timeline.radios, radios, events, arrows))
    if timeline.txops is not None:
        radios = np.array([tracks.below(place, "TXOPs") for place in timeline.radios], np.int64)
        events.slices(_txop_slices(timeline.txops, radios, events))
    if timeline.packets is not None:
        events.slices(_packet_slices(timeline.packets, timeline.flows, tracks, events, arrows))
    for marks in timeline.marks:
        events.instants(_mark_slices(marks, tracks, events))
    for counter in timeline.counters:
        track = tracks.counter(counter.place, counter.name, counter.unit)
        events.values(track, np.maximum(counter.times_ns, -events.offset_ns), counter.values)


class _Arrows:
    """From a packet to the PPDUs that carried it, and on to the PPDU of its acknowledgement: by segment."""

    def __init__(self, timeline: Timeline) -> None:
        self._crossings = timeline.crossings

    def of_ppdus(self) -> tuple[Integers, Integers] | None:
        if self._crossings is None:
            return None
        acked = np.flatnonzero(self._crossings.acked_by >= 0)
        rows = np.concatenate((self._crossings.ppdu, self._crossings.acked_by[acked]))
        return rows, np.concatenate((self._crossings.segment, acked)) + 1

    def of_packets(self, kept: Integers, count: int) -> tuple[Integers, Integers] | None:
        if self._crossings is None:
            return None
        places = np.full(count, -1, np.int64)
        places[kept] = np.arange(kept.size)
        own = np.flatnonzero(self._crossings.packet >= 0)
        pairs = np.stack((places[self._crossings.packet[own]], self._crossings.segment[own] + 1))
        pairs = np.unique(pairs[:, pairs[0] >= 0], axis=1)
        return pairs[0], pairs[1]


def _ppdu_slices(
    ppdus: Ppdus, radios: tuple[Place, ...], tracks: Integers, events: Events, arrows: _Arrows
) -> Slices:
    names = [
        events.names.number(kind if outcome == RECEIVED else f"{kind}, {PPDU_OUTCOMES[outcome]}")
        for kind in PPDU_KINDS
        for outcome in range(len(PPDU_OUTCOMES))
    ]
    numbers = np.array(names, np.int64)[ppdus.kind * len(PPDU_OUTCOMES) + ppdus.outcome]
    receivers = events.words.numbers([*(place.name for place in radios), "a group"])
    outcomes = events.words.numbers(PPDU_OUTCOMES)
    modes = events.words.numbers([mode or _NO_WORD for mode in ppdus.modes])
    words = {"to": receivers[ppdus.to], "outcome": outcomes[ppdus.outcome], "mode": modes[ppdus.mode]}
    if ppdus.ru.any():
        words["RU"] = events.words.numbers([ru or "whole" for ru in ppdus.rus])[ppdus.ru]
    noted = ("nic", "bytes", "rate_bps", "mpdus", "users", "attempt", "airtime_ns")
    notes = {name: getattr(ppdus, name) for name in noted}
    notes["peer"] = np.where(ppdus.to == GROUP, GROUP_IN_SERIES, ppdus.to)
    return Slices(ppdus.start_ns, ppdus.end_ns, tracks[ppdus.nic], numbers, notes, words, arrows.of_ppdus())


def _txop_slices(txops: Txops, tracks: Integers, events: Events) -> Slices:
    known = [f"TXOP, {name}" for name in ACCESS_CATEGORIES]
    names = events.names.numbers(known)[np.minimum(txops.ac, len(known) - 1)]
    notes = {name: getattr(txops, name) for name in ("ppdus", "mpdus", "mpdus_lost")}
    return Slices(txops.start_ns, txops.end_ns, tracks[txops.nic], names, notes)


def _packet_slices(
    packets: Packets, flows: tuple[Place, ...], tracks: Tracks, events: Events, arrows: _Arrows
) -> Slices:
    """Packets that arrived; those that were lost are marks."""
    kept = np.flatnonzero((packets.delay_ns >= 0) & (packets.flow < len(flows)))
    start, end = packets.time_ns[kept], (packets.time_ns + packets.delay_ns)[kept]
    track = np.zeros(kept.size, np.int64)
    for number, way in np.unique(np.stack((packets.flow[kept], packets.direction[kept])), axis=1).T.tolist():
        own = np.flatnonzero((packets.flow[kept] == number) & (packets.direction[kept] == way))
        used = lanes(start[own], end[own])
        name = "packets of the receiver" if way else "packets of the sender"
        made = [tracks.below(flows[number], name, lane) for lane in range(int(used.max(initial=-1)) + 1)]
        track[own] = np.array(made, np.int64)[used]
    texts = events.names.numbers(["acknowledgement", "data", "data, sent again"])
    names = texts[(packets.payload_bytes[kept] > 0) * 1 + packets.again[kept] * 1]
    notes = {name: getattr(packets, name)[kept] for name in ("sequence", "bytes", "payload_bytes")}
    return Slices(start, end, track, names, notes, {}, arrows.of_packets(kept, packets.count))


def _mark_slices(marks: Marks, tracks: Tracks, events: Events) -> Slices:
    track = np.full(marks.times_ns.size, tracks.below(marks.place, marks.name), np.int64)
    if marks.texts:
        names = events.names.numbers([f"{marks.name}: {text}" for text in marks.texts])[marks.values]
        return Slices(marks.times_ns, marks.times_ns, track, names)
    names = np.full(marks.times_ns.size, events.names.number(marks.name), np.int64)
    value = "number" if marks.sampled else "sequence"
    return Slices(marks.times_ns, marks.times_ns, track, names, {value: marks.values})
