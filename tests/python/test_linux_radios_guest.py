"""What hostapd, wpa_supplicant and `iw` rely on in a driver: statuses, announcements, the load of channels, scans."""

import re

import polars as pl
import pytest
from support.mac80211_scenarios import CELL, HEAD, UP, WIRE, output, program, run

pytestmark = pytest.mark.guest

MS, S = 1_000_000, 1_000_000_000
AP, STATION = 0, 1
LOW_ACK = CELL + 'security = "wpa2"\nhostapd = ["disassoc_low_ack=1"]\n'
REMOVED = "disconnected due to excessive missing ACKs"


def lasting(seconds):
    return HEAD.replace("4 s", f"{seconds} s")


def pings(sender, receiver, interval):
    return f'[[ping]]\nfrom = "{sender}"\nto = "{receiver}"\ninterval = "{interval}"\n'


def log(run, daemon):
    return (run.folder / "daemons" / f"{daemon}-wlan0.log").read_text()


def disturbed(folder, way, trouble, standard="11n"):
    """Datagrams to a station of an access point that removes stations by themselves; from 2 s on, a way is in trouble."""
    (folder / "trace.csv").write_text(f"time_s,rssi_dbm,loss\n0,-50,0\n2,{trouble}\n")
    sender, receiver = way
    trace = f'[[channel.trace]]\nfrom = "{sender}"\nto = "{receiver}"\nfile = "trace.csv"\n'
    datagrams = '[[udp]]\nfrom = "h1"\nto = "sta1"\nrate = "1 Mbit/s"\n'
    events = program("events", "ap1", "timeout 6 iw event || true", "0 s")
    cell = LOW_ACK.replace("11n", standard)
    return run(folder, lasting(7) + cell + trace + WIRE + datagrams + events)


WAYS = {
    "acknowledgements are too weak": (("sta1", "ap1"), "-120,0"),
    "data is lost": (("ap1", "sta1"), "-50,1"),
}


@pytest.mark.parametrize("standard", ["11g", "11n"])
@pytest.mark.parametrize("trouble", WAYS)
def test_a_station_that_acknowledges_nothing_is_removed(tmp_path, trouble, standard):
    """It still hears beacons, so it does not leave by itself."""
    made = disturbed(tmp_path, *WAYS[trouble], standard)
    sta1 = made.plan["air"]["nics"][STATION]["mac"]
    assert f"STA {sta1} IEEE 802.11: {REMOVED}" in log(made, "hostapd-ap1")
    lost = re.search(rf"CQM event: peer {sta1} didn't ACK (\d+) packets", output(made, "events"))
    # STA_LOST_PKT_THRESHOLD of net/mac80211/status.c.
    assert int(lost[1]) >= 50
    # All of them count: under block acknowledgement the MPDUs as well as the requests for block acks.
    failed = made.stations.filter(nic=AP, peer=STATION)["tx_failed"].max()
    assert failed > 0
    assert int(lost[1]) >= failed


def test_a_station_follows_a_channel_switch_that_two_beacons_announce(tmp_path):
    cell = CELL + 'channel = 1\nsecurity = "wpa2"\nwpa_supplicant = ["freq_list=2412 2437"]\n'
    switch = program("switch", "ap1", "hostapd_cli chan_switch 2 2437 ht", "2 s")
    link = program("link", "sta1", "iw dev wlan0 link", "3 s")
    made = run(tmp_path, HEAD + cell + WIRE + pings("h1", "sta1", "50 ms") + switch + link)
    assert "freq: 2437" in output(made, "link")
    assert "CTRL-EVENT-STARTED-CHANNEL-SWITCH" in log(made, "wpa_supplicant-sta1")
    assert "DISCONNECTED" not in log(made, "wpa_supplicant-sta1")
    # The switch lasts two beacon intervals.
    (told,) = made.agent["pings"]
    assert told["received"] >= told["sent"] - 5


def test_announcements_of_sleep_do_not_meet_beacons(tmp_path):
    """Both would, if the timer of power save expired at ticks of 4 ms: every 2.56 s is one of a beacon's."""
    cell = CELL + 'channel = 1\nsecurity = "wpa2"\npower_save = true\n'
    made = run(tmp_path, lasting(40) + cell + WIRE + pings("h1", "sta1", "1300 ms"))
    last = made.air.filter(nic=STATION).sort("time_ns").row(-1, named=True)
    assert last["transmissions"] > 60
    assert last["collisions"] <= 1


def surveys(text):
    """What `iw survey dump` tells: by frequency, in ms."""
    found = {}
    for part in text.split("Survey data from wlan0")[1:]:
        frequency = re.search(r"frequency:\s*(\d+) MHz", part)
        times = re.findall(r"channel (\w+) time:\s*(\d+) ms", part)
        found[int(frequency[1])] = {"used": "[in use]" in part, **{name: int(ms) for name, ms in times}}
    return found


def covered_ms(ppdus):
    """For how long at least one of these was on the air."""
    covered_ns, last_ns = 0, None
    for start_ns, end_ns in ppdus.sort("start_ns").select("start_ns", "end_ns").iter_rows():
        begins_ns = start_ns if last_ns is None else max(start_ns, last_ns)
        covered_ns += max(0, end_ns - begins_ns)
        last_ns = end_ns if last_ns is None else max(end_ns, last_ns)
    return covered_ns / MS


def test_the_load_of_the_channel_is_that_of_the_air(tmp_path):
    until_ns = 3500 * MS
    survey = program("survey", "ap1", "iw dev wlan0 survey dump", "3500 ms")
    made = run(tmp_path, HEAD + CELL + "channel = 36\n" + WIRE + UP + survey + "[sampling]\nppdus = true\n")
    told = surveys(output(made, "survey"))
    assert [frequency for frequency, each in told.items() if each["used"]] == [5180]
    # A station scans for its access point, which stays on its channel.
    assert [frequency for frequency, each in told.items() if "active" in each] == [5180]
    air = made.ppdus.filter(pl.col("start_ns") < until_ns)
    air = air.with_columns(pl.col("end_ns").clip(upper_bound=until_ns))
    load = told[5180]
    assert load["transmit"] == pytest.approx(covered_ms(air.filter(nic=AP)), abs=2)
    # Where two collide, both sent at once.
    assert load["busy"] == pytest.approx(covered_ms(air), abs=2)
    assert load["receive"] == pytest.approx(load["busy"] - load["transmit"], abs=1)


def test_a_scan_costs_a_station_none_of_its_packets(tmp_path):
    scan = program("scan", "sta1", "iw dev wlan0 scan | grep -c ^BSS", "2 s")
    made = run(tmp_path, lasting(6) + CELL + "channel = 1\n" + WIRE + pings("sta1", "h1", "20 ms") + scan)
    assert output(made, "scan") == "1\n"
    assert made.agent["pings"] == [{"name": "sta1-h1", "sent": 300, "received": 300}]
