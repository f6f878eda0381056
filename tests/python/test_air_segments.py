"""TCP segments in frames of the air, made by hand: with and without QoS, four addresses, CCMP, A-MSDU and Mesh Control."""

import struct
from pathlib import Path

import pytest
from airtcp.errors import AirtcpError
from airtcp.formats.air_segments import read_air_segments

TRANSMITTER, RECEIVER, OTHER = (bytes.fromhex(f"02000000000{n}") for n in (1, 2, 3))
SNAP = bytes.fromhex("aaaa030000000800")
PAYLOAD_BYTES = 1448


def segment():
    """IPv4 and TCP with 12 bytes of options, sequence 7, acknowledgement 9; its data is not captured."""
    tcp = struct.pack(">HHIIBBHHH", 5001, 40000, 7, 9, 8 << 4, 0x10, 0, 0, 0) + bytes(12)
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + 32 + PAYLOAD_BYTES, 0, 0, 64, 6, 0)
    return ip + bytes((10, 0, 0, 1)) + bytes((10, 0, 0, 2)) + tcp


def mac(subtype, flags, after=b"", control=b""):
    addresses = RECEIVER + TRANSMITTER + OTHER + b"\0\0" + (OTHER if flags & 3 == 3 else b"")
    return bytes((8 | subtype << 4, flags, 0, 0)) + addresses + control + after


def capture(*frames, bad=False):
    """A file with these frames at 1000 ns, 2000 ns, ..."""
    section = struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1) + struct.pack("<HH", 4, 6) + b"airtcp\0\0" + bytes(4)
    blocks = [(0x0A0D0D0A, section), (1, struct.pack("<HHIHHB3xI", 127, 0, 0, 9, 1, 9, 0))]
    for number, frame in enumerate(frames, 1):
        radiotap = struct.pack("<BBHIQB", 0, 0, 17, 3, 0, 0x50 if bad else 0x10)
        data = radiotap + frame
        fields = struct.pack("<IIIII", 0, 0, 1000 * number, len(data), len(data))
        blocks.append((6, fields + data + bytes(-len(data) % 4)))
    made = b""
    for kind, body in blocks:
        size = len(body) + 12
        made += struct.pack("<II", kind, size) + body + struct.pack("<I", size)
    return made


FRAMES = {
    "plain": mac(0, 1, SNAP),
    "QoS": mac(8, 1, SNAP, b"\0\0"),
    "QoS with HT Control": mac(8, 0x81, SNAP, bytes(6)),
    "four addresses": mac(8, 3, SNAP, b"\0\0"),
    "CCMP": mac(8, 0x41, SNAP, b"\0\0" + bytes(8)),
    "A-MSDU": mac(8, 1, SNAP, b"\x80\0" + RECEIVER + OTHER + b"\x05\xdc"),
    "Mesh Control": mac(8, 3, SNAP, b"\0\x01" + bytes(6)),
    "Mesh Control with two addresses": mac(8, 3, SNAP, b"\0\x01" + b"\x02" + bytes(17)),
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES.keys())
def test_a_segment_is_found_whatever_stands_before_it(frame):
    found = read_air_segments(
        Path("air.pcapng"), capture(mac(8, 2, b"", b"\0\0"), frame + segment() + bytes(4))
    )
    assert found.time_ns.tolist() == [2000]
    addresses = [int.from_bytes(one) for one in (TRANSMITTER, RECEIVER)]
    assert [found.transmitter[0], found.receiver[0]] == addresses
    assert (found.sequence[0], found.acknowledgement[0], found.payload_bytes[0]) == (7, 9, PAYLOAD_BYTES)
    assert found.source[0] == 0x0A000001 << 16 | 5001


def test_what_was_not_decoded_acknowledges_nothing():
    found = read_air_segments(Path("air.pcapng"), capture(FRAMES["QoS"] + segment(), bad=True))
    assert (found.sequence.tolist(), found.acknowledgement.tolist()) == ([7], [-1])


def test_other_frames_have_no_segments():
    beacon = mac(8, 0, bytes(60))
    null = bytes((0x48, 1)) + FRAMES["plain"][2:] + segment()
    arp = FRAMES["QoS"][:-2] + b"\x08\x06" + segment()
    udp = bytearray(FRAMES["QoS"] + segment())
    udp[len(FRAMES["QoS"]) + 9] = 17
    found = read_air_segments(Path("air.pcapng"), capture(bytes((0x80,)) + beacon[1:], null, arp, bytes(udp)))
    assert found.time_ns.size == 0


@pytest.mark.parametrize("cut", [-4, -40, 30])
def test_a_file_that_is_cut_is_refused(cut):
    with pytest.raises(AirtcpError, match=r"air\.pcapng: is damaged|air\.pcapng: .*cut|ends within"):
        read_air_segments(Path("air.pcapng"), capture(FRAMES["QoS"] + segment())[:cut])
