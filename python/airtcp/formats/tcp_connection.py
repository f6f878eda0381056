"""TCP connections of a capture: who opened it, the handshake, and how many bytes of the stream went by."""

from dataclasses import dataclass, field
from typing import Any

from airtcp.formats.tcp_packet import End, TcpPacket, address_text

FIN, SYN, ACK = 0x01, 0x02, 0x10
_SPACE = 1 << 32


@dataclass
class Direction:
    """One direction of a connection."""

    packets: int = 0
    payload_bytes: int = 0
    _highest: int | None = None
    _pieces: list[tuple[int, int]] = field(default_factory=list)

    def add(self, packet: TcpPacket) -> None:
        """Counts the packet, and which bytes of the stream it carries."""
        self.packets += 1
        self.payload_bytes += packet.payload_bytes
        start = packet.sequence + (1 if packet.flags & SYN else 0)
        if self._highest is not None:
            # The place in an endless stream that is nearest to what was seen last.
            start += round((self._highest - start) / _SPACE) * _SPACE
        self._highest = max(start + packet.payload_bytes, self._highest or 0)
        if packet.payload_bytes:
            self._extend(start, start + packet.payload_bytes)

    def _extend(self, start: int, end: int) -> None:
        # Most packets continue the last piece: pieces stay few.
        if self._pieces and self._pieces[-1][0] <= start <= self._pieces[-1][1]:
            self._pieces[-1] = (self._pieces[-1][0], max(end, self._pieces[-1][1]))
        else:
            self._pieces.append((start, end))

    @property
    def distinct_bytes(self) -> int:
        """Payload with each byte of the stream counted once."""
        total, reached = 0, None
        for start, end in sorted(self._pieces):
            begin = start if reached is None else max(start, reached)
            total += max(0, end - begin)
            reached = end if reached is None else max(reached, end)
        return total


@dataclass
class Connection:
    """A connection while its packets come."""

    number: int
    client: End
    server: End
    first_ns: int
    last_ns: int
    syn_ns: int | None = None
    syn_ack_seen: bool = False
    handshake_ns: int | None = None
    closed: bool = False
    directions: tuple[Direction, Direction] = field(default_factory=lambda: (Direction(), Direction()))

    def add(self, packet: TcpPacket, time_ns: int) -> int:
        """Takes the next packet; returns its direction."""
        direction = 0 if packet.source == self.client else 1
        self.last_ns = time_ns
        self.directions[direction].add(packet)
        handshake = packet.flags & (SYN | ACK)
        if direction == 0 and handshake == SYN and self.syn_ns is None:
            self.syn_ns = time_ns
        elif direction == 1 and handshake == SYN | ACK:
            self.syn_ack_seen = True
        elif direction == 0 and handshake == ACK and self.syn_ack_seen and self.handshake_ns is None:
            self.handshake_ns = None if self.syn_ns is None else time_ns - self.syn_ns
            self.syn_ack_seen = False
        self.closed = self.closed or bool(packet.flags & FIN)
        return direction

    def row(self) -> dict[str, Any]:
        """The connection's row of the frame `flows`."""
        client, server = self.directions
        return {
            "flow": self.number,
            "client": address_text(self.client[0]),
            "client_port": self.client[1],
            "server": address_text(self.server[0]),
            "server_port": self.server[1],
            "first_ns": self.first_ns,
            "last_ns": self.last_ns,
            "syn_ns": self.syn_ns,
            "handshake_ns": self.handshake_ns,
            "client_packets": client.packets,
            "server_packets": server.packets,
            "client_payload_bytes": client.payload_bytes,
            "server_payload_bytes": server.payload_bytes,
            "client_distinct_bytes": client.distinct_bytes,
            "server_distinct_bytes": server.distinct_bytes,
        }


class Connections:
    """All connections of a capture, by their ends; a SYN after a FIN between the same ends begins another."""

    def __init__(self) -> None:
        self.all: list[Connection] = []
        self._open: dict[frozenset[End] | tuple[End, End], Connection] = {}

    def of(self, packet: TcpPacket, time_ns: int) -> Connection:
        """The connection of a packet."""
        key = (min(packet.source, packet.destination), max(packet.source, packet.destination))
        opens = packet.flags & (SYN | ACK) == SYN
        known = self._open.get(key)
        if known is None or (opens and known.closed):
            # A SYN-ACK first: the SYN was not captured, and the other end is the client.
            reversed_ = packet.flags & (SYN | ACK) == SYN | ACK
            client, server = packet.source, packet.destination
            ends = (server, client) if reversed_ else (client, server)
            known = Connection(len(self.all), *ends, first_ns=time_ns, last_ns=time_ns)
            self.all.append(known)
            self._open[key] = known
        return known
