"""The load of channels with neighbours of known duty: quantities against `iw survey dump`, the record of PPDUs, and by hand."""

import re

import airtcp
import polars as pl
import pytest
from support.command import run_text
from support.mac80211_scenarios import CELL, HEAD, output, program, run

pytestmark = pytest.mark.guest

MS = 1_000_000
# 17.5 % of the time, above the threshold of energy detection.
BURSTS = (
    '[[interferer]]\nkind = "on_off"\nrssi = "-55 dBm"\nfrequency = "5180 MHz"\nbandwidth = "20 MHz"\n'
    'period = "4 ms"\non = "0.7 ms"\n'
)
DUTY = 0.175
PPDUS = "[sampling]\nppdus = true\n"


def surveyed(text):
    """What `iw survey dump` tells of the channel in use, in ms."""
    (used,) = (part for part in text.split("Survey data from wlan0")[1:] if "[in use]" in part)
    return {
        name: int(ms) for name, ms in re.findall(r"(active|busy|transmit|BSS receive) time:\s*(\d+) ms", used)
    }


def covered_ns(ppdus):
    """For how long at least one of these was on the air."""
    total, last = 0, 0
    for start, end in ppdus.sort("start_ns").select("start_ns", "end_ns").iter_rows():
        total += max(0, end - max(start, last))
        last = max(last, end)
    return total


@pytest.mark.parametrize("mac", ["airtcp", "linux"])
def test_an_interferer_is_airtime_of_others(tmp_path, mac):
    """Nothing is sent but beacons, which wait while the channel is busy: bursts are never covered by own PPDUs."""
    cell = CELL.replace("linux", mac) + "channel = 36\n"
    made = run_text(
        tmp_path, HEAD + cell + BURSTS + '[[ping]]\nfrom = "sta1"\nto = "ap1"\ninterval = "1 s"\n' + PPDUS
    )
    assert airtcp.number(made, "airtime_of_others", node="ap1") == pytest.approx(DUTY, abs=0.001)
    own = covered_ns(made.ppdus.filter(pl.col("start_ns") > 0)) / made.end_ns
    assert airtcp.number(made, "channel_busy", node="ap1") == pytest.approx(DUTY + own, abs=0.001)


@pytest.mark.parametrize("mac", ["airtcp", "linux"])
def test_a_neighbour_is_airtime_of_others(tmp_path, mac):
    """Frames of a neighbouring cell on the same channel, at a fixed rate: as long as their PPDUs are."""
    cells = (
        f'[wifi.home]\nmac = "{mac}"\nstandard = "11n"\nchannel = 36\nstations = 1\n'
        '[wifi.next]\nstandard = "11a"\nchannel = 36\nrate = "54 Mbit/s"\nstations = ["other"]\n'
        '[[udp]]\nname = "own"\nfrom = "ap1"\nto = "sta1"\nrate = "2 Mbit/s"\n'
        '[[udp]]\nname = "others"\nfrom = "ap2"\nto = "other"\nrate = "6 Mbit/s"\n'
    )
    made = run_text(tmp_path, HEAD + cells + PPDUS)
    cell_of = [nic["cell"] for nic in made.plan["air"]["nics"]]
    ppdus = made.ppdus.filter(pl.col("end_ns") > 0).with_columns(pl.col("start_ns").clip(0))
    by_cell = [
        ppdus.filter(pl.col("nic").is_in([n for n, cell in enumerate(cell_of) if cell == own]))
        for own in (0, 1)
    ]
    others = covered_ns(ppdus) - covered_ns(by_cell[0])
    own_airtime = covered_ns(by_cell[0])
    assert others / made.end_ns > 0.05
    for node in ("ap1", "sta1"):
        found = airtcp.number(made, "airtime_of_others", node=node)
        assert found == pytest.approx(others / made.end_ns, abs=0.0005)
        busy = airtcp.number(made, "channel_busy", node=node)
        assert busy == pytest.approx((others + own_airtime) / made.end_ns, abs=0.0005)


def test_iw_shows_the_same(tmp_path):
    """At 3.5 s: active, busy and transmit as the series has them; the time of the own BSS if `iw` knows it."""
    survey = program("survey", "ap1", "iw dev wlan0 survey dump", "3500 ms")
    traffic = '[[udp]]\nfrom = "sta1"\nto = "ap1"\nrate = "5 Mbit/s"\n'
    made = run(tmp_path, HEAD + CELL + "channel = 36\n" + BURSTS + traffic + survey)
    told = surveyed(output(made, "survey"))
    row = made.air.filter((pl.col("nic") == 0) & (pl.col("time_ns") == 3500 * MS)).row(0, named=True)
    assert told["busy"] == pytest.approx(row["busy_ns"] / MS, abs=2)
    assert told["transmit"] == pytest.approx(row["tx_ns"] / MS, abs=2)
    if "BSS receive" in told:
        assert told["BSS receive"] == pytest.approx(row["bss_rx_ns"] / MS, abs=2)
    assert row["bss_rx_ns"] > 100 * MS
