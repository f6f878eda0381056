"""Which PPDUs carried a TCP segment, and which one its acknowledgement: from the capture of the air."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from airtcp.data.plain_file import read_plain
from airtcp.data.run_folder import Run
from airtcp.formats.air_segments import AirSegments, read_air_segments
from airtcp.timeline.packets import Packets, unwrapped
from airtcp.timeline.ppdus import GROUP, Integers, Ppdus

AIR_CAPTURE = Path("pcap") / "air.pcapng"
# As much as a capture of an hour at full rate has.
_BYTES_MOST = 8 << 30
_WRAP = 1 << 32


@dataclass(frozen=True)
class Crossings:
    """TCP segments with data on the air: row by row a segment, and a PPDU that carried it.

    `packet` is the packet of `delays` that the row's segment is, -1 if packets were not recorded. `ppdu` and
    `packet` are rows of `Ppdus` and `Packets`. `acked_by` has for each segment the PPDU with the first
    acknowledgement of it that was received, -1 if none was.
    """

    segment: Integers
    ppdu: Integers
    packet: Integers
    acked_by: Integers


@dataclass(frozen=True)
class _Way:
    """One direction of a connection on the air: a row for each segment in each PPDU, in the order of time."""

    ppdu: Integers
    sequence: Integers
    acknowledgement: Integers
    payload: Integers


@dataclass(frozen=True)
class _OfWay:
    """The segments with data of one way, from 0."""

    segment: Integers
    ppdu: Integers
    sequence: Integers
    acked_by: Integers


def has_air_capture(run: Run) -> bool:
    """Whether the run captured the air."""
    return (run.folder / AIR_CAPTURE).is_file()


def crossings_of(run: Run, ppdus: Ppdus, packets: Packets | None) -> Crossings:
    """Segments, PPDUs and acknowledgements of a run that captured the air."""
    file = run.folder / AIR_CAPTURE
    found = read_air_segments(file, read_plain(file, run.folder, _BYTES_MOST))
    ways = _ways(found, _rows(run, found, ppdus))
    parts = [_of_way(way, ways.get(ends[::-1])) for ends, way in ways.items()]
    counts = np.cumsum([0, *(part.acked_by.size for part in parts)])
    none = np.zeros(0, np.int64)
    segment = np.concatenate([none, *(part.segment + own for part, own in zip(parts, counts, strict=False))])
    ppdu = np.concatenate([none, *(part.ppdu for part in parts)])
    sequence = np.concatenate([none, *(part.sequence for part in parts)]) % _WRAP
    acked_by = np.concatenate([none, *(part.acked_by for part in parts)])
    return Crossings(segment, ppdu, _packets(sequence, ppdus.start_ns[ppdu], packets), acked_by)


def _rows(run: Run, found: AirSegments, ppdus: Ppdus) -> Integers:
    """The row of the PPDU of each segment; -1: the series has none."""
    radios = {int(nic["mac"].replace(":", ""), 16): n for n, nic in enumerate(run.plan["air"]["nics"])}
    nic, to = (_numbers(radios, addresses) for addresses in (found.transmitter, found.receiver))
    count = len(radios) + 1
    known = ppdus.start_ns * count * count + (ppdus.nic + 1) * count + ppdus.to + 1
    wanted = found.time_ns * count * count + (nic + 1) * count + to + 1
    order = np.argsort(known, kind="stable")
    places = np.minimum(np.searchsorted(known[order], wanted), max(0, known.size - 1))
    rows = order[places] if known.size else np.full(wanted.size, -1, np.int64)
    return np.where(known[rows] == wanted, rows, -1) if known.size else rows


def _numbers(radios: dict[int, int], addresses: Integers) -> Integers:
    known, places = np.unique(addresses, return_inverse=True)
    return np.array([radios.get(one, GROUP) for one in known.tolist()], np.int64)[np.ravel(places)]


def _ways(found: AirSegments, rows: Integers) -> dict[tuple[int, int], _Way]:
    ends = np.stack((found.source, found.destination))
    known, number = np.unique(ends, axis=1, return_inverse=True)
    ways = {}
    for place, (source, destination) in enumerate(known.T.tolist()):
        own = np.flatnonzero((np.ravel(number) == place) & (rows >= 0))
        parts = rows, found.sequence, found.acknowledgement, found.payload_bytes
        ways[source, destination] = _Way(*(part[own] for part in parts))
    return ways


def _of_way(way: _Way, back: _Way | None) -> _OfWay:
    sequence = unwrapped(way.sequence)
    rows = np.flatnonzero(way.payload > 0)
    _, segment = np.unique(sequence[rows], return_inverse=True)
    segment = np.ravel(segment).astype(np.int64)
    ends, first = (np.zeros(int(segment.max(initial=-1)) + 1, np.int64) for _ in range(2))
    ends[segment] = sequence[rows] + way.payload[rows]
    first[:] = np.iinfo(np.int64).max
    np.minimum.at(first, segment, way.ppdu[rows])
    return _OfWay(segment, way.ppdu[rows], way.sequence[rows], _acked_by(ends, first, way, back))


def _acked_by(ends: Integers, first: Integers, way: _Way, back: _Way | None) -> Integers:
    """For each segment the PPDU of the first acknowledgement that covers it, after it was sent; -1: none."""
    none = np.full(ends.size, -1, np.int64)
    if back is None or not ends.size:
        return none
    known = np.flatnonzero(back.acknowledgement >= 0)
    if not known.size:
        return none
    # Counted from the same place as the sequence numbers that they acknowledge.
    acks = unwrapped(np.concatenate((way.sequence[:1], back.acknowledgement[known])))[1:]
    highest = np.maximum.accumulate(acks)
    places = np.searchsorted(highest, ends)
    found = np.where(places < known.size, back.ppdu[known][np.minimum(places, known.size - 1)], -1)
    return np.where(found > first, found, -1)


def _packets(sequence: Integers, starts_ns: Integers, packets: Packets | None) -> Integers:
    """For each row the last packet with its sequence number that was sent before the PPDU; -1: none."""
    found = np.full(sequence.size, -1, np.int64)
    if packets is None or not packets.count:
        return found
    data = np.flatnonzero(packets.payload_bytes > 0)
    order = data[np.lexsort((packets.time_ns[data], packets.sequence[data]))]
    known, times = packets.sequence[order], packets.time_ns[order]
    first, last = (np.searchsorted(known, sequence, side=side) for side in ("left", "right"))
    # Packets of one sequence number are few: the original and what was sent again.
    for step in range(int((last - first).max(initial=0))):
        at = np.minimum(first + step, known.size - 1)
        sent_before = (first + step < last) & (times[at] <= starts_ns)
        found = np.where(sent_before, order[at], found)
    return found
