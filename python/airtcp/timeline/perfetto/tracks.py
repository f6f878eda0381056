"""Tracks of a trace: nodes with their radios, links and queues, and flows."""

from dataclasses import dataclass, field

from airtcp.timeline.perfetto.events import PACKET, SEQUENCE_ID
from airtcp.timeline.perfetto.messages import Part, constant, message, text, whole
from airtcp.timeline.places import Place

# Fields of `TracePacket` and `TrackDescriptor`; children in the order of their ranks.
_TRACK_DESCRIPTOR, _SEQUENCE_ID = 60, 10
_UUID, _NAME, _PARENT, _COUNTER, _ORDERING, _RANK, _UNIT_NAME = 1, 2, 5, 8, 11, 12, 6
_EXPLICIT = 3


@dataclass
class Tracks:
    """The tracks of a trace, made when they are first asked for; each has a number from 1."""

    _numbers: dict[tuple[object, ...], int] = field(default_factory=dict)
    _packets: list[bytes] = field(default_factory=list)

    def of(self, place: Place) -> int:
        """The track of the run, or of a flow, queue, radio or link, below that of its node."""
        parent = self._track(place.node, 0) if place.node else 0
        return self._track(f"{place.kind} {place.name}", parent)

    def below(self, place: Place, name: str, lane: int = 0) -> int:
        """A track of its own of a place; lanes of one name are drawn together."""
        return self._track(name, self.of(place), lane=lane)

    def counter(self, place: Place, name: str, unit: str) -> int:
        """The track of a counter of a place."""
        return self._track(f"{name} [{unit}]", self.of(place), unit=unit)

    def packets(self) -> bytes:
        """What describes all tracks."""
        return b"".join(self._packets)

    def _track(self, name: str, parent: int, unit: str | None = None, lane: int = 0) -> int:
        key = (parent, name, unit, lane)
        if key not in self._numbers:
            self._numbers[key] = made = len(self._numbers) + 1
            parts: list[Part] = [*constant(_UUID, made), *text(_NAME, name)]
            if parent:
                parts += constant(_PARENT, parent)
            if unit is not None:
                parts += message(_COUNTER, text(_UNIT_NAME, unit))
            parts += [*constant(_ORDERING, _EXPLICIT), *constant(_RANK, made)]
            packet = [*constant(_SEQUENCE_ID, SEQUENCE_ID), *message(_TRACK_DESCRIPTOR, parts)]
            self._packets.append(whole(message(PACKET, packet)))
        return self._numbers[key]
