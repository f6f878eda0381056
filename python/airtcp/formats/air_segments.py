"""TCP segments in captures of the air, as columns: radiotap, IEEE 802.11 data frame, LLC/SNAP, IPv4, TCP.

All frames are looked at together: one by one, 150,000 would take many seconds.
"""

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from airtcp.formats.measurement import damaged

Integers = NDArray[np.int64]
Bytes = NDArray[np.uint8]
_ENHANCED = 6  # a packet of pcapng
# Radiotap: its first fields, of which the second has a bit for a frame that was not decoded.
_TIME_AND_FLAGS, _BAD_FCS = 0x03, 0x40
# Frame Control (IEEE 802.11-2020, 9.2.4.1): type data, subtypes with QoS and without data.
_DATA, _QOS, _NO_DATA = 2, 8, 4
_BOTH_DS, _PROTECTED, _HT_CONTROL = 0x03, 0x40, 0x80
# QoS Control (9.2.4.5): an A-MSDU is present; Mesh Control is present (second byte).
_AMSDU, _MESH = 0x80, 0x01
# LLC with SNAP and the OUI of EtherTypes (IEEE Std 802, 9.4), and that of IPv4.
_SNAP_IPV4 = b"\xaa\xaa\x03\x00\x00\x00\x08\x00"
_TCP, _ACK = 6, 0x10


@dataclass(frozen=True)
class AirSegments:
    """A row for each TCP segment in a data MPDU; of an A-MSDU only its first is known.

    `transmitter` and `receiver` are MAC addresses on the air as numbers; `source` and `destination` addresses
    of IPv4 with their ports as numbers. `acknowledgement` is -1 without ACK, and in an MPDU that its receiver
    could not decode.
    """

    time_ns: Integers
    transmitter: Integers
    receiver: Integers
    source: Integers
    destination: Integers
    sequence: Integers
    acknowledgement: Integers
    payload_bytes: Integers


def read_air_segments(file: Path, content: bytes) -> AirSegments:
    """The segments of a capture that airtcp wrote; a file that is cut is an `AirtcpError`."""
    times, at, kept = _packets(file, content)
    data = _Data(np.frombuffer(content, np.uint8))
    # Shorter ones hold no segment: radiotap, 802.11, LLC, IPv4 and TCP without any option.
    mac = at + data.little(at + 2, 2)
    has_flags = data.at(at + 4) & _TIME_AND_FLAGS == _TIME_AND_FLAGS
    rows = np.flatnonzero(has_flags & (mac + 24 + 8 + 20 + 20 <= at + kept))
    times, mac, end, flags = times[rows], mac[rows], (at + kept)[rows], at[rows] + 16
    subtype, kind = data.at(mac) >> 4, data.at(mac) >> 2 & 3
    llc = mac + _header_bytes(data, mac, subtype)
    fits = (kind == _DATA) & (subtype & _NO_DATA == 0) & (llc + 48 <= end)
    rows = np.flatnonzero(fits)
    rows = rows[data.starts_with(llc[rows], _SNAP_IPV4)]
    ip = llc[rows] + 8
    header = (data.at(ip) & 0x0F) * 4
    whole = (data.at(ip + 9) == _TCP) & (data.big(ip + 6, 2) & 0x1FFF == 0) & (ip + header + 20 <= end[rows])
    rows, ip, header = rows[whole], ip[whole], header[whole]
    tcp = ip + header
    payload = data.big(ip + 2, 2) - header - (data.at(tcp + 12) >> 4) * 4
    acknowledges = (data.at(tcp + 13) & _ACK != 0) & (data.at(flags[rows]) & _BAD_FCS == 0)
    return AirSegments(
        times[rows],
        transmitter=data.big(mac[rows] + 10, 6),
        receiver=data.big(mac[rows] + 4, 6),
        source=data.big(ip + 12, 4) << 16 | data.big(tcp, 2),
        destination=data.big(ip + 16, 4) << 16 | data.big(tcp + 2, 2),
        sequence=data.big(tcp + 4, 4),
        acknowledgement=np.where(acknowledges, data.big(tcp + 8, 4), -1),
        payload_bytes=np.maximum(payload, 0),
    )


class _Data:
    """The bytes of a file, looked at in many places together."""

    def __init__(self, content: Bytes) -> None:
        self._content = content

    def at(self, places: Integers) -> Integers:
        return self._content[np.minimum(places, self._content.size - 1)].astype(np.int64)

    def big(self, places: Integers, size: int) -> Integers:
        value = np.zeros(places.size, np.int64)
        for step in range(size):
            value = value << 8 | self.at(places + step)
        return value

    def little(self, places: Integers, size: int) -> Integers:
        value = np.zeros(places.size, np.int64)
        for step in reversed(range(size)):
            value = value << 8 | self.at(places + step)
        return value

    def starts_with(self, places: Integers, text: bytes) -> NDArray[np.bool_]:
        same = np.ones(places.size, np.bool_)
        for step, byte in enumerate(text):
            same &= self.at(places + step) == byte
        return same


def _header_bytes(data: _Data, mac: Integers, subtype: Integers) -> Integers:
    """What stands before LLC: addresses, QoS, HT and Mesh Control, CCMP or GCMP, an A-MSDU subframe."""
    flags, is_qos = data.at(mac + 1), subtype & _QOS != 0
    addresses = np.where(flags & _BOTH_DS == _BOTH_DS, 30, 24)
    control = [np.where(is_qos, data.at(mac + addresses + step), 0) for step in (0, 1)]
    length = addresses + 2 * is_qos + 4 * (is_qos & (flags & _HT_CONTROL != 0))
    length += 8 * (flags & _PROTECTED != 0) + 14 * (control[0] & _AMSDU != 0)
    # Mesh Control has two more addresses of 6 bytes for each of the modes of its first two bits (9.2.4.8.3).
    extension = data.at(mac + length) & 3
    whole: Integers = np.where(control[1] & _MESH != 0, length + 6 + 6 * extension, length)
    return whole


def _packets(file: Path, content: bytes) -> tuple[Integers, Integers, Integers]:
    """Time, place and captured length of each packet of a file in this machine's byte order."""
    if len(content) % 4 or struct.unpack_from("<I", content.ljust(12), 8)[0] != 0x1A2B3C4D:
        raise damaged(file, "it is cut, or airtcp did not write it")
    words, place, places = memoryview(content).cast("I"), 0, []
    while place < len(words):
        size = words[place + 1] >> 2 if place + 3 <= len(words) else 0
        if size < 3 or place + size > len(words):
            raise damaged(file, f"it ends within the block at byte {place * 4}")
        if words[place] == _ENHANCED and size >= 8:
            places.append(place)
        place += size
    at = np.array(places, np.int64)
    all_words = np.frombuffer(content, "<u4")
    time_ns, kept = all_words[at + 3].astype(np.int64) << 32 | all_words[at + 4], all_words[at + 5]
    return time_ns, (at + 7) * 4, kept.astype(np.int64)
