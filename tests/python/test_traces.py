"""Recordings of other programs as traces: each format by hand-computed rows, and damaged files."""

import json
import random
import socket
import struct
import subprocess
import time
from pathlib import Path

import pytest
from airtcp.errors import AirtcpError
from airtcp.formats.radiotap import read_radiotap
from airtcp.scenario.keys.trace import read_points
from airtcp.scenario.keys.wire_trace import read_wire_points
from airtcp.traces.kinds import KINDS, Options, open_recordings
from airtcp.traces.trace_file import scenario_lines, trace_text
from support.command import airtcp

FOREIGN = Path(__file__).parent / "foreign"
FRAME_MBPS = 1514 * 8 / 1000  # one full frame each millisecond


def read(folder, content, kind=None, options=None):
    """Kind and recordings of a file with this content."""
    file = folder / "recorded.x"
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return open_recordings(file, kind, options)


def refusal(folder, content, kind=None, options=None):
    with pytest.raises(AirtcpError) as caught:
        read(folder, content, kind, options)
    return str(caught.value)


def rows(recording):
    return [
        (time, *cells) for time, *cells in zip(recording.times_s, *recording.columns.values(), strict=True)
    ]


# mahimahi


def test_mahimahi_counts_opportunities_of_each_millisecond(tmp_path):
    kind, (made,) = read(tmp_path, "1\n1\n2\n5\n5\n5\n8\n")
    assert kind == "mahimahi"
    expected = [(0, 2), (0.001, 1), (0.002, 0), (0.004, 3), (0.005, 0), (0.007, 1)]
    assert rows(made) == [(time, pytest.approx(count * FRAME_MBPS)) for time, count in expected]
    assert made.end_s == 0.008


def test_mahimahi_carries_its_packets_again_in_each_lap(tmp_path):
    """The work of a lap is that of its opportunities."""
    randomly = random.Random(4)
    lines = [*sorted(randomly.randint(1, 400) for _ in range(900)), 400]
    _, (made,) = read(tmp_path, "".join(f"{line}\n" for line in lines))
    ends = [*made.times_s[1:], made.end_s]
    bits = sum(rate * 1e6 * (end - time) for (time, rate), end in zip(rows(made), ends, strict=True))
    assert bits == pytest.approx(len(lines) * 1514 * 8)


# Spark, Mininet-WiFi


def test_hairpin_is_a_direction_with_rate_delay_and_loss_and_one_with_delay(tmp_path):
    kind, (there, back) = read(
        tmp_path, "0.000 20.59 14.0ms -0.26\n0.015 18.00 13.0ms 0.10\n0.030 0 50ms 1\n"
    )
    assert kind == "hairpin"
    assert rows(there) == [(0, 20.59, 7, 0), (0.015, 18, 6.5, 0.1), (0.03, 0, 25, 1)]
    assert rows(back) == [(0, 7), (0.015, 6.5), (0.03, 25)]
    assert there.notes[1] == "the loss is negative in 1 rows, and 0 here: packets came late"
    assert there.end_s == pytest.approx(0.045)


def test_rates_begin_at_zero(tmp_path):
    kind, (made,) = read(tmp_path, "3300.94 31.3\n3301.15 31.5\n3301.35 0.5\n3301.55 2\n")
    assert kind == "rates"
    assert [time for time, _ in rows(made)] == pytest.approx([0, 0.21, 0.41, 0.61])
    assert [rate for _, rate in rows(made)] == [31.3, 31.5, 0.5, 2]


def test_files_of_mininet_wifi(tmp_path):
    kind, (power,) = read(tmp_path, "1 -50\n2 -51\n3 -54\n")
    assert (kind, power.use, rows(power)) == ("rssi", "link", [(0, -50), (1, -51), (2, -54)])
    (bandwidth,) = read(tmp_path, "0 14\n0.1 36\n0.2 7\n")[1]
    assert rows(bandwidth) == [(0, 14), (0.1, 36), (0.2, 7)]
    (wire,) = read(tmp_path, "0 8000000 2.5 10 0\n1 0 0 30 0\n", "conditions")[1]
    assert rows(wire) == [(0, 8, 10, 0.025), (1, 0, 30, 0)]
    (way,) = read(tmp_path, "10 1\n11 2\n", "places", Options(every_s=0.5))[1]
    assert (way.use, rows(way)) == ("way", [(0, 10, 1), (0.5, 11, 2)])
    assert "Say what it is: --as" in refusal(tmp_path, "10 1\n11 2\n")


# Movements


def test_setdest_is_cut_where_a_new_order_comes(tmp_path):
    text = """# a movement
$node_(0) set X_ 10.0
$node_(0) set Y_ 20.0
$node_(0) set Z_ 1.5
$god_ set-dist 0 1 2
$ns_ at 1.0 "$node_(0) setdest 30.0 20.0 5.0"
$ns_ at 2.0 "$node_(1) setdest 0 10 1"
$ns_ at 3.0 "$node_(0) setdest 20.0 30.0 10.0"
"""
    kind, (first, second) = read(tmp_path, text)
    assert kind == "setdest"
    # At 3 s it is at (20, 20), and arrives at (20, 30) a second later.
    assert rows(first) == [(0, 10, 20, 1.5), (1, 10, 20, 1.5), (3, 20, 20, 1.5), (4, 20, 30, 1.5)]
    assert rows(second) == [(2, 0, 0, 0), (12, 0, 10, 0)]
    assert 'position = ["20 m", "30 m", "1.5 m"]' in scenario_lines(first, tmp_path / "x.csv")


COURSES = """now=+0.0ns node=0 pos=10.000:20.000:1.500 vel=0.000:0.000:0.000
now=+0.0ns node=1 pos=0:0:0 vel=-1:0:0
now=+1000000000.0ns node=0 pos=10.000:20.000:1.500 vel=2.000:0.000:0.000
now=+3e+09ns node=0 pos=14.000:20.001:1.500 vel=0.000:5.000:0.000
now=+4e+09ns node=0 pos=0:0:0 vel=0:0:0
"""


def test_courses_of_ns3(tmp_path):
    kind, (first, second) = read(tmp_path, COURSES)
    assert kind == "ns3"
    # At 4 s it would be at (14, 25), and is put to (0, 0).
    assert rows(first) == [
        (0, 10, 20, 1.5),
        (1, 10, 20, 1.5),
        (3, 14, 20.001, 1.5),
        (pytest.approx(4 - 1e-9, abs=1e-12), 14, pytest.approx(25.001), 1.5),
        (4, 0, 0, 0),
    ]
    assert rows(second) == [(0, 0, 0, 0)]
    assert (first.notes, len(second.notes)) == ((), 1)
    # Several changes at one time: the last one counts.
    _, (only,) = read(tmp_path, "now=2s node=7 pos=1:2:3 vel=0:0:0\nnow=+2.0s node=7 pos=4:5:6 vel=0:0:0\n")
    assert (only.name[-5:], rows(only)) == ("node7", [(2, 4, 5, 6)])


# Stations

IW = """1000.0
Station 02:00:00:00:00:01 (on wlan0)
\tinactive time:\t304 ms
\ttx packets:\t100
\ttx retries:\t10
\ttx failed:\t1
\tsignal:  \t-50 [-53, -52] dBm
\ttx bitrate:\t72.2 MBit/s MCS 7 short GI
\trx bitrate:\t(unknown)
1001.5
Station 02:00:00:00:00:01 (on wlan0)
\ttx packets:\t190
\ttx retries:\t18
\ttx failed:\t3
\tsignal:  \t-61 dBm
\ttx bitrate:\t65.0 MBit/s MCS 7
1002.5
Station 02:00:00:00:00:01 (on wlan0)
\ttx packets:\t5
\ttx retries:\t0
\ttx failed:\t0
\tsignal:  \t-62 dBm
"""


def test_station_dumps_of_iw(tmp_path):
    kind, recordings = read(tmp_path, IW)
    to, from_ = recordings
    assert kind == "iw"
    # 90 packets and 8 retries were sent; 8 retries and 2 that were given up followed a loss. Then it came anew.
    assert rows(to) == [(0, 72.2, pytest.approx(10 / 98)), (1.5, 65.0, None)]
    assert rows(from_) == [(0, -50), (1.5, -61)]
    assert to.end_s == 2.5
    assert [made.name for made in recordings] == ["to 02:00:00:00:00:01", "from 02:00:00:00:00:01"]


def test_dumps_without_times_have_an_interval(tmp_path):
    untimed = "".join(line for line in IW.splitlines(keepends=True) if not line[0].isdigit())
    assert "--every" in refusal(tmp_path, untimed)
    _, (to, _) = read(tmp_path, untimed, options=Options(every_s=2))
    assert (to.times_s, to.end_s) == ([0, 2], 4)


def hostapd(signal, rate):
    return (
        "Selected interface 'wlan0'\n02:00:00:00:00:0a\nflags=[AUTH][ASSOC][AUTHORIZED][WMM][HT]\naid=1\n"
        f"rx_packets=12\ntx_packets=34\nsignal={signal}\nrx_rate_info=650 mcs 7 shortGI\n"
        f"tx_rate_info={rate} vhtmcs 3 vhtnss 2\nconnected_time=16\n"
    )


def test_stations_of_hostapd_have_rates_in_hundreds_of_kilobits(tmp_path):
    text = f"5\n{hostapd(-40, 2340)}6\n{hostapd(-41, 260)}7\n{hostapd(-42, 10)}"
    kind, (to, from_) = read(tmp_path, text)
    assert kind == "hostapd"
    assert rows(to) == [(0, 234.0), (1, 26.0)]
    assert rows(from_) == [(0, -40, 65.0), (1, -41, 65.0)]


def test_stations_of_iwinfo(tmp_path):
    text = """1.0
68:2F:67:8B:98:ED  -49 dBm / -95 dBm (SNR 46)  210 ms ago
\tRX: 72.2 MBit/s, MCS 7, 20MHz                  1200 Pkts.
\tTX: 135.0 MBit/s, MCS 6, 40MHz                  900 Pkts.
\texpected throughput: 50.0 MBit/s

1A:61:B4:51:77:F0  unknown / unknown (SNR 0)  70 ms ago
\tRX: unknown                                      768 Pkts.
\tTX: 6.5 MBit/s  13293796 Pkts.
2.0
No station connected
"""
    kind, (weak, to, from_) = read(tmp_path, text)
    assert kind == "iwinfo"
    assert (weak.name, rows(weak)) == ("to 1a:61:b4:51:77:f0", [(0, 6.5)])
    assert (rows(to), rows(from_)) == ([(0, 135.0)], [(0, -49, 72.2)])


def test_clients_of_ubus(tmp_path):
    def dump(signal):
        return (
            '{\n\t"freq": 5260,\n\t"clients": {\n\t\t"68:2f:67:8b:98:ed": {\n\t\t\t"aid": 3,\n'
            '\t\t\t"packets": {"rx": 3587, "tx": 2185},\n\t\t\t"rate": {"rx": 866700, "tx": 780000},\n'
            f'\t\t\t"signal": {signal}\n\t\t}}\n\t}}\n}}\n'
        )

    kind, (to, from_) = read(tmp_path, f"10.5\n{dump(-50)}11.5\n{dump(-51)}13.5\n{dump(-52)}")
    assert kind == "ubus"
    assert (rows(to), rows(from_)) == ([(0, 780), (1, 780)], [(0, -50, 866.7), (1, -51, 866.7)])
    assert "line 4 is not JSON" in refusal(tmp_path, '{"freq": 1,\n"clients": {}}\n{"a": 1,\n]')


# Monitors

TA, RA = "02:00:00:00:00:01", "02:00:00:00:00:02"


def radiotap(*fields):
    """A header with these fields: bit, and layout with values."""
    present = sum(1 << bit for bit, *_ in fields)
    body = struct.pack("<I", present)
    for _, align, layout, *values in fields:
        body += b"\0" * (-(4 + len(body)) % align) + struct.pack(f"<{layout}", *values)
    return struct.pack("<BBH", 0, 0, 4 + len(body)) + body


@pytest.mark.parametrize(
    ("fields", "mbps"),
    [
        ([(2, 1, "B", 108)], 54),
        # 802.11n: MCS 7, 20 MHz, short guard interval; MCS 15 at 40 MHz (802.11-2020, tables 19-27 ff).
        ([(19, 1, "BBB", 7, 4, 7)], 72.22),
        ([(19, 1, "BBB", 7, 1, 15)], 270),
        # 802.11ac: MCS 9, two streams, 80 MHz, short (table 21-37: 866.7).
        ([(21, 2, "HBB4sBBH", 0x44, 4, 4, bytes([0x92, 0, 0, 0]), 0, 0, 0)], 866.67),
        # 802.11ax: MCS 11, one stream, 80 MHz, 0.8 us (table 27-103: 600.5).
        ([(23, 2, "6H", 0x4020, 2, 11 << 8, 0, 2, 1)], 600.49),
        # The same on two space-time streams, and MCS 0 with dual carriers at 20 MHz and 3.2 us (3.6).
        ([(23, 2, "6H", 0x4020, 2, 0x8000 | 11 << 8, 0, 2, 2)], 600.49),
        ([(23, 2, "6H", 0x4020, 2, 0x1000, 0, 2 << 4, 1)], 3.66),
        # Unit of 106 tones, MCS 5, 1.6 us (table 27-59: 28.3).
        ([(23, 2, "6H", 0x4020, 2, 5 << 8, 0, 6 | 1 << 4, 1)], 28.33),
    ],
)
def test_rates_of_radiotap(fields, mbps):
    header = read_radiotap(radiotap((0, 8, "Q", 5), (1, 1, "B", 0x10), *fields))
    assert header.rate_mbps == pytest.approx(mbps, abs=0.01)
    assert header.fcs_at_end
    assert not header.bad_fcs


def test_a_rate_of_which_a_part_is_unknown_is_none():
    for known in ((0x4000, 2), (0x20, 2), (0x4020, 0)):
        assert read_radiotap(radiotap((23, 2, "6H", *known, 11 << 8, 0, 2, 1))).rate_mbps is None


def tlvs(*items):
    """A header of 802.11be: flags, power, then fields with type and length."""
    plain = radiotap((1, 1, "B", 0), (5, 1, "b", -51))[8:]
    body = struct.pack("<I", 1 << 1 | 1 << 5 | 1 << 28) + plain
    body += b"\0" * (-(4 + len(body)) % 4)
    for kind, data in items:
        body += struct.pack("<HH", kind, len(data)) + data + b"\0" * (-len(data) % 4)
    return struct.pack("<BBH", 0, 0, 4 + len(body)) + body


def eht(known, words, *users):
    """The field 34: known, nine words of data, users."""
    data = {0: 0, 1: 0, **words}
    return 34, struct.pack("<10I", known, *(data.get(n, 0) for n in range(9))) + struct.pack(
        f"<{len(users)}I", *users
    )


def user(mcs, streams, own=0x80):
    return 0x12 | own | mcs << 20 | streams << 24


def u_sig(width, kind=None):
    value, mask = (0, 0) if kind is None else (kind << 6, 3 << 6)
    return 33, struct.pack("<III", 2 | width << 15, value, mask)


GUARD = 0x4


# Rates of 802.11be, 36.5: MCS 13, 320 MHz, two streams, 0.8 us: 5764.7; MCS 11, 20 MHz, 3.2 us: 121.9;
# MCS 15, 80 MHz, 0.8 us: 18.0; a unit of 996+484 tones, MCS 9: 3.2 us: 603.3.
@pytest.mark.parametrize(
    ("fields", "mbps"),
    [
        ([u_sig(4), eht(GUARD, {}, user(13, 2))], 5764.7),
        ([eht(GUARD, {0: 2 << 7}, user(11, 1)), u_sig(0, kind=1)], 121.9),
        ([u_sig(2, kind=1), eht(GUARD, {}, user(15, 1))], 18.0),
        ([u_sig(3, kind=0), eht(GUARD | 0x400000, {0: 2 << 7, 1: 11}, user(9, 1))], 603.3),
        # Of several users that of which the frame is, and one alone.
        ([u_sig(0), eht(GUARD, {}, user(0, 1, own=0), user(7, 1))], 86.0),
        ([u_sig(0), eht(GUARD, {}, user(7, 1, own=0))], 86.0),
        # Divided between users without the unit, no width, no guard interval, MCS 14, no user.
        ([u_sig(3, kind=0), eht(GUARD, {}, user(9, 1))], None),
        ([eht(GUARD, {}, user(9, 1))], None),
        ([u_sig(0), eht(0, {}, user(9, 1))], None),
        ([u_sig(2), eht(GUARD, {}, user(14, 1))], None),
        ([u_sig(2), eht(GUARD, {})], None),
    ],
)
def test_rates_of_fields_with_type_and_length(fields, mbps):
    header = read_radiotap(tlvs(*fields))
    assert header.signal_dbm == -51
    assert header.rate_mbps == (None if mbps is None else pytest.approx(mbps, abs=0.05))


def test_fields_with_a_length_may_lack_their_end_and_may_not_be_cut():
    he = struct.pack("<6H", 0x4020, 2, 11 << 8, 0, 2, 1)
    assert read_radiotap(tlvs((28, b""), (23, he))).rate_mbps == pytest.approx(600.49, abs=0.01)
    assert read_radiotap(tlvs((23, he[:4]))).rate_mbps is None
    whole = tlvs(u_sig(4), eht(GUARD, {}, user(13, 2)))
    for length in range(16, len(whole) - 4, 4):
        cut = whole[:2] + struct.pack("<H", length) + whole[4:length]
        assert read_radiotap(cut) is None or read_radiotap(cut).rate_mbps is None


def test_radiotap_of_several_antennas_has_the_power_of_all():
    words = struct.pack("<II", 1 << 5 | 1 << 29 | 1 << 31, 1 << 5 | 1 << 11)
    header = struct.pack("<BBH", 0, 0, 15) + words + struct.pack("<bbB", -40, -45, 1)
    assert read_radiotap(header).signal_dbm == -40
    assert read_radiotap(header[:12]) is None


def capture(frames):
    """A pcap of data frames: time in ms, dBm, rate in 500 kbit/s, retry, bad FCS."""
    content = struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 127)
    for ms, dbm, rate, retry, bad in frames:
        fields = [(1, 1, "B", 0x40 if bad else 0), (2, 1, "B", rate), (5, 1, "b", dbm)]
        addresses = bytes.fromhex((RA + TA + RA).replace(":", ""))
        packet = radiotap(*fields) + bytes([0x88, 0x08 if retry else 0, 0, 0]) + addresses + bytes(4)
        content += struct.pack("<IIII", 0, ms * 1000, len(packet), len(packet)) + packet
    return content


def test_a_monitor_hears_power_rate_and_retries(tmp_path):
    frames = [
        (0, -50, 108, False, False),
        (10, -50, 96, True, False),
        (20, -50, 48, False, False),
        (30, -10, 2, True, True),
        (250, -60, 12, False, False),
    ]
    kind, (made,) = read(tmp_path, capture(frames))
    assert (kind, made.name, made.use) == ("monitor", f"{TA} to {RA}", "link")
    assert rows(made) == [(0, -50, 48, pytest.approx(1 / 3)), (0.1, None, None, None), (0.2, -60, 6, 0)]
    assert made.notes == ("1 frames of the capture had a wrong FCS and are left out",)
    _, (long,) = read(tmp_path, capture(frames), options=Options(step_s=1))
    # Three of -50 and one of -60 dBm: 10 lg((3e-5 + 1e-6) / 4).
    assert rows(long) == [(0, pytest.approx(-51.107, abs=1e-3), 36, 0.25)]


# Measurements


def test_intervals_of_iperf3(tmp_path):
    def stream(start, bits):
        return f'{{"socket": 5, "start": {start}, "end": {start + 1}, "bytes": 1, "bits_per_second": {bits}}}'

    parts = ", ".join(f'{{"streams": [{stream(n, 1e6 * (n + 1))}]}}' for n in range(3))
    text = f'{{"start": {{"connected": []}}, "intervals": [{parts}], "end": {{}}}}'
    kind, (made,) = read(tmp_path, text)
    assert (kind, made.use, rows(made)) == ("iperf3", "wire", [(0, 1), (1, 2), (2, 3)])
    assert made.end_s == 3


def iperf3_udp(*options):
    """What iperf3 says of a second of UDP over loopback, as JSON."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    server = subprocess.Popen(["iperf3", "-s", "-1", "-p", port], stdout=subprocess.DEVNULL)
    command = ["iperf3", "-c", "127.0.0.1", "-p", port, "-u", "-b", "4M", "-t", "1", "-i", "0.25", "-J"]
    for _ in range(50):
        done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
        if '"error"' not in done.stdout:
            break
        time.sleep(0.1)
    server.wait(timeout=10)
    return done.stdout


def test_udp_of_iperf3_has_losses_where_they_are_known(tmp_path):
    told = json.loads(iperf3_udp("-R"))
    interval = told["intervals"][1]
    for part in (interval["sum"], interval["streams"][0]):
        part.update(lost_packets=part["packets"] // 4, lost_percent=25)
    kind, (made,) = read(tmp_path, json.dumps(told))
    shares = [part["sum"]["lost_packets"] / part["sum"]["packets"] for part in told["intervals"]]
    assert kind == "iperf3"
    assert made.columns["loss"] == pytest.approx(shares)
    assert made.columns["rate_mbps"] == pytest.approx(
        [part["sum"]["bits_per_second"] / 1e6 for part in told["intervals"]]
    )
    # The sender counts packets, and no losses.
    _, (sent,) = read(tmp_path, iperf3_udp())
    assert list(sent.columns) == ["rate_mbps"]


def test_intervals_of_iperf2(tmp_path):
    kind, (tcp, *_) = read(tmp_path, (FOREIGN / "iperf2-tcp-server.csv").read_bytes())
    assert (kind, tcp.use, list(tcp.columns)) == ("iperf2", "wire", ["rate_mbps"])
    _, (udp,) = read(tmp_path, (FOREIGN / "iperf2-udp-server.csv").read_bytes())
    # Two intervals of half a second; the line of the whole transfer is none.
    assert rows(udp) == [(0, 10.44288, 0), (0.5, 10.56048, 0)]
    assert udp.end_s == 1
    lossy = (FOREIGN / "iperf2-udp-server.csv").read_text().replace("0,449,0.000", "45,449,10.022")
    _, (made,) = read(tmp_path, lossy)
    assert made.columns["loss"] == [0, 45 / 449]


def test_series_of_flent(tmp_path):
    told = {
        "metadata": {"NAME": "rrul", "DATA_FILENAME": "x"},
        "version": 4,
        "x_values": [0.0, 0.2, 0.4],
        "results": {
            "TCP download": [10.5, None, 11.5],
            "Ping (ms) ICMP": [20.0, 22.0, 30.0],
            "CPU": [1, 2, 3],
        },
        "raw_values": {},
    }
    units = {"TCP download": "Mbits/s", "Ping (ms) ICMP": "ms", "CPU": "load"}
    told["metadata"]["SERIES_META"] = {name: {"UNITS": unit} for name, unit in units.items()}
    kind, made = read(tmp_path, json.dumps(told))
    assert kind == "flent"
    by_name = {each.name: each for each in made}
    assert rows(by_name["TCP download"]) == [(0, 10.5), (0.2, None), (0.4, 11.5)]
    assert rows(by_name["Ping (ms) ICMP"]) == [(0, 10), (0.2, 11), (0.4, 15)]
    assert "CPU" not in by_name
    assert by_name["Ping (ms) ICMP"].end_s == pytest.approx(0.6)
    told["results"]["TCP download"].pop()
    assert "has 2 values" in refusal(tmp_path, json.dumps(told))


def test_ping_is_half_of_the_rtt_and_a_loss(tmp_path):
    text = "PING h1 (10.0.0.3) 56(84) bytes of data.\n" + "".join(
        f"64 bytes from 10.0.0.3: icmp_seq={n} ttl=63 time={ms} ms\n" for n, ms in ((1, 2.0), (3, 5.0))
    )
    kind, (made,) = read(tmp_path, text)
    assert (kind, rows(made)) == ("ping", [(0, 1.0, 0.0), (1, None, 1.0), (2, 2.5, 0.0)])


# Files that scenarios read


def test_what_is_written_is_what_scenarios_read(tmp_path):
    _, (there, back) = read(tmp_path, "0.000 20.5 14.0ms 0\n0.015 20.5 14.0ms 0\n0.030 0 50ms 1\n")
    file = tmp_path / "x.csv"
    file.write_text(trace_text(there))
    empty = {"rate_bps": None, "delay_ns": None, "loss": None}
    assert read_wire_points(file, "x") == [
        {"time_ns": 0, "rate_bps": 20_500_000, "delay_ns": 7_000_000, "loss": 0},
        {"time_ns": 30_000_000, "rate_bps": 0, "delay_ns": 25_000_000, "loss": 1},
        {"time_ns": 45_000_000, **empty},
    ]
    file.write_text(trace_text(read(tmp_path, IW)[1][1]))
    assert [point["rssi_dbm"] for point in read_points(file, "x")] == [-50, -61, None]
    assert trace_text(back).splitlines()[0] == "time_s,delay_ms"


def test_the_command_writes_files_and_lines(tmp_path):
    (tmp_path / "a.log").write_text("0.000 20.5 14.0ms 0\n0.015 20.5 14.0ms 0\n0.030 1 50ms 1\n")
    said = airtcp("trace", "a.log", "-o", "t.csv", cwd=tmp_path).stdout
    assert sorted(file.name for file in tmp_path.glob("*.csv")) == ["t-a-back.csv", "t-a.csv"]
    assert 'trace = { file = "t-a.csv", repeat = true }' in said
    assert "delay_ms           7         7         7        25        25" in said


# Damaged files

GOOD = {
    "mahimahi": "1\n1\n2\n5\n",
    "hairpin": "0.000 20.59 14.0ms 0.00\n0.015 20.59 13.0ms 0.00\n",
    "rates": "1 5\n2 6\n3 4\n",
    "rssi": "1 -50\n2 -51\n",
    "conditions": "0 8000000 2.5 10 0\n1 0 0 30 0\n",
    "places": "10 1\n11 2\n",
    "setdest": '$node_(0) set X_ 1\n$ns_ at 1.0 "$node_(0) setdest 3 2 5"\n',
    "ns3": COURSES,
    "iw": IW,
    "hostapd": f"5\n{hostapd(-40, 2340)}6\n{hostapd(-41, 260)}",
}


@pytest.mark.parametrize(
    ("kind", "text", "told"),
    [
        ("mahimahi", "1\n3\n2\n", "line 3 has a time that falls"),
        ("mahimahi", "1\n2.5\n", "line 2 is no whole number of milliseconds"),
        ("mahimahi", "0\n0\n", "line 2 is the last one, and at 0 ms"),
        ("hairpin", "0 1 2ms 0\n1 1 2ms\n", "line 2 has 3 values instead of 4"),
        ("hairpin", "0 1 2ms 0\n1 1 2ms 1.5\n", "line 2 has 1.5, which is not from -1 to 1"),
        ("rates", "0 1\n1 x\n", 'line 2 has "x", which is no number'),
        ("rates", "0 1\n\n0 2\n", "line 3 has a time that does not rise"),
        ("rates", "0 nan\n", 'line 1 has "nan", which is no number'),
        ("rates", "0 1\n", "line 1 is the only one"),
        ("rssi", "0 -50\n1 -500\n", "line 2 has -500, which is not from -200 to 60"),
        ("conditions", "0 1 101 2 3\n", "line 1 has 101, which is not from 0 to 100"),
        ("places", "1 2\n1 2 3\n", "line 2 has 3 values instead of 2"),
        ("setdest", '$node_(0) set X_ 1\n$ns_ at 1.0 "$node_(0) goto 3 2"\n', "line 2 is no order"),
        (
            "setdest",
            '$ns_ at 2.0 "$node_(0) setdest 3 2 5"\n$node_(0) set X_ 1\n',
            "line 2 has a time that falls",
        ),
        ("ns3", COURSES.replace("+3e+09ns", "+3e+08ns"), "line 4 has a time that falls"),
        ("ns3", COURSES.replace("14.000:20.001:1.500", "14.000:20.001"), "line 4 is not about a course"),
        ("ns3", COURSES.replace("10.000:", "1e9:"), "line 1 has 1e9 m, which is more than"),
        ("ns3", COURSES.replace("vel=-1:", "vel=-1e9:"), "line 2 has a velocity of -1e9:0:0 m/s"),
        ("iw", IW.replace("tx packets:\t190", "tx packets:\t19x"), 'line 12 has "19x" where a count'),
        ("iw", IW.replace("1001.5\n", "999\n"), "is after a time that does not rise"),
        ("hostapd", f"5\n{hostapd(-40, 'x')}", 'has "x" where a number is expected'),
        ("rates", b"\xff\xfe1 2\n", "line 1 is not text in UTF-8"),
    ],
)
def test_a_damaged_file_is_refused_with_its_line(tmp_path, kind, text, told):
    assert told in refusal(tmp_path, text, kind)


@pytest.mark.parametrize("kind", GOOD)
def test_whatever_is_damaged_is_read_or_refused(tmp_path, kind):
    """Random changes of a good file give recordings that scenarios read, or an error; never a traceback."""
    randomly = random.Random(kind)
    good = GOOD[kind].encode()
    for _ in range(300):
        content = bytearray(good)
        for _ in range(randomly.randint(1, 4)):
            place = randomly.randrange(len(content) + 1)
            content[place : place + randomly.randint(0, 3)] = randomly.choice(
                [b"", b"\n", b"-", b"9" * 40, b"1e999", b"nan", b"\0", b" ", b"\xff", b":", b"="]
            )
        _survives(tmp_path, bytes(content), kind)


def test_a_damaged_capture_is_read_or_refused(tmp_path):
    randomly = random.Random(1)
    good = capture([(n, -50, 108, n % 3 == 0, False) for n in range(20)])
    for _ in range(500):
        content = bytearray(good[: randomly.randint(1, len(good))])
        for _ in range(randomly.randint(0, 5)):
            content[randomly.randrange(len(content))] = randomly.randrange(256)
        _survives(tmp_path, bytes(content), "monitor")


def _survives(folder, content, kind):
    try:
        _, recordings = read(folder, content or b"\n", kind, Options(every_s=1.0))
    except AirtcpError:
        return
    for made in recordings:
        assert made.times_s == sorted(made.times_s)
        assert made.end_s >= made.times_s[-1]
        assert trace_text(made).startswith("time_s,")
        assert scenario_lines(made, folder / "x.csv").startswith("[")


def test_every_kind_is_listed():
    said = airtcp("trace", "--kinds").stdout
    assert [line.split()[0] for line in said.splitlines()] == list(KINDS)
