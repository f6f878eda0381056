"""Radiotap headers (www.radiotap.org): signal, rate and flags of a captured frame.

A header is a list of fields, each aligned to its own size from the start of the header; bits say which ones
are there. Several antennas have several lists; the first power is that of all of them.
"""

import struct
from dataclasses import dataclass

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
_FLAGS, _RATE, _SIGNAL, _MCS, _VHT, _HE = 1, 2, 5, 19, 21, 23
_FCS_AT_END, _BAD_FCS = 0x10, 0x40
_RADIOTAP_NAMESPACE, _VENDOR_NAMESPACE, _MORE = 29, 30, 31
# Data bits per subcarrier and symbol by MCS: coded bits times code rate (IEEE 802.11-2020, tables 19-27 and
# following, 21-29 and following; 802.11ax-2021, 27.5).
_BITS = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 4.5, 5.0, 6.0, 20 / 3, 7.5, 25 / 3)
# Data subcarriers by MHz (HT and VHT: 802.11-2020, tables 19-6 and 21-5; HE: table 27-15).
_VHT_SUBCARRIERS = {20: 52, 40: 108, 80: 234, 160: 468}
_VHT_WIDTHS = {0: 20, 1: 40, 2: 20, 3: 20, 4: 80, 5: 40, 6: 40, **dict.fromkeys(range(7, 11), 20), 11: 160}
_HE_SUBCARRIERS = (234, 468, 980, 1960, 24, 48, 102, 234, 468, 980, 1960)
_HE_GUARD_US = (0.8, 1.6, 3.2)
_LONG_SYMBOL_US, _SHORT_SYMBOL_US, _HE_SYMBOL_US = 4.0, 3.6, 12.8


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
    return Radiotap(length, signal, _rate(fields), bool(flags & _FCS_AT_END), bool(flags & _BAD_FCS))


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


def _rate(fields: dict[int, bytes]) -> float | None:
    if _HE in fields:
        return _he_rate(fields[_HE])
    if _VHT in fields:
        return _vht_rate(fields[_VHT])
    if _MCS in fields:
        return _ht_rate(fields[_MCS])
    if fields.get(_RATE, b"\0")[0]:
        return fields[_RATE][0] / 2
    return None


def _integers(layout: str, field: bytes) -> tuple[int, ...]:
    return struct.unpack_from(layout, field)


def _ht_rate(field: bytes) -> float | None:
    """`known`, `flags`, `mcs`: of 802.11n."""
    known, flags, mcs = field
    if not known & 2 or mcs > 31:
        return None
    width = 40 if known & 1 and flags & 3 == 1 else 20
    short = known & 4 and flags & 4
    bits = _VHT_SUBCARRIERS[width] * _BITS[mcs % 8] * (mcs // 8 + 1)
    return bits / (_SHORT_SYMBOL_US if short else _LONG_SYMBOL_US)


def _vht_rate(field: bytes) -> float | None:
    known, flags, width, first = _integers("<HBBB", field)
    mcs, streams = first >> 4, first & 15
    mhz = _VHT_WIDTHS.get(width) if known & 0x40 else 20
    if mcs > 9 or streams == 0 or mhz is None:
        return None
    short = known & 4 and flags & 4
    return _VHT_SUBCARRIERS[mhz] * _BITS[mcs] * streams / (_SHORT_SYMBOL_US if short else _LONG_SYMBOL_US)


def _he_rate(field: bytes) -> float | None:
    data = _integers("<6H", field)
    mcs, streams = data[2] >> 8 & 15, data[5] & 15
    size, guard = data[4] & 15, data[4] >> 4 & 3
    if mcs >= len(_BITS) or streams == 0 or size >= len(_HE_SUBCARRIERS) or guard >= len(_HE_GUARD_US):
        return None
    return _HE_SUBCARRIERS[size] * _BITS[mcs] * streams / (_HE_SYMBOL_US + _HE_GUARD_US[guard])
