"""Measurements of other programs: real files of theirs, held against what they and tshark say themselves."""

import gzip
import json
import re
import struct
import subprocess
import time
from pathlib import Path

import airtcp
import dpkt
import pytest
from airtcp.data.export.flent import flent_data, write_flent
from airtcp.data.run_folder import open_run
from airtcp.errors import AirtcpError
from support.foreign_file import read, refusal

FILES = Path(__file__).parent / "foreign"
CAPTURE = FILES / "loopback.pcap"
S = 1_000_000_000


# ping


def test_ping_of_iputils_with_times():
    pings = airtcp.load(FILES / "iputils-ping.txt").frame("pings")
    assert pings["sequence"].to_list() == [0, 1, 2, 3]
    assert pings["rtt_ns"].to_list() == [32_000, 42_000, 35_000, 36_000]
    assert pings["unix_ns"].to_list()[0] == 1_795_357_461_549_036_000


def test_ping_of_busybox():
    measured = airtcp.load(FILES / "busybox-ping.txt")
    text = (FILES / "busybox-ping.txt").read_text()
    rtts = [round(float(ms) * 1e6) for ms in re.findall(r"time=([\d.]+)", text)]
    assert measured.frame("pings")["rtt_ns"].to_list() == rtts
    assert measured.frame("pings")["sequence"].to_list() == [0, 1, 2]
    assert measured.about["address"] == "127.0.0.1"


HEAD = "PING h1 (10.0.0.3) 56(84) bytes of data.\n"


def answer(sequence, ms="1.5", more=""):
    return f"64 bytes from 10.0.0.3: icmp_seq={sequence} ttl=63 time={ms} ms{more}\n"


def counts(sent, received, more=""):
    return f"\n--- h1 ping statistics ---\n{sent} packets transmitted, {received} received{more}, 0% packet loss\n"


def test_lost_requests_are_known_from_gaps_and_the_count(tmp_path):
    late = "From 10.0.0.1 icmp_seq=3 Destination Host Unreachable\nno answer yet for icmp_seq=4\n"
    text = (
        HEAD
        + answer(2)
        + late
        + answer(5, "1002")
        + answer(5, "1003", " (DUP!)")
        + counts(7, 2, ", +1 duplicates")
    )
    pings = read(tmp_path, text).frame("pings")
    assert pings["rtt_ns"].to_list() == [-1, 1_500_000, -1, -1, 1_002_000_000, -1, -1]
    assert pings["duplicates"].to_list() == [0, 0, 0, 0, 1, 0, 0]


def test_sequence_numbers_wrap(tmp_path):
    text = HEAD + "".join(answer(number % 65536) for number in range(1, 65_540)) + counts(65_539, 65_539)
    pings = read(tmp_path, text).frame("pings")
    assert pings["sequence"].to_list() == list(range(65_539))
    assert (pings["rtt_ns"] == 1_500_000).all()


def test_a_killed_ping_is_told(tmp_path):
    measured = read(tmp_path, HEAD + answer(1) + answer(3))
    assert measured.frame("pings")["rtt_ns"].to_list() == [1_500_000, -1, 1_500_000]
    assert "may be missing at the end" in measured.warnings[0]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (HEAD + answer(1) + counts(5, 5), "1 answers and its statistics count 5 of 5"),
        (HEAD + answer(9) + counts(5, 1), "1 answers and its statistics count 1 of 5"),
        (HEAD + answer(1)[:-4], "last line is cut"),
        (HEAD + "64 bytes from 10.0.0.3: icmp_seq=1 ttl=63 time=fast ms\n", "line 2"),
        (HEAD, "neither answers nor statistics"),
    ],
)
def test_ping_text_that_is_not_whole(tmp_path, text, why):
    assert why in refusal(tmp_path, text)


def test_a_real_ping_of_now(tmp_path):
    text = subprocess.run(
        ["ping", "-c", "3", "-i", "0.01", "127.0.0.1"], capture_output=True, text=True, check=True
    )
    rtts = read(tmp_path, text.stdout).frame("pings")["rtt_ns"].to_numpy() / 1e6
    low, mean, high = (float(x) for x in re.search(r"= ([\d.]+)/([\d.]+)/([\d.]+)/", text.stdout).groups())
    # A line has three significant digits, but no more than three decimals; the summary has three decimals.
    assert (rtts.min(), rtts.max()) == (pytest.approx(low, rel=5e-3), pytest.approx(high, rel=5e-3))
    assert rtts.mean() == pytest.approx(mean, rel=5e-3, abs=1e-3)


# iperf 2


def test_iperf2_server_with_three_transfers():
    lines = airtcp.load(FILES / "iperf2-tcp-server.csv").frame("intervals")
    totals = lines.filter(lines["kind"] == "total")
    assert totals["bytes"].to_list() == [2_851_078_204, 2_886_074_428, 2_332_557_372, 3_057_647_676]
    # iperf2's own intervals add up to its totals within what it read after the last interval
    parts = lines.filter(lines["kind"] == "interval")
    assert parts["end_ns"].to_list()[:2] == [S // 2, S]
    for row in totals.iter_rows(named=True):
        own = parts.filter(
            (parts["transfer"] == row["transfer"]) & (parts["source_port"] == row["source_port"])
        )
        assert own["bytes"].sum() == pytest.approx(row["bytes"], rel=0.01)


def test_iperf2_udp():
    total = airtcp.load(FILES / "iperf2-udp-server.csv").frame("intervals").row(-1, named=True)
    told = {
        key: total[key]
        for key in ("kind", "bytes", "rate_bps", "jitter_ms", "lost", "packets", "out_of_order")
    }
    assert told == {
        "kind": "total",
        "bytes": 1_315_650,
        "rate_bps": 10_508_512.0,
        "jitter_ms": 0.002,
        "lost": 0,
        "packets": 895,
        "out_of_order": 0,
    }
    assert airtcp.load(FILES / "iperf2-tcp-enhanced.csv").frame("intervals").height == 6


NAMED = (
    "time,srcaddress,srcport,dstaddr,dstport,transferid,istart,iend,bytes,speed,"
    "writecnt,writeerr,tcpretry,tcpcwnd,tcppcwnd,tcprtt,tcprttvar\n"
    "-0800:20260218111259.511098,10.1.0.2,51018,10.2.0.2,5001,4,0.0,1.0,76073032,608584256,582,0,3,2975,2104,58228,1847\n"
)
UNKNOWN = "+0000:20240908113035.128,192.0.2.3,58256,192.0.2.4,5001,1,0.0-1.0,5220466748,41763733984,-1,-1,-1,-1,0,0\n"


def test_iperf2_with_what_tcp_tells(tmp_path):
    row = read(tmp_path, NAMED).frame("intervals").row(0, named=True)
    assert (row["retransmits"], row["cwnd_bytes"], row["rtt_us"], row["rttvar_us"]) == (
        3,
        2975 * 1024,
        58_228,
        1847,
    )
    # 2104 segments of 1448 bytes are that window
    assert row["cwnd_bytes"] == pytest.approx(2104 * 1448, rel=1e-3)
    row = read(tmp_path, UNKNOWN).frame("intervals").row(0, named=True)
    assert [row[key] for key in ("retransmits", "cwnd_bytes", "rtt_us", "rttvar_us")] == [None] * 4
    assert row["bytes"] == 5_220_466_748


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (NAMED[:-8], "last line is cut"),
        (NAMED.replace(",1847", ""), "line 2 has 16 fields"),
        (NAMED.replace("58228", "fast"), "line 2 has something else"),
        (UNKNOWN + "iperf: done\n", "line 2 is not one of iperf2's"),
        (NAMED.splitlines()[0] + "\n", "no line of numbers"),
    ],
)
def test_iperf2_that_is_not_whole(tmp_path, text, why):
    assert why in refusal(tmp_path, text)


# iperf3


@pytest.fixture(scope="module")
def iperf3_json():
    """A second of two streams over loopback, as iperf3 tells it now."""
    server = subprocess.Popen(["iperf3", "-s", "-1", "-p", "5297"], stdout=subprocess.DEVNULL)
    command = [
        "iperf3",
        "-c",
        "127.0.0.1",
        "-p",
        "5297",
        "-t",
        "1",
        "-i",
        "0.25",
        "-P",
        "2",
        "-b",
        "50M",
        "-J",
    ]
    for _ in range(50):
        done = subprocess.run(command, capture_output=True, check=False)
        if b'"error"' not in done.stdout:
            break
        time.sleep(0.1)
    server.wait(timeout=10)
    return done.stdout


def test_iperf3_adds_up_to_its_own_sums(tmp_path, iperf3_json):
    told = json.loads(iperf3_json)
    measured = read(tmp_path, iperf3_json)
    assert measured.about["protocol"] == "TCP"
    intervals, streams = measured.frame("intervals"), measured.frame("streams")
    assert intervals["bytes"].sum() == told["end"]["sum_sent"]["bytes"] == measured.about["sent_bytes"]
    assert measured.frame("sums")["bytes"].to_list() == [part["sum"]["bytes"] for part in told["intervals"]]
    assert streams["bytes_received"].sum() == told["end"]["sum_received"]["bytes"]
    assert intervals.filter(intervals["stream"] == 1)["bytes"].sum() == streams["bytes_sent"][1]
    first = told["intervals"][0]["streams"][0]
    row = intervals.row(0, named=True)
    assert (row["rtt_us"], row["cwnd_bytes"]) == (first["rtt"], first["snd_cwnd"])
    assert row["end_ns"] == round(first["end"] * 1e9)


def test_iperf3_that_is_not_whole(tmp_path, iperf3_json):
    for part in (0.3, 0.7, 0.99):
        assert "not JSON to its end" in refusal(tmp_path, iperf3_json[: int(len(iperf3_json) * part)])
    told = json.loads(iperf3_json)
    told["intervals"][1]["streams"][0]["bytes"] += 1
    assert "do not add up" in refusal(tmp_path, json.dumps(told))
    del told["intervals"][1]["streams"][0]["bits_per_second"]
    told["intervals"][1]["streams"][0]["bytes"] -= 1
    assert "bits_per_second" in refusal(tmp_path, json.dumps(told))
    failed = {"start": {}, "intervals": [], "end": {}, "error": "unable to connect to server"}
    assert "iperf3 failed: unable to connect" in refusal(tmp_path, json.dumps(failed))


# pcap


def tshark(file, *fields):
    wanted = [option for field in fields for option in ("-e", field)]
    command = [
        "tshark",
        "-r",
        str(file),
        "-Y",
        "tcp",
        "-T",
        "fields",
        *wanted,
        "-o",
        "tcp.relative_sequence_numbers:false",
    ]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [line.split("\t") for line in out.splitlines()]


FIELDS = ("frame.number", "frame.time_epoch", "tcp.stream", "tcp.seq_raw", "tcp.len", "ip.len", "tcp.flags")


def as_tshark_sees(file):
    """Our columns, from tshark's fields."""
    rows = []
    for number, epoch, stream, sequence, payload, ip_bytes, flags in tshark(file, *FIELDS):
        seconds, _, fraction = epoch.partition(".")
        time_ns = int(seconds) * S + int(fraction.ljust(9, "0"))
        rows.append(
            (int(number), time_ns, int(stream), int(sequence), int(payload), int(ip_bytes), int(flags, 16))
        )
    return rows


OURS = ("number", "time_ns", "flow", "sequence", "payload_bytes", "bytes", "flags")


def test_a_capture_is_what_tshark_sees():
    measured = airtcp.load(CAPTURE)
    assert measured.frame("packets").select(OURS).rows() == as_tshark_sees(CAPTURE)
    assert measured.about == {"frames": 27, "not_tcp": 4}
    first, second = measured.frame("flows").iter_rows(named=True)
    assert (first["client_payload_bytes"], first["server_payload_bytes"]) == (120_000, 300)
    assert (second["client_distinct_bytes"], second["server_port"]) == (7001, 5290)
    assert (first["handshake_ns"], second["handshake_ns"]) == (35_810, 12_001)


@pytest.mark.parametrize("form", ["pcapng", "nsecpcap", "pcap"])
def test_forms_of_captures(tmp_path, form):
    file = tmp_path / "capture"
    subprocess.run(["editcap", "-F", form, str(CAPTURE), str(file)], check=True)
    assert airtcp.load(file).frame("packets").select(OURS).rows() == as_tshark_sees(file)


def ethernet(payload=b"", source=1, sequence=100, flags=0x10, tos=0):
    a, b = b"\x0a\x00\x00\x01", b"\x0a\x00\x00\x02"
    ports = (1000, 2000) if source == 1 else (2000, 1000)
    tcp = dpkt.tcp.TCP(sport=ports[0], dport=ports[1], seq=sequence % 2**32, ack=7, flags=flags, data=payload)
    ends = (a, b) if source == 1 else (b, a)
    ip = dpkt.ip.IP(src=ends[0], dst=ends[1], p=6, data=tcp, tos=tos)
    ip.len = len(ip)
    return bytes(dpkt.ethernet.Ethernet(src=b"\0" * 6, dst=b"\0" * 6, data=ip))


def capture(tmp_path, frames, name="made.pcap", **options):
    file = tmp_path / name
    with file.open("wb") as out:
        writer = dpkt.pcap.Writer(out, nano=True, **options)
        for number, frame in enumerate(frames):
            writer.writepkt(frame, ts=number)
    return file


def test_what_was_sent_again_counts_once(tmp_path):
    near = 2**32 - 1500
    frames = [
        ethernet(b"a" * 1000, sequence=near),
        ethernet(b"b" * 1000, sequence=near + 2000),
        ethernet(b"a" * 1000, sequence=near + 1000, tos=3),
        ethernet(b"a" * 1000, sequence=near),
        ethernet(b"r" * 10, source=2, sequence=5),
    ]
    measured = airtcp.load(capture(tmp_path, frames))
    (flow,) = measured.frame("flows").iter_rows(named=True)
    assert (flow["client"], flow["client_port"], flow["server_port"]) == ("10.0.0.1", 1000, 2000)
    assert (flow["client_payload_bytes"], flow["client_distinct_bytes"]) == (4000, 3000)
    assert (flow["client_packets"], flow["server_packets"], flow["server_payload_bytes"]) == (4, 1, 10)
    assert flow["syn_ns"] is None
    assert measured.frame("packets")["ce"].to_list() == [False, False, True, False, False]
    assert measured.frame("packets")["direction"].to_list() == [0, 0, 0, 0, 1]


def test_a_capture_cut_anywhere_is_damaged(tmp_path):
    whole = CAPTURE.read_bytes()
    subprocess.run(["editcap", "-F", "pcapng", str(CAPTURE), str(tmp_path / "ng")], check=True)
    for content in (whole, (tmp_path / "ng").read_bytes()):
        rows = airtcp.load(CAPTURE).frame("packets").rows()
        for length in range(4, len(content), 37):
            try:
                found = read(tmp_path, content[:length]).frame("packets").rows()
            except AirtcpError as error:
                why = str(error)
            else:
                # cut between two packets: all that is there is right
                why = (
                    "is damaged"
                    if found == rows[: len(found)] and len(found) < len(rows)
                    else "wrong numbers"
                )
            assert "is damaged" in why


def test_captures_that_hold_no_packets(tmp_path):
    message = refusal(tmp_path, capture(tmp_path, [b"\0" * 60], linktype=127).read_bytes())
    assert "capture of the air" in message
    assert "tshark" in message
    assert "link type 195" in refusal(tmp_path, capture(tmp_path, [b"\0" * 60], linktype=195).read_bytes())


# Flent


def test_flent_round_trip(tmp_path, run_folder):
    run = open_run(run_folder)
    file = tmp_path / "any-name"
    write_flent(run, file)
    measured = airtcp.load(file)
    told = flent_data(run)
    assert json.loads(gzip.decompress(file.read_bytes())) == told
    series = measured.frame("series")
    for name, values in told["results"].items():
        own = series.filter(series["series"] == name)
        assert own["value"].to_list() == values
        assert own["time_ns"].to_list() == [round(x * 1e9) for x in told["x_values"]]
    rates = series.filter(series["series"] == "TCP upload::1")["value"].drop_nulls()
    assert rates.to_list() == pytest.approx([8.0] * len(rates), rel=1e-3)
    raw = measured.frame("raw")
    cwnd = raw.filter((raw["series"] == "TCP upload::1") & (raw["key"] == "tcp_cwnd"))
    assert cwnd["value"].to_list() == run.flow_samples(0)["cwnd"].to_list()
    assert cwnd["unix_ns"].to_list() == run.flow_samples(0)["time_ns"].to_list()
    pings = raw.filter((raw["series"] == "Ping (ms) ICMP") & (raw["key"] == "val"))
    assert pings.height == 49
    assert set(pings["value"]) == {20.0}
    assert (measured.about["version"], measured.about["test"]) == (4, "tcp_nup")
    write_flent(run, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == file.read_bytes()


def test_flent_that_is_not_whole(tmp_path, run_folder):
    told = flent_data(open_run(run_folder))
    whole = gzip.compress(json.dumps(told).encode())
    for part in (0.5, 0.9, 0.999):
        assert "to its end" in refusal(tmp_path, whole[: int(len(whole) * part)])
    assert "version 5 is not known" in refusal(tmp_path, json.dumps({**told, "version": 5}))
    short = {**told, "results": {"x": [1.0]}}
    assert "series x has 1 values at" in refusal(tmp_path, json.dumps(short))
    assert "is not a number" in refusal(
        tmp_path,
        json.dumps({**told, "x_values": [], "results": {}}).replace('"x_values": []', '"x_values": [NaN]'),
    )


# all


def test_what_is_no_measurement(tmp_path):
    assert "is empty" in refusal(tmp_path, b"")
    for content in (
        b"hello\n",
        b"\x00" * 100,
        b"{}",
        b"[1, 2]",
        b"PAR1" + b"\x00" * 20,
        gzip.compress(b"no"),
        b"a,b\n1,2\n",
    ):
        assert "has an unknown format" in refusal(tmp_path, content)
    with pytest.raises(AirtcpError, match="there is no such file"):
        airtcp.load(tmp_path / "none")
    with pytest.raises(AirtcpError, match='ping text has no frame "flows"'):
        airtcp.load(FILES / "iputils-ping.txt").frame("flows")


def test_names_do_not_matter(tmp_path):
    measured = read(tmp_path, CAPTURE.read_bytes(), "ping.txt")
    assert measured.format == "capture"
    assert struct.unpack("<I", CAPTURE.read_bytes()[:4])[0] == 0xA1B23C4D


def test_pandas_on_request():
    frame = airtcp.load(FILES / "iputils-ping.txt").pandas("pings")
    assert frame["rtt_ns"].tolist() == [32_000, 42_000, 35_000, 36_000]
