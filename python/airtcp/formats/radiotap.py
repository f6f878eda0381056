"""Radiotap headers (www.radiotap.org): signal, rate and flags of a captured frame.

A header is a list of fields, each aligned to its own size from the start of the header; bits say which ones
are there. Several antennas have several lists; the first power is that of all of them. Fields of 802.11be
have no bit: they stand at the end, each with its type and length (TLV).
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from airtcp.formats.radiotap_rates import rate_of

LINK_TYPE = 127  # LINKTYPE_IEEE802_11_RADIOTAP
# Alignment and size of each field by its bit.
_FIELDS = {
    0: (8, 8),  # TSFT
    1: (1, 1),  # flags
    2: (1, 1),  # rate, in 500 kbit/s
    3: (2, 4),  # channel
    4: (1, 2),  # FHSS
    5: (1, 1),  # antenna signal, dBm
    6: (1, 1),
    7: (2, 2),
    8: (2, 2),
    9: (2, 2),
    10: (1, 1),
    11: (1, 1),
    12: (1, 1),
    13: (1, 1),
    14: (2, 2),  # RX flags
    15: (2, 2),  # TX flags
    16: (1, 1),
    17: (1, 1),
    18: (4, 8),  # XChannel
    19: (1, 3),  # MCS
    20: (4, 8),  # A-MPDU status
    21: (2, 12),  # VHT
    22: (8, 12),  # timestamp
    23: (2, 12),  # HE
    24: (2, 12),  # HE-MU
    25: (2, 6),  # HE-MU, other user
    26: (1, 1),  # zero-length PSDU
    27: (2, 4),  # L-SIG
}
_FLAGS, _SIGNAL, _TLVS = 1, 5, 28
_FCS_AT_END, _BAD_FCS = 0x10, 0x40
_RADIOTAP_NAMESPACE, _VENDOR_NAMESPACE, _MORE = 29, 30, 31


@dataclass(frozen=True)
class Radiotap:
    """What a header says: its length, power in dBm, rate in Mbit/s, and of the FCS."""

    length: int
    signal_dbm: int | None
    rate_mbps: float | None
    fcs_at_end: bool
    bad_fcs: bool


def read_radiotap(data: bytes) -> Radiotap | None:
    """The header of a frame; `None` if it is cut or no radiotap header."""
    if len(data) < 8 or data[0] != 0:
        return None
    length = struct.unpack_from("<H", data, 2)[0]
    if length > len(data) or length < 8:
        return None
    fields = _fields(data[:length])
    if fields is None:
        return None
    flags = fields[_FLAGS][0] if _FLAGS in fields else 0
    signal = struct.unpack("b", fields[_SIGNAL])[0] if _SIGNAL in fields else None
    return Radiotap(length, signal, rate_of(fields), bool(flags & _FCS_AT_END), bool(flags & _BAD_FCS))


def _fields(header: bytes) -> dict[int, bytes] | None:
    """The first field of each kind; what is behind one of unknown length is left out."""
    words, at = [], 4
    while True:
        if at + 4 > len(header):
            return None
        words.append(struct.unpack_from("<I", header, at)[0])
        at += 4
        if not words[-1] >> _MORE & 1:
            break
    found: dict[int, bytes] = {}
    for word in words:
        for bit in range(_RADIOTAP_NAMESPACE):
            if not word >> bit & 1:
                continue
            if bit == _TLVS:
                return _with_tlvs(header, at + -at % 4, found)
            if bit not in _FIELDS:
                return found
            align, size = _FIELDS[bit]
            at += -at % align
            if at + size > len(header):
                return None
            found.setdefault(bit, header[at : at + size])
            at += size
        if word >> _VENDOR_NAMESPACE & 1:
            return found
    return found


def _with_tlvs(header: bytes, at: int, found: dict[int, bytes]) -> dict[int, bytes] | None:
    """The fields with those that have a type and a length: up to the end of the header."""
    for kind, data in _tlvs(header, at):
        if data is None:
            return None
        # What a field does not have at its end is 0.
        size = _FIELDS[kind][1] if kind in _FIELDS else 0
        found.setdefault(kind, data.ljust(size, b"\0"))
    return found


def _tlvs(header: bytes, at: int) -> Iterator[tuple[int, bytes | None]]:
    """Type and data of each; `None` of one that is cut."""
    while at < len(header):
        if at + 4 > len(header):
            yield _TLVS, None
            return
        kind, length = struct.unpack_from("<HH", header, at)
        at += 4
        yield kind, header[at : at + length] if at + length <= len(header) else None
        at += length + -length % 4
