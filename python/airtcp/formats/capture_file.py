"""Packets in capture files: pcap (draft-ietf-opsawg-pcap) and pcapng (draft-ietf-opsawg-pcapng).

Read here and not by a library because times must keep their nanoseconds: the usual ones return floating-point
seconds, which since 1970 resolve 200 ns only, and pcapng may have several interfaces with units and link
types of their own.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from airtcp.formats.measurement import damaged

_PCAP_UNITS = {0xA1B2C3D4: 1_000, 0xA1B23C4D: 1}
_SECTION, _INTERFACE, _SIMPLE, _ENHANCED = 0x0A0D0D0A, 1, 3, 6
_BYTE_ORDER = 0x1A2B3C4D
_TSRESOL, _TSOFFSET, _END_OF_OPTIONS = 9, 14, 0
_NS = 1_000_000_000
# The program that wrote a section (shb_userappl, code 4) of a capture of airtcp.
_OWN = b"\x04\x00\x06\x00airtcp"


@dataclass(frozen=True)
class Packet:
    """One captured frame: its time, its layout (LINKTYPE), its length on the wire, what was captured."""

    time_ns: int
    link_type: int
    wire_bytes: int
    data: bytes


@dataclass(frozen=True)
class _Interface:
    link_type: int
    ticks_per_s: int
    offset_ns: int


def is_capture(content: bytes) -> bool:
    """Whether the file begins as pcap or pcapng."""
    return _pcap_order(content) is not None or content[:4] == _SECTION.to_bytes(4, "little")


def read_capture(file: Path, content: bytes) -> Iterator[Packet]:
    """Every frame in the order of the file; a file that is cut is an `AirtcpError`."""
    order = _pcap_order(content)
    return _pcapng(file, content) if order is None else _pcap(file, content, order)


def _pcap_order(content: bytes) -> str | None:
    """The byte order, if it is pcap."""
    for order in "<>":
        if len(content) >= 4 and struct.unpack(f"{order}I", content[:4])[0] in _PCAP_UNITS:
            return order
    return None


def _pcap(file: Path, content: bytes, order: str) -> Iterator[Packet]:
    if len(content) < 24:
        raise damaged(file, "its header is cut")
    magic, _, _, _, _, _, link = struct.unpack_from(f"{order}IHHIIII", content)
    unit, place, record = _PCAP_UNITS[magic], 24, struct.Struct(f"{order}IIII")
    # The upper bits of the link type describe the FCS.
    link &= 0xFFFF
    while place < len(content):
        if place + 16 > len(content):
            raise damaged(file, f"it ends within the record at byte {place}")
        seconds, fraction, kept, wire = record.unpack_from(content, place)
        place += 16
        if place + kept > len(content) or kept > wire or fraction * unit >= _NS:
            raise damaged(file, f"it ends within the packet at byte {place}, or is damaged there")
        yield Packet(seconds * _NS + fraction * unit, link, wire, content[place : place + kept])
        place += kept


def _pcapng(file: Path, content: bytes) -> Iterator[Packet]:
    interfaces: list[_Interface] = []
    order, own = "<", False
    for place, kind, body, order in _blocks(file, content):
        if kind == _SECTION:
            # airtcp's own keep traffic time, with which series are compared; the offset is the run's date.
            interfaces, own = [], _OWN in body
        elif kind == _INTERFACE:
            interface = _interface(file, body, order, place)
            interfaces.append(replace(interface, offset_ns=0) if own else interface)
        elif kind == _SIMPLE:
            raise damaged(file, f"the packet at byte {place} has no time (Simple Packet Block)")
        elif kind == _ENHANCED:
            packet = _packet(body, order, interfaces)
            if packet is None:
                raise damaged(file, f"the packet at byte {place} has no such interface, or is cut")
            yield packet


def _blocks(file: Path, content: bytes) -> Iterator[tuple[int, int, bytes, str]]:
    """Place, kind and body of each block, and the byte order of its section."""
    place, order = 0, "<"
    while place < len(content):
        if place + 12 > len(content):
            raise damaged(file, f"it ends within the block at byte {place}")
        if content[place : place + 4] == _SECTION.to_bytes(4, "little"):
            order = "<" if content[place + 8 : place + 12] == _BYTE_ORDER.to_bytes(4, "little") else ">"
        kind, length = struct.unpack_from(f"{order}II", content, place)
        end = place + length
        if length < 12 or length % 4 or end > len(content):
            raise damaged(file, f"it ends within the block at byte {place}, or is damaged there")
        if struct.unpack_from(f"{order}I", content, end - 4)[0] != length:
            raise damaged(file, f"the block at byte {place} does not end as it begins")
        yield place, kind, content[place + 8 : end - 4], order
        place = end


def _interface(file: Path, body: bytes, order: str, place: int) -> _Interface:
    if len(body) < 8:
        raise damaged(file, f"the interface at byte {place} is cut")
    link = struct.unpack_from(f"{order}H", body)[0]
    ticks, offset, at = 1_000_000, 0, 8
    while at + 4 <= len(body):
        code, length = struct.unpack_from(f"{order}HH", body, at)
        value = body[at + 4 : at + 4 + length]
        if code == _END_OF_OPTIONS:
            break
        if code == _TSRESOL and len(value) == 1:
            ticks = 2 ** (value[0] & 0x7F) if value[0] & 0x80 else 10 ** value[0]
        elif code == _TSOFFSET and len(value) == 8:
            offset = struct.unpack(f"{order}q", value)[0] * _NS
        at += 4 + length + -length % 4
    return _Interface(link, ticks, offset)


def _packet(body: bytes, order: str, interfaces: list[_Interface]) -> Packet | None:
    """The packet in an Enhanced Packet Block; `None` if it is cut or its interface was not described."""
    if len(body) < 20:
        return None
    number, high, low, kept, wire = struct.unpack_from(f"{order}5I", body)
    if number >= len(interfaces) or 20 + kept > len(body):
        return None
    of = interfaces[number]
    time_ns = ((high << 32) | low) * _NS // of.ticks_per_s + of.offset_ns
    return Packet(time_ns, of.link_type, wire, body[20 : 20 + kept])
