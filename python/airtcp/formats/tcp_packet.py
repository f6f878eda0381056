"""A TCP packet within a captured frame: link header, IPv4 (RFC 791) or IPv6 (RFC 8200), TCP (RFC 9293)."""

import struct
from dataclasses import dataclass
from ipaddress import ip_address

# LINKTYPE numbers (draft-ietf-opsawg-pcaplinktype): the length of the header and the place of the EtherType
# in it.
_LINKS = {1: (14, 12), 113: (16, 14), 276: (20, 0)}
# Those that begin with the IP header.
_RAW_IP = (12, 101, 228, 229)
# Loopback of BSD: a protocol family of 4 bytes.
_LOOPBACK = 0
# 802.11, bare and with radiotap: frames of the air, not packets.
AIR = (105, 127)
KNOWN_LINKS = (*_LINKS, *_RAW_IP, _LOOPBACK)

_IPV4, _IPV6, _VLAN = 0x0800, 0x86DD, (0x8100, 0x88A8)
_TCP, _CE = 6, 3
# Extension headers of IPv6 that may stand before TCP: hop-by-hop, routing, destination options.
_EXTENSIONS = (0, 43, 60)

End = tuple[bytes, int]


@dataclass(frozen=True)
class TcpPacket:
    """The header fields of a TCP packet."""

    source: End
    destination: End
    sequence: int
    acknowledgement: int
    flags: int
    window: int
    payload_bytes: int
    ip_bytes: int
    ce: bool


def address_text(address: bytes) -> str:
    """An IPv4 or IPv6 address as people write it."""
    return str(ip_address(address))


def parse_tcp(link_type: int, data: bytes, wire_bytes: int) -> TcpPacket | None:
    """The TCP packet in a frame; `None`: other protocols, later fragments, headers that were not captured."""
    try:
        at = _ip_place(link_type, data)
        if at is None:
            return None
        if data[at] >> 4 == 4:
            return _ipv4(data, at, wire_bytes)
        return _ipv6(data, at, wire_bytes) if data[at] >> 4 == 6 else None
    except (struct.error, IndexError):
        return None


def _ip_place(link_type: int, data: bytes) -> int | None:
    """Where the IP header begins."""
    if link_type in _RAW_IP:
        return 0
    if link_type == _LOOPBACK:
        return 4
    if link_type not in _LINKS:
        return None
    length, at = _LINKS[link_type]
    kind = struct.unpack_from(">H", data, at)[0]
    while kind in _VLAN:
        kind = struct.unpack_from(">H", data, length + 2)[0]
        length += 4
    return length if kind in (_IPV4, _IPV6) else None


def _ipv4(data: bytes, at: int, wire_bytes: int) -> TcpPacket | None:
    header = (data[at] & 0x0F) * 4
    service, length, _, fragment, _, protocol = struct.unpack_from(">xBHHHBB", data, at)
    if protocol != _TCP or fragment & 0x1FFF or header < 20:
        return None
    # Segmentation offload may leave the length 0 if it does not fit (BIG TCP): the wire length counts.
    length = length or wire_bytes - at
    ends = data[at + 12 : at + 16], data[at + 16 : at + 20]
    return _tcp(data, at + header, ends, (length, length - header), service & 3 == _CE)


def _ipv6(data: bytes, at: int, wire_bytes: int) -> TcpPacket | None:
    first, length, following = struct.unpack_from(">IHB", data, at)
    ends = data[at + 8 : at + 24], data[at + 24 : at + 40]
    payload = length or wire_bytes - at - 40
    place, ce = at + 40, (first >> 20) & 3 == _CE
    total = payload + 40
    while following in _EXTENSIONS:
        size = (data[place + 1] + 1) * 8
        following = data[place]
        place, payload = place + size, payload - size
    return _tcp(data, place, ends, (total, payload), ce) if following == _TCP else None


def _tcp(
    data: bytes, at: int, ends: tuple[bytes, bytes], lengths: tuple[int, int], ce: bool
) -> TcpPacket | None:
    """`lengths`: of the IP packet, and of TCP header and payload."""
    source, destination, sequence, acknowledgement, offset, flags, window = struct.unpack_from(
        ">HHIIBBH", data, at
    )
    payload = lengths[1] - (offset >> 4) * 4
    if payload < 0:
        return None
    return TcpPacket(
        (ends[0], source),
        (ends[1], destination),
        sequence,
        acknowledgement,
        flags,
        window,
        payload,
        lengths[0],
        ce,
    )
