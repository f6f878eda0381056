"""Readers of formats of other programs: real output of theirs, made-up files, and damage that is refused."""

import gzip
import json
import re
from pathlib import Path

import airtcp
import pytest
from support.foreign_file import read, refusal

FILES = Path(__file__).parent / "foreign"
MS = 1_000_000


# irtt


def test_irtt():
    measured = airtcp.load(FILES / "irtt.json")
    trips, said = measured.frame("round_trips"), json.loads((FILES / "irtt.json").read_text())
    assert measured.format == "irtt JSON"
    assert trips["rtt_ns"].min() == said["stats"]["rtt"]["min"]
    assert trips["rtt_ns"].mean() == pytest.approx(said["stats"]["rtt"]["mean"], abs=1)
    assert trips["time_ns"][0] == 0
    assert trips["time_ns"][9] == pytest.approx(180 * MS, rel=0.02)
    assert measured.about["interval_ns"] == 20 * MS


def irtt(trips: list[tuple[str, int | None]]) -> bytes:
    """The output of irtt with these packets: lost or not, and the round-trip time."""
    made = {
        "version": {"irtt": "0.9.0", "protocol": 1, "json_format": 1},
        "config": {"params": {"duration": 40 * MS, "interval": 20 * MS, "length": 100}},
        "stats": {"packets_sent": len(trips), "packets_received": sum(lost == "false" for lost, _ in trips)},
        "round_trips": [
            {
                "seqno": number,
                "lost": lost,
                "timestamps": {"client": {"send": {"wall": 10**18, "monotonic": 7 + 20 * MS * number}}},
                "delay": {} if rtt is None else {"rtt": rtt, "send": rtt // 2, "receive": rtt // 2},
            }
            for number, (lost, rtt) in enumerate(trips)
        ],
    }
    return json.dumps(made).encode()


PLAIN = irtt([("false", 2_000_000), ("true", None), ("true_down", None), ("false", 2_100_000)])


def test_irtt_with_losses_compressed(tmp_path):
    trips = read(tmp_path, gzip.compress(PLAIN)).frame("round_trips")
    assert trips["rtt_ns"].to_list() == [2_000_000, -1, -1, 2_100_000]
    assert trips["lost"].to_list() == ["no", "somewhere", "down", "no"]
    assert trips["time_ns"].to_list() == [0, 20 * MS, 40 * MS, 60 * MS]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (gzip.compress(PLAIN)[:-30], "its gzip stream is cut after"),
        (gzip.compress(PLAIN)[:-30], "irtt JSON (-o), by its beginning"),
        (gzip.compress(PLAIN) + gzip.compress(PLAIN)[200:], "follow the end of its gzip stream at byte"),
        (gzip.compress(PLAIN)[:-8] + b"\1" * 8, "can't be unpacked"),
        (PLAIN[:-40], "it is not JSON to its end"),
        (PLAIN.replace(b'"packets_sent": 4', b'"packets_sent": 5'), "its statistics 2 of 5"),
        (PLAIN.replace(b'"json_format": 1', b'"json_format": 2'), "JSON format 2 is not known"),
        (PLAIN.replace(b'"seqno"', b'"sequence"'), "it is not the JSON of irtt"),
    ],
)
def test_irtt_that_is_damaged(tmp_path, content, why):
    assert why in refusal(tmp_path, content)


# octoping

OCTOPING = (
    "number, sent, received, echo, rtt, up_t, down_t, phase\n"
    "0,0,1010,2100,2100,1050, 1050, -40\n2,40000,41010,43000,3000,1500, 1500, -40\n1,20000,0,0,0,0,0,0\n"
)


def test_octoping(tmp_path):
    trips = read(tmp_path, OCTOPING).frame("round_trips")
    assert trips["rtt_ns"].to_list() == [2_100_000, -1, 3_000_000]
    assert trips["up_ns"].to_list() == [1_050_000, None, 1_500_000]
    assert trips["time_ns"].to_list() == [0, 20 * MS, 40 * MS]
    assert "its last line is cut" in refusal(tmp_path, OCTOPING[:-4])
    assert "line 3 has 2 values instead of 8" in refusal(
        tmp_path, OCTOPING.replace("2,40000,41010", "2,40000\n41010")
    )


# Rates


def test_rates_in_each_unit(tmp_path):
    for head, factor in (("time,bit/s", 1), ("time_s,rate_bps", 1), ("seconds,Mbit/s", 1e6), ("t;kbps", 1e3)):
        separator = ";" if ";" in head else ","
        rates = read(tmp_path, f"{head}\n5{separator}2\n6.5{separator}3\n").frame("rates")
        assert rates["rate_bps"].to_list() == [2 * factor, 3 * factor], head
        assert rates["time_ns"].to_list() == [0, 1_500 * MS]
    assert "line 3 has a time that does not rise" in refusal(tmp_path, "time,bit/s\n2,1\n2,1\n")
    assert "line 2 is not a time and a rate" in refusal(tmp_path, "time,bit/s\n2,fast\n")


# ss


def test_ss():
    sockets = airtcp.load(FILES / "ss.txt").frame("sockets")
    assert sockets["peer"].to_list() == ["127.0.0.1:12995"] * 2
    row = sockets.row(1, named=True)
    told = {name: row[name] for name in ("cca", "cwnd", "ssthresh", "bytes_acked", "retransmits", "unacked")}
    assert told == {
        "cca": "bbr", "cwnd": 52, "ssthresh": 8, "bytes_acked": 343_539_750, "retransmits": 1, "unacked": 52
    }  # fmt: skip
    assert (row["rtt_us"], row["min_rtt_us"], row["rto_us"]) == (1042, 1, 204_000)
    assert row["delivery_rate_bps"] == 1_991_878_320
    assert sockets["ssthresh"][0] is None


def test_prints_of_ss_over_time(tmp_path):
    socket = "ESTAB 0 0 10.0.0.1:5001 10.0.0.2:5002\n\t cubic rto:204 rtt:20.5/3 cwnd:{}\n"
    text = "".join(f"{100 + number / 2}\n{socket.format(10 + number)}" for number in range(3))
    sockets = read(tmp_path, text).frame("sockets")
    assert sockets["time_ns"].to_list() == [0, 500 * MS, 1_000 * MS]
    assert sockets["cwnd"].to_list() == [10, 11, 12]
    assert "line 4 is a time that does not rise" in refusal(tmp_path, text.replace("100.5", "99"))
    assert "last line is cut" in refusal(tmp_path, text[:-4])
    untimed = read(tmp_path, re.sub(r"(?m)^10[\d.]+\n", "", text))
    assert untimed.frame("sockets")["time_ns"].to_list() == [None] * 3
    assert "prints have no times" in untimed.warnings[0]


# netperf


def test_netperf():
    stream = airtcp.load(FILES / "netperf-tcp-stream.txt")
    assert stream.frame("results")["rate_bps"].to_list() == [3632.44e6]
    assert stream.frame("intervals")["rate_bps"].to_list() == [3632.71e6]
    udp = airtcp.load(FILES / "netperf-udp-stream.txt").frame("results").row(0, named=True)
    assert (udp["test"], udp["sent_bps"], udp["rate_bps"]) == ("UDP_STREAM", 31726.19e6, 3709.26e6)
    rr = airtcp.load(FILES / "netperf-tcp-rr.txt").frame("results").row(0, named=True)
    assert (rr["test"], rr["transactions_per_s"], rr["rate_bps"]) == ("TCP_RR", 23247.96, None)


def test_netperf_by_keys_and_without_a_result(tmp_path):
    keys = "THROUGHPUT=93.5\nTHROUGHPUT_UNITS=10^6bits/s\nELAPSED_TIME=10.01\n"
    row = read(tmp_path, keys).frame("results").row(0, named=True)
    assert (row["rate_bps"], row["elapsed_ns"]) == (93.5e6, 10_010 * MS)
    text = (FILES / "netperf-tcp-stream.txt").read_text()
    assert "netperf was stopped" in read(tmp_path, "".join(text.splitlines(True)[:2])).warnings[0]
    assert "neither a result nor interim results" in refusal(tmp_path, text.splitlines(True)[0])
    assert "several tests" in refusal(tmp_path, text + text)


# The text of iperf


def test_iperf_text():
    udp = airtcp.load(FILES / "iperf2-text-udp-server.txt").frame("intervals")
    assert udp["kind"].to_list() == ["interval", "interval", "total"]
    assert udp["rate_bps"].to_list() == [5.29e6, 5.25e6, 5.27e6]
    assert udp["packets"].to_list() == [225, 222, 447]
    assert udp["bytes"][0] == 323 * 1024
    tcp = airtcp.load(FILES / "iperf3-text.txt").frame("intervals")
    assert tcp["kind"].to_list() == ["interval", "interval", "total", "total"]
    assert tcp["end"].to_list() == [None, None, "sender", "receiver"]
    assert tcp["cwnd_bytes"][0] == pytest.approx(1.87 * 1024**2)


def test_iperf_text_that_is_cut(tmp_path):
    text = (FILES / "iperf3-text.txt").read_text()
    assert "last line is cut" in refusal(tmp_path, text[:-4])
    assert "line 4 is not an interval" in refusal(tmp_path, text.replace("214 MBytes  3.53 Gbits/sec", "214"))
    assert "no line with an interval" in refusal(tmp_path, text.splitlines(True)[0])


def test_several_tests_in_one_file_of_iperf3(tmp_path):
    def test(rate: float) -> str:
        end = {"start": 0, "end": 1, "bytes": 1000, "bits_per_second": rate, "socket": 5, "seconds": 1}
        total = {key: value for key, value in end.items() if key != "socket"}
        part = {"streams": [{**end, "omitted": False}], "sum": {**total, "omitted": False}}
        streams = [{"sender": {**end, "retransmits": 0}, "receiver": end}]
        return json.dumps(
            {"start": {"connected": [{"socket": 5}]}, "intervals": [part], "end": {"streams": streams}}
        )

    both = f"{test(8000)}\n{test(9000)}\n"
    streams = read(tmp_path, both).frame("streams")
    assert streams["test"].to_list() == [0, 1]
    assert streams["received_bps"].to_list() == [8000, 9000]
    assert "not JSON to its end, from byte" in refusal(tmp_path, both[:-9])


# mahimahi

MM_LINK = """\
# mahimahi mm-link (uplink) [12mbps.trace] > up.log
# command line: mm-link up down
# queue: droptail [packets=2]
# init timestamp: 1795909757330
# base timestamp: 7
7 + 1504
8 # 1504
8 - 1504 1
9 d 2 3008
"""


def test_log_of_mm_link(tmp_path):
    events = read(tmp_path, MM_LINK).frame("events")
    assert events["event"].to_list() == ["arrival", "opportunity", "departure", "drop"]
    assert events["time_ns"].to_list() == [0, MS, MS, 2 * MS]
    assert events["delay_ns"].to_list() == [None, None, MS, None]
    assert events.row(3, named=True)["packets"] == 2
    assert "line 8 is no event" in refusal(tmp_path, MM_LINK.replace("- 1504 1", "- 1504"))
    assert "no base timestamp" in refusal(tmp_path, MM_LINK.replace("# base timestamp: 7\n", ""))


# tcptrace


def test_tcptrace_counts_what_the_capture_has():
    rows = airtcp.load(FILES / "tcptrace.txt").frame("connections")
    flows = airtcp.load(FILES / "loopback.pcap").frame("flows")
    assert rows["distinct_bytes"].to_list()[::2] == flows["client_distinct_bytes"].to_list()
    assert rows["packets"].to_list()[1::2] == flows["server_packets"].to_list()
    assert rows.row(0, named=True)["rate_bps"] == 8 * 433_212_996


def test_tcptrace_that_is_cut(tmp_path):
    lines = (FILES / "tcptrace.txt").read_text().splitlines(True)
    assert "begins a connection that is cut" in refusal(tmp_path, "".join(lines[:14]))
    assert "give tcptrace the option -l" in refusal(tmp_path, "".join(lines[:3]))


# Statistics of stations

MAC = "68:2f:67:8b:98:ed"
DUMPS = {
    "iw station dump": f"Station {MAC} (on wlan0)\n\tsignal:  \t-49 dBm\n\ttx bitrate:\t135.0 MBit/s MCS 6\n",
    "hostapd_cli all_sta": f"{MAC}\nflags=[AUTH]\nsignal=-49\ntx_rate_info=1350\n",
    "iwinfo assoclist": f"{MAC.upper()}  -49 dBm / -95 dBm (SNR 46)  210 ms ago\n\tTX: 135.0 MBit/s, MCS 6\n",
    "ubus get_clients": json.dumps(
        {"freq": 5500, "clients": {MAC: {"signal": -49, "rate": {"tx": 135_000, "rx": 54_000}}}}
    )
    + "\n",
}


@pytest.mark.parametrize("name", DUMPS)
def test_statistics_of_stations(tmp_path, name):
    log = "".join(f"{100 + number}\n{DUMPS[name]}" for number in range(3))
    measured = read(tmp_path, log)
    assert measured.format == name
    stations = measured.frame("stations")
    assert stations["time_ns"].to_list() == [0, 1_000 * MS, 2_000 * MS]
    assert stations["signal_dbm"].to_list() == [-49] * 3
    assert stations["tx_mbps"].to_list() == [135] * 3
    assert "dumps have no times" in read(tmp_path, DUMPS[name]).warnings[0]


# What is not recognised


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "is empty"),
        (b"\x7fELF\0\0\1\2", "has an unknown format: it is not text"),
        (b"SQLite format 3\0", "it is a database of SQLite"),
        (b"64 bytes from 10.0.0.1: icmp_seq=1 ttl=64 time=1 ms\n", "nearest is text of ping"),
        (b"\t cubic rto:204 rtt:1/1 mss:1448 cwnd:10\n", "nearest is text of ss -tin"),
        (b"a,b\n1,2\n", "Known: pcap or pcapng; text of ping"),
        (gzip.compress(b"nothing that is known, but long enough")[:-3], "its gzip stream is cut"),
    ],
)  # fmt: skip
def test_unknown_files_are_refused_with_the_nearest_format(tmp_path, content, why):
    assert why in refusal(tmp_path, content)
