"""Cards and hosts in real guests: what one interrupt brings, what completions hold back, and queues of firmware."""

import polars as pl
import pytest
from support.command import run_text

pytestmark = [pytest.mark.guest, pytest.mark.parametrize("mac", ["airtcp", "linux"])]

CELL = """
name = "x"
duration = "2 s"
[wifi.home]
mac = "{mac}"
standard = "11a"
rate = "54 Mbit/s"
stations = 1
{keys}
"""
LINK = (
    CELL
    + """
[[flow]]
from = "ap1"
to = "sta1"
cca = "reno"
[sampling]
acks = true
"""
)
MSS = 1448


def segments_per_ack(folder, mac, keys):
    run = run_text(folder, LINK.format(mac=mac, keys=keys))
    acks = run.acks.filter(pl.col("time_ns") > 500_000_000).height
    received = run.flow_samples(0).filter(pl.col("time_ns") >= 500_000_000)["bytes_received"]
    return (received[-1] - received[0]) / MSS / acks


def test_gro_merges_the_frames_of_one_interrupt(tmp_path, mac):
    """Each PPDU carries one frame, so what is merged comes from several."""
    wait = 'rx_interrupt = { after_first = "20 ms", frames = 8 }'
    alone = segments_per_ack(tmp_path / "alone", mac, "gro = true")
    merged = segments_per_ack(tmp_path / "merged", mac, f"gro = true\n{wait}")
    # Without moderation GRO has nothing to merge, and TCP acknowledges every second segment.
    assert alone == pytest.approx(2, rel=0.05)
    assert merged == pytest.approx(8, rel=0.05)


def test_completions_bound_what_a_small_queue_lets_out(tmp_path, mac):
    """A socket may have 2^-10 s of its rate below it (mac80211: 2^-7 s), and waits for the completion of that."""
    shift = "pacing_shift = 10" if mac == "airtcp" else ""

    def goodput_mbps(name, keys):
        run = run_text(tmp_path / name, LINK.format(mac=mac, keys=f"{shift}\n{keys}"))
        received = run.flow_samples(0).filter(pl.col("time_ns") >= 500_000_000)
        octets = received["bytes_received"]
        return (octets[-1] - octets[0]) * 8e3 / (received["time_ns"][-1] - received["time_ns"][0])

    at_once = goodput_mbps("at once", "")
    late = goodput_mbps("late", 'tx_interrupt = { after_first = "100 ms" }')
    assert 20 < at_once < 30
    # All that it may have below it, once in 100 ms.
    assert late < 0.6 * at_once


BLOAT = (
    CELL
    + """
[[wire]]
between = ["ap1", "h1"]
[[udp]]
from = "h1"
to = "sta1"
rate = "40 Mbit/s"
payload = 1472
[[ping]]
from = "h1"
to = "sta1"
interval = "20 ms"
"""
)


# The sender's socket buffer holds 92 datagrams (212 992 octets, 2304 each), wherever they are on their way:
# the queues here are smaller.


def rtt_and_frame_ms(folder, mac, keys):
    """The median RTT of pings, and the time that the radio needs for a frame, once the queue is full."""
    aql = 'nic_queue = { kind = "fq_codel", aql = "off" }' if mac == "airtcp" else "aql = false"
    run = run_text(folder, BLOAT.format(mac=mac, keys=f"{aql}\n{keys}"))
    pings = run.ping_samples(0).filter((pl.col("time_ns") > 1_000_000_000) & (pl.col("rtt_ns") >= 0))
    arrived = run.datagrams.filter(pl.col("delay_ns") >= 0)
    arrival = (arrived["time_ns"] + arrived["delay_ns"]).sort()
    arrival = arrival.filter(arrival > 1_000_000_000)
    return pings["rtt_ns"].median() / 1e6, (arrival[-1] - arrival[0]) / (len(arrival) - 1) / 1e6


def test_a_queue_of_firmware_is_a_delay_that_fair_queueing_above_does_not_see(tmp_path, mac):
    fair_ms, _ = rtt_and_frame_ms(tmp_path / "fair", mac, "")
    frames_ms, frame_ms = rtt_and_frame_ms(tmp_path / "frames", mac, "hardware_queue = { frames = 60 }")
    # The ping's own flow goes first in FQ-CoDel.
    assert fair_ms < 3
    assert frames_ms == pytest.approx(60 * frame_ms, rel=0.05)
    # 1538 octets take 228 us at 54 Mbit/s: 10 ms are 44 frames, whatever the medium needs for them.
    airtime_ms, frame_ms = rtt_and_frame_ms(
        tmp_path / "airtime", mac, 'hardware_queue = { airtime = "10 ms" }'
    )
    assert airtime_ms == pytest.approx(44 * frame_ms, rel=0.05)
