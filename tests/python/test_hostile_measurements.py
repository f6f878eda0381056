"""Files of other programs, cut, changed, packed without end: each is read, or is an error with thing, place and remedy."""

import gzip
import json
import os
import random
import struct
import tracemalloc
from pathlib import Path

import pytest
from airtcp.data.export.flent import flent_data
from airtcp.data.run_folder import open_run
from airtcp.errors import AirtcpError
from airtcp.formats.recognition import open_measurement
from airtcp.scenario.compile.compiler import compile_file
from hypothesis import given, settings
from hypothesis import strategies as st
from support.run_folder import write_run_folder
from test_hostile_runs import FIRST, HOSTILE, check, leaves, refusal, replaced

FOREIGN = Path(__file__).parent / "foreign"
SOCKET, PACKETS = 5, [{"socket": 5, "start": n, "end": n + 1, "seconds": 1.0} for n in range(3)]
ONE_END = {
    "socket": 5,
    "start": 0,
    "end": 3,
    "seconds": 3.0,
    "bytes": 30,
    "bits_per_second": 80.0,
    "retransmits": 0,
}


def iperf3() -> dict[str, object]:
    """A test of one stream, with the keys that iperf3 3.12 writes and airtcp reads."""
    counts = {
        "bytes": 10,
        "bits_per_second": 80.0,
        "retransmits": 0,
        "snd_cwnd": 14480,
        "rtt": 10,
        "omitted": False,
    }
    streams = [packet | counts | {"sender": True} for packet in PACKETS]
    sums = [{key: value for key, value in each.items() if key not in ("socket", "rtt")} for each in streams]
    return {
        "start": {
            "connected": [{"socket": SOCKET}],
            "version": "iperf 3.12",
            "test_start": {"protocol": "TCP"},
        },
        "intervals": [{"streams": [each], "sum": total} for each, total in zip(streams, sums, strict=True)],
        "end": {"streams": [{"sender": ONE_END | {"max_snd_cwnd": 14480}, "receiver": ONE_END}]},
    }


def pcapng() -> bytes:
    """A section, an interface with a resolution and an offset, and the packets of the capture that is kept here."""

    def block(kind: int, body: bytes) -> bytes:
        body += bytes(-len(body) % 4)
        length = struct.pack("<I", len(body) + 12)
        return struct.pack("<I", kind) + length + body + length

    content = (FOREIGN / "loopback.pcap").read_bytes()
    link, at = struct.unpack_from("<I", content, 20)[0], 24
    options = struct.pack("<HHB3x", 9, 1, 9) + struct.pack("<HHq", 14, 8, 1_700_000_000) + bytes(4)
    blocks = [
        block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)),
        block(1, struct.pack("<HHI", link, 0, 65535) + options),
    ]
    while at < len(content):
        _, fraction, kept, wire = struct.unpack_from("<IIII", content, at)
        blocks.append(
            block(6, struct.pack("<5I", 0, 0, fraction, kept, wire) + content[at + 16 : at + 16 + kept])
        )
        at += 16 + kept
    return b"".join(blocks)


@pytest.fixture(scope="module")
def flent(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    run = open_run(write_run_folder(tmp_path_factory.mktemp("runs"), dict(compile_file(FIRST))))
    return dict(flent_data(run))


@pytest.fixture(scope="module")
def whole(flent: dict[str, object]) -> dict[str, bytes]:
    """A good file of each format."""
    made = {
        "iperf3.json": json.dumps(iperf3()).encode(),
        "run.flent": json.dumps(flent).encode(),
        "run.flent.gz": gzip.compress(json.dumps(flent).encode(), mtime=0),
        "any.pcapng": pcapng(),
    }
    return made | {file.name: file.read_bytes() for file in sorted(FOREIGN.iterdir())}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile")


def told(file: Path, content: bytes) -> AirtcpError | None:
    """What is said of a file; whatever is no `AirtcpError` fails the test."""
    file.write_bytes(content)
    error = refusal(lambda: open_measurement(file))
    check(error)
    return error


def test_the_files_are_good_before_they_are_changed(whole, place):
    assert {name: told(place / name, content) for name, content in whole.items()} == dict.fromkeys(whole)


@settings(max_examples=400)
@given(seed=st.integers(0, 2**32))
def test_bytes_that_were_cut_changed_or_doubled_are_told_or_harmless(whole, place, seed):
    chance = random.Random(seed)
    name = chance.choice(sorted(whole))
    content = bytearray(whole[name])
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(max(len(content), 1))
        match chance.randrange(5):
            case 0:
                content[at : at + 1] = bytes([chance.randrange(256)])
            case 1:
                content[at : at + 4] = chance.choice(
                    [b"\xff\xff\xff\xff", b"\0\0\0\0", b"\xff\xff\xff\x7f", b"9999"]
                )
            case 2:
                content[at:at] = content[at : at + chance.randrange(1, 200)]
            case 3:
                del content[at : at + chance.randrange(1, 50)]
            case _:
                del content[max(at, 1) :]
    told(place / name, bytes(content))


@settings(max_examples=300)
@given(
    tool=st.sampled_from(["iperf3", "flent"]), which=st.integers(0, 10**6), new=HOSTILE, packed=st.booleans()
)
def test_other_values_in_json_are_told_or_harmless(flent, place, tool, which, new, packed):
    value = json.loads(json.dumps(iperf3() if tool == "iperf3" else flent))
    paths = list(leaves(value))
    text = json.dumps(replaced(value, paths[which % len(paths)], new)).encode()
    told(place / f"x.{tool}", gzip.compress(text) if packed and tool == "flent" else text)


def error_of(file: Path, content: bytes) -> str:
    error = told(file, content)
    assert error is not None
    return str(error)


def test_little_that_unpacks_to_much_is_refused(tmp_path):
    bomb = gzip.compress(b'{"metadata": {}, "x": "' + b" " * (300 << 20) + b'"}', compresslevel=1)
    tracemalloc.start()
    assert "unpacked it has more than" in error_of(tmp_path / "x.flent.gz", bomb)
    assert tracemalloc.get_traced_memory()[1] < 900 << 20
    tracemalloc.stop()


def test_requests_without_end_are_refused(tmp_path):
    text = "PING a (1.2.3.4) 56(84) bytes of data.\n\n--- a ping statistics ---\n"
    text += "1000000000000 packets transmitted, 0 received, 100% packet loss\n"
    assert "1000000000000 requests" in error_of(tmp_path / "ping.txt", text.encode())


def test_times_that_no_clock_has_are_refused(tmp_path):
    content = bytearray(pcapng())
    at = content.index(struct.pack("<q", 1_700_000_000))
    content[at : at + 8] = struct.pack("<q", 2**62)
    assert "too large" in error_of(tmp_path / "x.pcapng", bytes(content))


def test_what_is_no_file_is_told_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for name, why in (("pipe", "is not a regular file"), (".", "Is a directory")):
        with pytest.raises(AirtcpError, match=why):
            open_measurement(tmp_path / name)


def test_a_file_that_is_too_large_is_not_read(tmp_path):
    with (tmp_path / "x.pcap").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(AirtcpError, match="too large"):
        open_measurement(tmp_path / "x.pcap")
