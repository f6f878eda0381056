"""All workloads in a real guest, on an idle path: times are round trips, bytes are arithmetic."""

import hashlib

import dpkt
import polars as pl
import pytest
from airtcp.quantities.applications import flow_playback
from airtcp.report.run.report import run_tables
from support.command import run_text

pytestmark = pytest.mark.guest

S, MS = 1_000_000_000, 1_000_000
RTT_NS = 20 * MS
# The wire has 10 Gbit/s, of which a hundred packets take 121 us: bursts of the film's first segments meet answers.
TOLERANCE_NS = 150_000
SCENARIO = """
name = "applications"
duration = "20 s"
[[wire]]
between = ["h1", "h2"]
rate = "10 Gbit/s"
delay = "10 ms"
[[flow]]
name = "bursts"
from = "h1"
to = "h2"
amount = "10 kB"
off = "990 ms"
[[flow]]
name = "paced"
from = "h1"
to = "h2"
on = "500 ms"
off = "500 ms"
pacing = "2 Mbit/s"
dscp = "AF41"
[[request]]
name = "ask"
from = "h1"
to = "h2"
request = "100 B"
response = "10 kB"
think = "80 ms"
count = 100
[[web]]
name = "web"
from = "h1"
to = "h2"
page = "5 kB"
objects = 4
object = "2 kB"
parse = "100 ms"
reading = "1 s"
count = 3
start = "1 s"
[[video]]
name = "film"
from = "h1"
to = "h2"
rates = ["1 Mbit/s"]
segment = "4 s"
startup = "4 s"
buffer = "8 s"
[[udp]]
name = "voice"
from = "h1"
to = "h2"
rate = "64 kbit/s"
payload = 160
phase = "none"
dscp = "EF"
[[udp]]
name = "random"
from = "h2"
to = "h1"
rate = "1 Mbit/s"
payload = 1000
pace = "poisson"
"""
WATCHED = """
[sampling]
flows = "1 ms"
acks = true
delays = true
[[capture]]
node = "h2"
flows = ["ask", "paced"]
stop = "5 s"
"""
ALL = ("bursts", "paced", "ask", "web", "film")


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return run_text(tmp_path_factory.mktemp("plain") / "run", SCENARIO)


@pytest.fixture(scope="module")
def watched(tmp_path_factory):
    return run_text(tmp_path_factory.mktemp("watched") / "run", SCENARIO + WATCHED)


def transfers(run, name):
    return run.transfers.filter(pl.col("flow_name") == name).sort("number")


def took_ns(frame):
    return (frame["end_ns"] - frame["time_ns"]).to_list()


def test_a_burst_in_the_initial_window_takes_half_a_round_trip(plain):
    bursts = transfers(plain, "bursts")
    # One each 990 ms, after the handshake.
    assert bursts["bytes"].to_list() == [10_000] * bursts.height
    assert bursts.height == 21
    assert all(abs(ns - RTT_NS // 2) < TOLERANCE_NS for ns in took_ns(bursts)[1:])
    assert (bursts["time_ns"].diff().drop_nulls() - 990 * MS).abs().max() < TOLERANCE_NS


def test_pacing_limits_what_a_burst_delivers(plain):
    paced = transfers(plain, "paced")
    report = plain.agent["flows"][1]
    assert report["bytes_received"] == paced["bytes"].sum()
    seconds = sum(took_ns(paced)) / S
    # 2 Mbit/s of IP packets and what is above them: 1500 bytes of 1448.
    assert paced["bytes"].sum() * 8e-6 * 1500 / 1448 / seconds == pytest.approx(2, rel=0.1)


def test_a_request_on_an_idle_path_takes_a_round_trip(plain):
    ask = transfers(plain, "ask")
    assert (ask.height, plain.agent["flows"][2]["bytes_received"]) == (100, 1_000_000)
    for column in ("first_byte_ns", "end_ns"):
        assert ((ask[column] - ask["time_ns"]) - RTT_NS).abs().max() < TOLERANCE_NS
    # A round trip and 80 ms of thinking.
    assert (ask["time_ns"].diff().drop_nulls() - (RTT_NS + 80 * MS)).abs().max() < TOLERANCE_NS
    assert ask["time_ns"][0] >= RTT_NS


def test_a_page_takes_its_round_trips_and_its_parsing(plain):
    web = transfers(plain, "web")
    assert web["bytes"].to_list() == [5_000 + 4 * 2_000] * 3
    # The handshake of the first one is a round trip more.
    trips = [3, 2, 2]
    for ns, trip in zip(took_ns(web), trips, strict=True):
        assert abs(ns - trip * RTT_NS - 100 * MS) < TOLERANCE_NS
    assert web["time_ns"][0] == 1 * S
    assert abs(web["time_ns"][1] - web["end_ns"][0] - S) < TOLERANCE_NS


def test_a_film_is_fetched_as_its_buffer_empties(plain):
    film = transfers(plain, "film")
    assert set(film["bytes"]) == {500_000}
    seen = flow_playback(plain, 4)
    assert (seen.stalls, seen.switches, seen.mean_rate_mbps) == ((), 0, 1.0)
    assert seen.startup_s == pytest.approx((film["end_ns"][0]) / S)
    # Three segments at once, then one whenever the buffer has fallen to 8 s: each 4 s.
    assert (film["time_ns"].diff().drop_nulls()[3:] - 4 * S).abs().max() < TOLERANCE_NS
    # The level that the player knew is the one that the metric finds.
    levels = dict(seen.levels)
    for end, buffer in film.filter(pl.col("end_ns") >= 0).select("end_ns", "buffer_ns").rows():
        assert levels[end] == buffer


def test_datagrams_of_a_constant_rate_are_counted_and_timed(plain):
    voice = plain.datagrams.filter(pl.col("stream_name") == "voice")
    # 160 bytes at 64 kbit/s: one each 20 ms, for 20 s.
    assert voice.height == 1000
    assert (voice["time_ns"] - voice["sequence"].cast(pl.Int64) * 20 * MS).abs().max() < TOLERANCE_NS
    received = voice.filter(pl.col("delay_ns") >= 0)
    # The last may be on its way; of the first, addresses are resolved.
    assert received.height >= 999
    assert (received["delay_ns"][1:] - RTT_NS // 2).abs().max() < TOLERANCE_NS
    random = plain.datagrams.filter(pl.col("stream_name") == "random")
    # A Poisson process with a mean of 2500: within five deviations.
    assert abs(random.height - 2500) < 250


def test_every_flow_comes_to_its_end_and_has_its_table(plain):
    assert not plain.agent["warnings"]
    assert [flow["name"] for flow in plain.agent["flows"]] == list(ALL)
    titles = [table.title for table in run_tables(plain) if "Applications" in table.title]
    assert [title.removeprefix("Applications: ") for title in titles] == [
        "Page load time [ms]",
        "Response time [ms]",
        "Time of a burst [ms]",
        "video",
        "Delay of datagrams [ms]",
    ]
    for flow in plain.agent["flows"]:
        assert flow["error"] is None
        assert flow["bytes_acked"] == pytest.approx(flow["bytes_received"], abs=600_000)


def test_watching_everything_changes_nothing(plain, watched):
    assert plain.manifest["frame_hash"] == watched.manifest["frame_hash"]
    for name in ("transfers", "datagrams"):
        assert plain.series(name).equals(watched.series(name))


def test_an_asked_flow_is_sampled_acknowledged_and_delayed_like_others(watched):
    ask = watched.flow_samples(2)
    assert ask["bytes_received"][-1] - 1 == watched.agent["flows"][2]["bytes_received"]
    assert ask["cwnd"].min() >= 10
    acks = watched.acks.filter(pl.col("flow_name") == "ask")
    # Of each request, and of the segments of each answer.
    assert acks.filter(pl.col("data_bytes") == 100).height == 100
    delays = watched.delays.filter(pl.col("flow_name") == "ask")
    data = delays.filter((pl.col("direction") == 0) & (pl.col("bytes") > 1000))
    assert data.height == 100 * 7
    assert (data["delay_ns"] - RTT_NS // 2).abs().max() < TOLERANCE_NS


def test_code_points_and_roles_are_seen_in_a_capture(watched):
    flows = watched.plan["flows"]
    with next((watched.folder / "pcap").glob("*.pcapng")).open("rb") as file:
        packets = [dpkt.ethernet.Ethernet(data).data for _, data in dpkt.pcapng.Reader(file)]
    of_port = {
        flow["name"]: [p for p in packets if flow["port"] in (p.tcp.sport, p.tcp.dport)] for flow in flows
    }
    assert {packet.tos >> 2 for packet in of_port["paced"]} == {34}
    assert {packet.tos >> 2 for packet in of_port["ask"]} == {0}
    first = of_port["ask"][0]
    # Who gets the data connects.
    assert (first.tcp.flags, bytes(first.dst)) == (dpkt.tcp.TH_SYN, bytes([10, 0, 0, 1]))
    assert not of_port["web"]


def test_a_run_is_repeated_to_the_byte(plain, tmp_path):
    again = run_text(tmp_path / "again", SCENARIO)
    for name in ("transfers", "datagrams", "flows"):
        files = [each.folder / "series" / f"{name}.parquet" for each in (plain, again)]
        one, other = (hashlib.sha256(file.read_bytes()).hexdigest() for file in files)
        assert one == other
