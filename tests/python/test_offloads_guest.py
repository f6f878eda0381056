"""Offloads of hosts in real guests: what a sender, its wire, a router and a receiver see of them."""

import itertools

import polars as pl
import pytest
from airtcp.formats.capture_file import read_capture
from support.command import run_text

pytestmark = pytest.mark.guest

FRAME = 1514
MSS = 1448
HEADERS = FRAME - MSS
# A full frame at 1 Gbit/s, and a queue in front of 20 Mbit/s that is the bottleneck.
FRAME_NS = 12_112
LIMIT = 40
SLOW_MBPS = 20
ROUTER = """
name = "x"
duration = "10 s"
offloads = "{offloads}"
[[wire]]
between = ["h1", "r1"]
[[wire]]
between = ["r1", "h2"]
rate = "20 Mbit/s"
delay = "10 ms"
queue = "40 packets"
[node.r1]
kind = "router"
[[flow]]
from = "h1"
to = "h2"
cca = "reno"
[[ping]]
from = "h1"
to = "h2"
interval = "50 ms"
[[capture]]
name = "h1"
node = "h1"
flows = ["h1-h2"]
[[capture]]
name = "r1"
node = "r1"
interface = "eth0"
flows = ["h1-h2"]
[sampling]
qdiscs = "1 ms"
delays = true
"""
DIRECT = """
name = "x"
duration = "1 s"
offloads = "host"
[[wire]]
between = ["h1", "h2"]
{interrupt}
[[flow]]
from = "h1"
to = "h2"
cca = "reno"
[[capture]]
name = "h2"
node = "h2"
"""


def data_packets(run, name):
    """Time and length of the packets with data in a capture."""
    file = run.folder / "pcap" / f"{name}.pcapng"
    return [(p.time_ns, p.wire_bytes) for p in read_capture(file, file.read_bytes()) if p.wire_bytes > 200]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("offloads")
    return {mode: run_text(folder / mode, ROUTER.format(offloads=mode)) for mode in ("none", "host")}


def longest(run, name):
    return max(length for _, length in data_packets(run, name))


def test_a_senders_host_sees_packets_of_many_segments(runs):
    assert longest(runs["none"], "h1") == FRAME
    assert longest(runs["host"], "h1") >= HEADERS + 2 * MSS


def test_the_wire_carries_frames_with_exact_spacing(runs):
    """All segments of a packet follow each other by exactly their serialisation."""
    for run in runs.values():
        assert longest(run, "r1") == FRAME
    arrivals = data_packets(runs["host"], "r1")
    sent = data_packets(runs["host"], "h1")
    first, total = 0, 0
    for time_ns, length in sent:
        frames = -(-(length - HEADERS) // MSS)
        own = arrivals[first : first + frames]
        first += frames
        if len(own) == frames and own[-1][1] == FRAME:
            spacing = {later[0] - earlier[0] for earlier, later in itertools.pairwise(own)}
            assert spacing <= {FRAME_NS}
            assert own[0][0] - time_ns == FRAME_NS
            total += frames
    assert total > 1000


def queue_of_router(run):
    """Of its second interface; nodes and interfaces are numbered in order of mention."""
    return run.qdiscs.filter((pl.col("node") == 1) & (pl.col("interface") == 1))


def test_the_queue_of_a_router_counts_packets_of_one_mtu(runs):
    for run in runs.values():
        queue = queue_of_router(run)
        backlog, octets = queue["backlog_packets"], queue["backlog_bytes"]
        assert LIMIT - 2 <= backlog.max() <= LIMIT
        assert (octets <= FRAME * backlog).all()
        assert queue["drops"][-1] > 0


def test_the_bottleneck_is_shared_as_without(runs):
    """A queue that overflows decides: goodput, round trips and drops hardly depend on bursts of the sender."""

    def goodput(run):
        received = run.flow_samples(0).filter(pl.col("time_ns") > 2_000_000_000)
        octets = received["bytes_received"]
        return (octets[-1] - octets[0]) * 8e3 / (received["time_ns"][-1] - received["time_ns"][0])

    line = SLOW_MBPS * MSS / FRAME
    assert goodput(runs["none"]) == pytest.approx(line, rel=0.01)
    assert goodput(runs["host"]) == pytest.approx(goodput(runs["none"]), rel=0.01)
    ping = {mode: run.pings.filter(pl.col("rtt_ns") > 0)["rtt_ns"].mean() for mode, run in runs.items()}
    assert ping["host"] == pytest.approx(ping["none"], rel=0.1)
    drops = {mode: queue_of_router(run)["drops"][-1] for mode, run in runs.items()}
    assert drops["host"] == pytest.approx(drops["none"], rel=0.5)


def test_each_segment_has_a_delay_of_its_own(runs):
    delays = runs["host"].delays.filter(pl.col("direction") == 0)
    assert delays["bytes"].max() == FRAME - 14
    arrived = delays.filter(pl.col("delay_ns") >= 0)
    # Every segment that reached the receiver, and none of them twice.
    received = runs["host"].flow_samples(0)["bytes_received"][-1] / MSS
    assert arrived.height == pytest.approx(received, rel=0.02)
    # Both wires' serialisation and the delay are the least that a full segment takes.
    assert arrived.filter(pl.col("bytes") == FRAME - 14)["delay_ns"].min() >= 10_000_000 + 50 * FRAME_NS


def test_one_interrupt_merges_what_it_brings(tmp_path):
    def merged(name, interrupt):
        run = run_text(tmp_path / name, DIRECT.format(interrupt=interrupt))
        return {-(-(length - HEADERS) // MSS) for _, length in data_packets(run, "h2")}

    assert merged("off", 'rx_interrupt = "off"') == {1}
    # In 50 us at most five frames arrive.
    assert max(merged("host", "")) == 5
    assert max(merged("frames", 'rx_interrupt = { after_first = "1 ms", frames = 8 }')) == 8
