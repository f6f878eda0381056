"""The timeline of a run as columns for the browser, which `frontend/src/columns.ts` reads back.

A header in JSON names the columns; they follow as plain numbers, packed with gzip. Times are nanoseconds;
sorted ones are stored as steps, which are small.
"""

import json
import shlex
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airtcp.data.series.mac80211 import ACCESS_CATEGORIES
from airtcp.plots.gantt import KIND_LOOKS, OUTCOME_LOOKS
from airtcp.plots.style import AREA_COLOURS, COLOURS
from airtcp.report.floor import ground, has_floor, walls
from airtcp.report.html.packing import packed_bytes
from airtcp.timeline.counters import Counter
from airtcp.timeline.lanes import lanes
from airtcp.timeline.marks import Marks
from airtcp.timeline.places import Place
from airtcp.timeline.ppdus import GROUP, Integers, Ppdus
from airtcp.timeline.timeline import Timeline
from airtcp.wifi.ppdu import PPDU_KINDS, PPDU_OUTCOMES

# Marks of what went wrong, which a search for losses finds.
_BAD = ("sent and lost", "dropped", "given up")
_STEP_MOST = 0xFFFF_FFFF
# Headings beside those of nodes.
_ON_AIR, _FLOWS, _LAST = "On the air", "Flows", ("Links", "Queues")
# gzip's levels above take longer than they save.
_LEVEL = 4

JsonObject = dict[str, Any]


class _Columns:
    """Columns behind each other, each at a multiple of 8 bytes."""

    def __init__(self) -> None:
        self.content = bytearray()

    def add(self, values: NDArray[Any]) -> list[Any]:
        """The place of a column of whole numbers of at least 0, or of any numbers."""
        if values.dtype.kind == "f":
            return self._put("f64", values.astype("<f8"))
        most = int(values.max(initial=0))
        assert values.min(initial=0) >= 0
        for name, kind in (("u8", "<u1"), ("u16", "<u2"), ("u32", "<u4")):
            if most < 1 << 8 * np.dtype(kind).itemsize:
                return self._put(name, values.astype(kind))
        return self._put("f64", values.astype("<f8"))

    def times(self, values: Integers) -> list[Any]:
        """The place of a column of sorted times."""
        steps = np.diff(values, prepend=values[:1])
        if steps.size and (steps.min() < 0 or steps.max() > _STEP_MOST):
            return self._put("f64", values.astype("<f8"))
        return [*self._put("d32", steps.astype("<u4")), int(values[0]) if values.size else 0]

    def _put(self, name: str, values: NDArray[Any]) -> list[Any]:
        self.content += bytes(-len(self.content) % 8)
        place = len(self.content)
        self.content += values.tobytes()
        return [name, place, int(values.size)]


def packed_timeline(timeline: Timeline) -> str:
    """Everything that the page shows: header and columns, gzip, base64."""
    columns = _Columns()
    header = json.dumps(_header(timeline, columns), separators=(",", ":"), allow_nan=False).encode()
    content = struct.pack("<II", len(header), 0) + header + bytes(-len(header) % 8) + columns.content
    return packed_bytes(content, _LEVEL)


def _header(timeline: Timeline, columns: _Columns) -> JsonObject:
    run = timeline.run
    rows, tracks = _tracks(timeline, columns)
    return {
        "run": run.name,
        "folder": shlex.quote(str(run.folder)),
        "start_ns": min(0, _first_ns(timeline)),
        "end_ns": run.end_ns,
        "tracks": tracks,
        "segments": _segments(timeline, rows, columns),
        "lacking": [{"what": one.what, "setting": one.setting} for one in timeline.lacking],
        "floor": floor(timeline),
        "palette": {
            "kinds": {kind: {"colour": look[0], "height": look[2]} for kind, look in KIND_LOOKS.items()},
            "lost": OUTCOME_LOOKS["collision"][0],
            # Black stripes would not be seen on a dark page.
            "noise": "#7f3c8d",
            "value": COLOURS[0],
        },
        "cell_colours": list(AREA_COLOURS),
    }


def _first_ns(timeline: Timeline) -> int:
    return int(timeline.ppdus.start_ns.min(initial=0)) if timeline.ppdus is not None else 0


def _tracks(timeline: Timeline, columns: _Columns) -> tuple[Mapping[str, Integers], list[JsonObject]]:
    """The tracks from the top, and where each row of PPDUs and of packets stands among them."""
    rows: dict[str, Integers] = {}
    found = [
        *_packet_tracks(timeline, columns, rows),
        *_ppdu_tracks(timeline, columns, rows),
        *_txop_tracks(timeline, columns),
        *(_mark_track(marks, columns) for marks in timeline.marks),
        *(_counter_track(counter, columns) for counter in timeline.counters),
    ]
    nodes = dict.fromkeys(place.node for place in timeline.radios)
    groups = [_ON_AIR, _FLOWS, *(node for node in nodes if node not in (_ON_AIR, _FLOWS)), *_LAST]
    flows = {place.name: number for number, place in enumerate(timeline.flows)}
    # Of flows each stands together; all others are in their order already.
    places = [flows.get(track["place"], 0) if track["group"] == _FLOWS else 0 for track in found]
    ranks = [(groups.index(track["group"]), place) for track, place in zip(found, places, strict=True)]
    return rows, [found[number] for number in sorted(range(len(found)), key=lambda number: ranks[number])]


def _group(kind: str, place: Place) -> str:
    """The heading below which a track stands."""
    if kind == "ppdus":
        return _ON_AIR
    return {"flow": _FLOWS, "link": _LAST[0], "queue": _LAST[1]}.get(place.kind, place.node)


def _track(kind: str, place: Place, name: str, **own: Any) -> JsonObject:
    return {"kind": kind, "group": _group(kind, place), "place": place.name, "name": name, **own}


def _ppdu_tracks(timeline: Timeline, columns: _Columns, rows: dict[str, Integers]) -> Iterator[JsonObject]:
    ppdus = timeline.ppdus
    if ppdus is None:
        return
    rows["ppdus"] = np.zeros(ppdus.count, np.int64)
    first = 0
    for number, place in enumerate(timeline.radios):
        own = np.flatnonzero(ppdus.nic == number)
        rows["ppdus"][own] = first + np.arange(own.size)
        yield _track(
            "ppdus",
            place,
            "PPDUs",
            first=first,
            start=columns.times(ppdus.start_ns[own]),
            length=columns.add((ppdus.end_ns - ppdus.start_ns)[own]),
            fields=_ppdu_fields(timeline, ppdus, own, columns),
        )
        first += own.size


def _ppdu_fields(timeline: Timeline, ppdus: Ppdus, own: Integers, columns: _Columns) -> list[JsonObject]:
    receivers = [*(place.name for place in timeline.radios), "a group"]
    to = np.where(ppdus.to == GROUP, len(timeline.radios), ppdus.to)
    texts: list[tuple[str, Integers, Sequence[str]]] = [
        ("kind", ppdus.kind, PPDU_KINDS),
        ("outcome", ppdus.outcome, PPDU_OUTCOMES),
        ("to", to, receivers),
        ("mode", ppdus.mode, ppdus.modes),
    ]
    if ppdus.ru.any():
        texts.append(("RU", ppdus.ru, ("whole width", *ppdus.rus[1:])))
    numbers = (
        ("attempt", ppdus.attempt, ""),
        ("MPDUs", ppdus.mpdus, ""),
        ("PSDU", ppdus.bytes, "B"),
        ("users", ppdus.users, ""),
    )
    return [
        *(
            {"name": name, "column": columns.add(values[own]), "texts": list(words)}
            for name, values, words in texts
        ),
        *({"name": name, "column": columns.add(values[own]), "unit": unit} for name, values, unit in numbers),
    ]


def _txop_tracks(timeline: Timeline, columns: _Columns) -> Iterator[JsonObject]:
    txops = timeline.txops
    if txops is None:
        return
    categories = np.minimum(txops.ac, len(ACCESS_CATEGORIES) - 1)
    for number, place in enumerate(timeline.radios):
        own = np.flatnonzero(txops.nic == number)
        counts = (("PPDUs", txops.ppdus), ("MPDUs", txops.mpdus), ("lost MPDUs", txops.mpdus_lost))
        category = {"name": "AC", "column": columns.add(categories[own]), "texts": list(ACCESS_CATEGORIES)}
        yield _track(
            "txops",
            place,
            "TXOPs",
            first=0,
            start=columns.times(txops.start_ns[own]),
            length=columns.add(np.maximum(0, txops.end_ns - txops.start_ns)[own]),
            fields=[
                category,
                *({"name": name, "column": columns.add(values[own])} for name, values in counts),
            ],
        )


def _packet_tracks(timeline: Timeline, columns: _Columns, rows: dict[str, Integers]) -> Iterator[JsonObject]:
    packets = timeline.packets
    if packets is None:
        return
    rows["packets"] = np.full(packets.count, -1, np.int64)
    first = 0
    for number, place in enumerate(timeline.flows):
        for way, name in enumerate(("packets of the sender", "packets of the receiver")):
            of = (packets.flow == number) & (packets.direction == way) & (packets.delay_ns >= 0)
            own = np.flatnonzero(of)
            if not own.size:
                continue
            rows["packets"][own] = first + np.arange(own.size)
            start, delay = packets.time_ns[own], packets.delay_ns[own]
            used = lanes(start, start + delay)
            numbers = (
                ("sequence", packets.sequence),
                ("packet", packets.bytes),
                ("data", packets.payload_bytes),
            )
            yield _track(
                "packets",
                place,
                name,
                first=first,
                start=columns.times(start),
                length=columns.add(delay),
                lane=columns.add(used),
                lanes=int(used.max()) + 1,
                fields=[
                    *({"name": name, "column": columns.add(values[own])} for name, values in numbers),
                    {
                        "name": "sent again",
                        "column": columns.add(packets.again[own].astype(np.int64)),
                        "texts": ["no", "yes"],
                    },
                ],
            )
            first += own.size


def _mark_track(marks: Marks, columns: _Columns) -> JsonObject:
    return _track(
        "marks",
        marks.place,
        marks.name,
        start=columns.times(marks.times_ns),
        values=columns.add(marks.values),
        texts=list(marks.texts),
        sampled=marks.sampled,
        bad=marks.name in _BAD,
    )


def _counter_track(counter: Counter, columns: _Columns) -> JsonObject:
    whole = np.array_equal(counter.values, np.rint(counter.values)) and counter.values.min(initial=0) >= 0
    values = columns.add(counter.values.astype(np.int64) if whole else counter.values)
    own: JsonObject = {"unit": counter.unit, "start": columns.times(counter.times_ns), "values": values}
    if counter.place.ends:
        own["ends"] = counter.place.ends
    return _track("counter", counter.place, counter.name, **own)


def _segments(timeline: Timeline, rows: Mapping[str, Integers], columns: _Columns) -> JsonObject:
    """Rows count from 1 here; 0 is none."""
    crossings = timeline.crossings
    if crossings is None:
        return {}
    # The last entry is what -1 finds.
    ppdus = np.append(rows["ppdus"] + 1, 0)
    packets = np.append(rows.get("packets", np.zeros(0, np.int64)) + 1, 0)
    return {
        "segment": columns.add(crossings.segment),
        "ppdu": columns.add(ppdus[crossings.ppdu]),
        "packet": columns.add(packets[crossings.packet]),
        "acked_by": columns.add(ppdus[crossings.acked_by]),
    }


def floor(timeline: Timeline) -> JsonObject:
    """Radios with their ways, and walls; radios without positions of their own stand in a circle."""
    plan = timeline.run.plan
    nics, cells = plan["air"]["nics"], plan["air"]["cells"]
    known = bool(nics) and has_floor(plan)
    angles = np.linspace(0, 2 * np.pi, len(nics), endpoint=False)
    radios = []
    for place, nic, angle in zip(timeline.radios, nics, angles.tolist(), strict=True):
        stops = (
            [[0, *ground(nic["position_m"])]] if known else [[0, float(np.cos(angle)), float(np.sin(angle))]]
        )
        if known:
            stops += [[point["time_ns"], *ground(point["position_m"])] for point in nic["waypoints"]]
        cell = int(nic["cell"])
        radios.append({"name": place.name, "cell": cell, "role": nic.get("role", "station"), "way": stops})
    return {
        "radios": radios,
        "walls": [{"from": wall.begin, "to": wall.end, "text": wall.label} for wall in walls(plan)],
        "cells": [
            f"{cell['name']}: {cell['channel']['centre_mhz']} MHz, {cell['channel']['width_mhz']} MHz wide"
            for cell in cells
        ],
        "schematic": not known,
    }
