"""Events of tracks: slices, instants and values of counters, each kind many at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from airtcp.timeline.perfetto.messages import Bytes, Part, constant, fixed, message, number, table_of, text
from airtcp.timeline.perfetto.messages import whole as whole_message
from airtcp.timeline.ppdus import Integers

# Fields of `Trace`, `TracePacket` and `TrackEvent`, and numbers of `TrackEvent.Type`.
PACKET = 1
_TIMESTAMP, _TRACK_EVENT, _SEQUENCE_ID, _INTERNED_DATA, _SEQUENCE_FLAGS = 8, 11, 10, 12, 13
_ANNOTATIONS, _TYPE, _NAME_IID, _TRACK_UUID, _DOUBLE_VALUE, _FLOW_IDS = 4, 9, 10, 11, 44, 47
_BEGIN, _END, _INSTANT, _COUNTER = 1, 2, 3, 4
_STATE_CLEARED, _NEEDS_STATE = 1, 2
# Of events at one time an end comes first, so that slices that touch do not nest.
_ORDER = {_END: 0, _INSTANT: 1, _COUNTER: 1, _BEGIN: 2}
SEQUENCE_ID = 1


@dataclass
class Texts:
    """Texts that are written once, and their numbers from 1."""

    known: dict[str, int] = field(default_factory=dict)

    def number(self, value: str) -> int:
        """The number of a text."""
        return self.known.setdefault(value, len(self.known) + 1)

    def numbers(self, values: Sequence[str]) -> Integers:
        """The number of each text."""
        return np.array([self.number(value) for value in values], np.int64)


@dataclass(frozen=True)
class Slices:
    """Slices: begin and end of each, its track, the number of its name, and what is noted of it.

    `notes` are numbers by names, `words` numbers of texts by names. `flows` are pairs of a slice and the
    number of an arrow that passes through it.
    """

    start_ns: Integers
    end_ns: Integers
    track: Integers
    name: Integers
    notes: Mapping[str, Integers] = field(default_factory=dict)
    words: Mapping[str, Integers] = field(default_factory=dict)
    flows: tuple[Integers, Integers] | None = None


@dataclass
class Events:
    """Everything that is written, in the order of time at the end."""

    offset_ns: int
    names: Texts = field(default_factory=Texts)
    notes: Texts = field(default_factory=Texts)
    words: Texts = field(default_factory=Texts)
    _tables: list[Bytes] = field(default_factory=list)
    _times: list[Integers] = field(default_factory=list)
    _orders: list[Integers] = field(default_factory=list)

    def slices(self, slices: Slices) -> None:
        """Adds slices; one without a length is an instant."""
        counts, starts, numbers = _flows_of(slices)
        lasting = slices.end_ns > slices.start_ns
        for count in np.unique(counts).tolist():
            for kind, chosen in ((_BEGIN, lasting), (_INSTANT, ~lasting)):
                rows = np.flatnonzero((counts == count) & chosen)
                arrows = [fixed(_FLOW_IDS, numbers[starts[rows] + place]) for place in range(count)]
                own = [*self._notes(slices, rows), *(part for parts in arrows for part in parts)]
                name = number(_NAME_IID, slices.name[rows])
                self._add(kind, slices.start_ns[rows], slices.track[rows], [*name, *own])
        self._add(_END, slices.end_ns[lasting], slices.track[lasting], [])

    def instants(self, slices: Slices) -> None:
        """Adds instants: slices without a length."""
        self.slices(slices)

    def values(self, track: int, times_ns: Integers, values: NDArray[np.float64]) -> None:
        """Adds the values of a counter."""
        tracks = np.full(times_ns.size, track, np.int64)
        self._add(_COUNTER, times_ns, tracks, fixed(_DOUBLE_VALUE, values))

    def _notes(self, slices: Slices, rows: Integers) -> list[Part]:
        found: list[Part] = []
        # DebugAnnotation: `name_iid`, then `int_value` or `string_value_iid`.
        for own, field_number in ((slices.notes, 4), (slices.words, 17)):
            for name, values in own.items():
                parts = [*constant(1, self.notes.number(name)), *number(field_number, values[rows])]
                found += message(_ANNOTATIONS, parts)
        return found

    def _add(self, kind: int, times_ns: Integers, tracks: Integers, parts: list[Part]) -> None:
        if not times_ns.size:
            return
        event = [*constant(_TYPE, kind), *number(_TRACK_UUID, tracks), *parts]
        packet = [
            *number(_TIMESTAMP, times_ns + self.offset_ns),
            *constant(_SEQUENCE_ID, SEQUENCE_ID),
            *constant(_SEQUENCE_FLAGS, _NEEDS_STATE),
            *message(_TRACK_EVENT, event),
        ]
        self._tables.append(table_of(message(PACKET, packet), times_ns.size))
        self._times.append(times_ns)
        self._orders.append(np.full(times_ns.size, _ORDER[kind]))

    def interned(self) -> bytes:
        """The packet with all texts, which stands before the events."""
        parts: list[Part] = []
        # InternedData: `event_names`, `debug_annotation_names`, `debug_annotation_string_values`.
        for field_number, texts in ((2, self.names), (3, self.notes), (29, self.words)):
            for value, iid in texts.known.items():
                parts += message(field_number, [*constant(1, iid), *text(2, value)])
        packet = [
            *constant(_SEQUENCE_ID, SEQUENCE_ID),
            *constant(_SEQUENCE_FLAGS, _STATE_CLEARED),
            *message(_INTERNED_DATA, parts),
        ]
        return whole_message(message(PACKET, packet))

    def in_order(self) -> Bytes:
        """The bytes of all events, in the order of time."""
        if not self._tables:
            return np.zeros(0, np.uint8)
        order = np.lexsort((np.concatenate(self._orders), np.concatenate(self._times)))
        widths = np.concatenate([np.full(len(table), table.shape[1]) for table in self._tables])
        places = np.empty(order.size, np.int64)
        places[order] = np.concatenate(([0], np.cumsum(widths[order])[:-1]))
        made = np.empty(int(widths.sum()), np.uint8)
        first = 0
        for table in self._tables:
            own = places[first : first + len(table)]
            made[own[:, None] + np.arange(table.shape[1])] = table
            first += len(table)
        return made


def _flows_of(slices: Slices) -> tuple[Integers, Integers, Integers]:
    """How many arrows each slice has, where they begin among the arrows, and the arrows by slice."""
    if slices.flows is None:
        none = np.zeros(slices.start_ns.size, np.int64)
        return none, none, none[:0]
    rows, arrows = slices.flows
    order = np.lexsort((arrows, rows))
    counts = np.bincount(rows, minlength=slices.start_ns.size).astype(np.int64)
    return counts, np.cumsum(counts) - counts, arrows[order]
