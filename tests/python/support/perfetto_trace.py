"""Reads a trace of Perfetto by the official messages (package `perfetto`) into tables, as `trace_processor` has them.

The tables are `track`, `slice` (instants have the duration 0), `args`, `counter` and `flow`. Whatever the trace processor
would count as an error of a trace is an assertion here: an end without a begin, slices that cross, texts that are not known,
times out of order.
"""

import sqlite3
from pathlib import Path

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

TABLES = """
create table track (id integer primary key, name text, parent_id integer, unit text);
create table slice (id integer primary key, ts integer, dur integer, track_id integer, name text, depth integer);
create table args (slice_id integer, key text, int_value integer, string_value text);
create table counter (ts integer, value real, track_id integer);
create table flow (id integer, slice_id integer);
"""


class _Reader:
    def __init__(self) -> None:
        self.tables = sqlite3.connect(":memory:")
        self.tables.executescript(TABLES)
        self.names: dict[int, str] = {}
        self.notes: dict[int, str] = {}
        self.words: dict[int, str] = {}
        self.open: dict[int, list[tuple[int, int]]] = {}
        self.tracks: set[int] = set()
        self.before = 0
        self.slices = 0

    def packet(self, packet) -> None:
        assert packet.trusted_packet_sequence_id == 1
        if packet.HasField("track_descriptor"):
            self.track(packet.track_descriptor)
        elif packet.HasField("interned_data"):
            assert packet.sequence_flags == 1
            data = packet.interned_data
            self.names = {one.iid: one.name for one in data.event_names}
            self.notes = {one.iid: one.name for one in data.debug_annotation_names}
            self.words = {one.iid: one.str.decode() for one in data.debug_annotation_string_values}
        else:
            assert packet.sequence_flags == 2
            assert packet.timestamp >= self.before
            self.before = packet.timestamp
            self.event(packet.timestamp, packet.track_event)

    def track(self, track) -> None:
        parent = track.parent_uuid or None
        assert parent is None or parent in self.tracks
        assert track.uuid not in self.tracks
        self.tracks.add(track.uuid)
        unit = track.counter.unit_name if track.HasField("counter") else None
        self.tables.execute("insert into track values (?, ?, ?, ?)", (track.uuid, track.name, parent, unit))

    def event(self, time: int, event) -> None:
        assert event.track_uuid in self.tracks
        stack = self.open.setdefault(event.track_uuid, [])
        if event.type == TrackEvent.TYPE_COUNTER:
            row = (time, event.double_counter_value, event.track_uuid)
            self.tables.execute("insert into counter values (?, ?, ?)", row)
        elif event.type == TrackEvent.TYPE_SLICE_END:
            number, start = stack.pop()
            self.tables.execute("update slice set dur = ? where id = ?", (time - start, number))
        else:
            self.slices += 1
            row = (self.slices, time, 0, event.track_uuid, self.names[event.name_iid], len(stack))
            self.tables.execute("insert into slice values (?, ?, ?, ?, ?, ?)", row)
            for note in event.debug_annotations:
                word = self.words[note.string_value_iid] if note.string_value_iid else None
                own = (self.slices, self.notes[note.name_iid], note.int_value, word)
                self.tables.execute("insert into args values (?, ?, ?, ?)", own)
            rows = [(flow, self.slices) for flow in event.flow_ids]
            self.tables.executemany("insert into flow values (?, ?)", rows)
            if event.type == TrackEvent.TYPE_SLICE_BEGIN:
                stack.append((self.slices, time))


def read_trace(file: Path) -> sqlite3.Connection:
    """The tables of a trace."""
    trace, reader = Trace(), _Reader()
    trace.ParseFromString(file.read_bytes())
    for packet in trace.packet:
        reader.packet(packet)
    assert not any(reader.open.values()), "a slice without an end"
    reader.tables.executescript(
        "create index own_args on args (slice_id, key); create index own_flows on flow (id);"
    )
    return reader.tables
