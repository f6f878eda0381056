"""Cards and hosts in real guests: what one interrupt brings, and what completions hold back."""

import polars as pl
import pytest
from support.command import run_text

pytestmark = [pytest.mark.guest, pytest.mark.parametrize("mac", ["airtcp", "linux"])]

LINK = """
name = "x"
duration = "2 s"
[wifi.home]
mac = "{mac}"
standard = "11a"
rate = "54 Mbit/s"
stations = 1
{keys}
[[flow]]
from = "ap1"
to = "sta1"
cca = "reno"
[sampling]
acks = true
"""
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
