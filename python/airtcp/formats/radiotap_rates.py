"""Rates in Mbit/s by the fields of radiotap that say how a frame was modulated.

A rate is data bits in a symbol over the time of a symbol (IEEE 802.11-2020, 19.5, 21.5; 802.11ax-2021, 27.5;
802.11be, 36.5). Where a field does not know what that takes, there is no rate.
"""

import struct
from collections.abc import Mapping

from airtcp.wifi.mode import HT_MCS_PER_STREAM
from airtcp.wifi.standard import bits_per_subcarrier, formats

_RATE, _MCS, _VHT, _HE, _U_SIG, _EHT = 2, 19, 21, 23, 33, 34
# By radiotap's number of a width of VHT, in MHz.
_VHT_WIDTHS = {0: 20, 1: 40, 2: 20, 3: 20, 4: 80, 5: 40, 6: 40, **dict.fromkeys(range(7, 11), 20), 11: 160}
# Resource units: 26, 52, 106, 242, 484, 996, 2x996 and 4x996 tones, then pairs and triples of them.
_UNIT_SUBCARRIERS = (24, 48, 102, 234, 468, 980, 1960, 3920, 72, 126, 702, 1448, 1682, 2428, 2940, 3408)
# By radiotap's number of a width of HE and EHT, in MHz: 320 has two.
_WIDTHS = (20, 40, 80, 160, 320, 320)
_GUARDS_NS = (800, 1600, 3200)
# Data bits of a subcarrier with MCS 15 of EHT: BPSK of which each bit is on two subcarriers (802.11be, 36.5).
_EHT_MCS_15_BITS = 0.25
# What fields know (www.radiotap.org/fields: HE, U-SIG, EHT).
_HE_MCS_AND_UNIT_KNOWN, _HE_GUARD_KNOWN = 0x4020, 0x0002
_HE_DUAL_CARRIER, _HE_SPACE_TIME = 0x1000, 0x8000
_WIDTH_KNOWN, _KIND_OF_PPDU = 0x2, 0xC0
_GUARD_KNOWN, _UNIT_KNOWN = 0x4, 0x400000
_USER_KNOWS, _THIS_USER = 0x12, 0x80
# Of EHT: known, and nine words of data; then a word for each user.
_EHT_WORDS = 10


def rate_of(fields: Mapping[int, bytes]) -> float | None:
    """The rate that the fields of a header say, by their number; `None` if they don't."""
    if _EHT in fields:
        return _eht_rate(_words(fields[_EHT]), _words(fields.get(_U_SIG, b"")))
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


def _words(field: bytes) -> tuple[int, ...]:
    whole = field.ljust(len(field) + -len(field) % 4, b"\0")
    return struct.unpack(f"<{len(whole) // 4}I", whole)


def _ht_rate(field: bytes) -> float | None:
    """`known`, `flags`, `mcs`: of 802.11n."""
    known, flags, mcs = field
    if not known & 2 or mcs > 31:
        return None
    width = 40 if known & 1 and flags & 3 == 1 else 20
    streams, mcs = divmod(mcs, HT_MCS_PER_STREAM)
    short = known & 4 and flags & 4
    bits = _subcarriers("HT", width) * bits_per_subcarrier()[mcs] * (streams + 1)
    return _mbps("HT", bits, 400 if short else 800)


def _vht_rate(field: bytes) -> float | None:
    known, flags, width, first = _integers("<HBBB", field)
    mcs, streams = first >> 4, first & 15
    mhz = _VHT_WIDTHS.get(width) if known & 0x40 else 20
    if mcs not in formats()["VHT"].mcs or streams == 0 or mhz is None:
        return None
    short = known & 4 and flags & 4
    return _mbps(
        "VHT", _subcarriers("VHT", mhz) * bits_per_subcarrier()[mcs] * streams, 400 if short else 800
    )


def _he_rate(field: bytes) -> float | None:
    data = _integers("<6H", field)
    if data[0] & _HE_MCS_AND_UNIT_KNOWN != _HE_MCS_AND_UNIT_KNOWN or not data[1] & _HE_GUARD_KNOWN:
        return None
    mcs, streams = data[2] >> 8 & 15, data[5] & 15
    size, guard = data[4] & 15, data[4] >> 4 & 3
    sizes = (*(_subcarriers("HE", mhz) for mhz in _WIDTHS[:4]), *_UNIT_SUBCARRIERS[:7])
    if mcs not in formats()["HE"].mcs or streams == 0 or size >= len(sizes) or guard >= len(_GUARDS_NS):
        return None
    # Both send each bit twice: on two subcarriers, or in two space-time streams.
    copies = (2 if data[2] & _HE_DUAL_CARRIER else 1) * (2 if data[2] & _HE_SPACE_TIME else 1)
    return _mbps("HE", sizes[size] * bits_per_subcarrier()[mcs] * streams / copies, _GUARDS_NS[guard])


def _eht_rate(eht: tuple[int, ...], u_sig: tuple[int, ...]) -> float | None:
    """Of 802.11be: the guard interval and the users are in one field, the width is in U-SIG."""
    known, data, users = eht[0] if eht else 0, eht[1:_EHT_WORDS], eht[_EHT_WORDS:]
    own = [user for user in users if user & _THIS_USER] or list(users)
    subcarriers = _eht_subcarriers(known, data, u_sig)
    if len(own) != 1 or own[0] & _USER_KNOWS != _USER_KNOWS or not known & _GUARD_KNOWN:
        return None
    # iwlwifi, mt76 and rtw89 write the number of streams; 0 is of drivers that copy the bits of EHT-SIG.
    mcs, streams = own[0] >> 20 & 15, max(1, own[0] >> 24 & 15)
    bits = (*bits_per_subcarrier(), None, _EHT_MCS_15_BITS)[mcs]
    guard = data[0] >> 7 & 3
    if bits is None or subcarriers is None or guard >= len(_GUARDS_NS):
        return None
    return _mbps("EHT", subcarriers * bits * streams, _GUARDS_NS[guard])


def _eht_subcarriers(known: int, data: tuple[int, ...], u_sig: tuple[int, ...]) -> int | None:
    """Those of the resource unit, or, of a PPDU that is not divided between users, of its width."""
    if known & _UNIT_KNOWN and len(data) > 1:
        unit = data[1] & 0x1F
        return _UNIT_SUBCARRIERS[unit] if unit < len(_UNIT_SUBCARRIERS) else None
    common, value, mask = (*u_sig, 0, 0, 0)[:3]
    divided = mask & _KIND_OF_PPDU == _KIND_OF_PPDU and not value & _KIND_OF_PPDU
    width = common >> 15 & 7
    if not common & _WIDTH_KNOWN or divided or width >= len(_WIDTHS):
        return None
    return _subcarriers("EHT", _WIDTHS[width])


def _subcarriers(name: str, width_mhz: int) -> int:
    return formats()[name].data_subcarriers[width_mhz]


def _mbps(name: str, bits: float, guard_ns: int) -> float:
    """The rate of a format with so many data bits in a symbol."""
    return bits * 1e3 / (formats()[name].symbol_ns + guard_ns)
