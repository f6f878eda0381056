"""Networks of the kernel's mac80211 in real guests: who associates, what it carries, what programs see."""

import re
from pathlib import Path

import polars as pl
import pytest
from airtcp.metrics.airtime import airtime_of_stations
from support.mac80211_scenarios import CELL, DOWN, HEAD, UP, WIRE, airtcp, goodput_mbps, output, program, run

pytestmark = pytest.mark.guest


@pytest.mark.parametrize(
    ("setup", "security"),
    [("direct", "open"), ("daemons", "open"), ("daemons", "wpa2"), ("daemons", "wpa3")],
)
def test_a_station_associates_and_carries_tcp_both_ways(tmp_path, setup, security):
    made = run(tmp_path, HEAD + CELL + f'setup = "{setup}"\nsecurity = "{security}"\n' + WIRE + UP + DOWN)
    # MCS 7 of 20 MHz has 65 Mbit/s; two flows share it for half of the time.
    assert goodput_mbps(made, "up") > 15
    assert goodput_mbps(made, "down") > 5


@pytest.mark.parametrize(
    ("keys", "least_mbps"),
    [
        ('standard = "11g"', 10),
        ('standard = "11b"', 2),
        ('standard = "11n"\nchannel = 6\nstreams = 2\nwidth = "40 MHz"\nguard_interval = "400 ns"', 60),
        ('standard = "11ac"\nstreams = 2', 150),
        ('standard = "11ac"\nwidth = "160 MHz"', 150),
        ('standard = "11ax"', 150),
        ('standard = "11ax"\nband = "6 GHz"', 150),
        ('standard = "11n"\nrate = "HT-MCS 3"', 15),
    ],
)
def test_standards_bands_and_widths(tmp_path, keys, least_mbps):
    cell = f'[wifi.home]\nmac = "linux"\nstations = 1\n{keys}\n'
    made = run(tmp_path, HEAD + cell + WIRE + UP)
    assert goodput_mbps(made, "up") > least_mbps


def test_stations_follow_hostapd_to_the_other_half_of_40_mhz(tmp_path):
    """hostapd exchanges primary and secondary channel when another network is on the secondary one."""
    home = '[wifi.home]\nmac = "linux"\nsetup = "daemons"\nstandard = "11ax"\nchannel = 36\nstations = 1\n'
    other = '[wifi.next]\nmac = "linux"\nstandard = "11ax"\nchannel = 40\nwidth = "20 MHz"\nstations = 1\n'
    where = program("where", "sta1", "iw dev wlan0 info")
    made = run(tmp_path, HEAD + home + other + WIRE + UP + where)
    assert "channel 40 (5200 MHz), width: 80 MHz, center1: 5210 MHz" in output(made, "where")
    assert goodput_mbps(made, "up") > 100


def test_a_mesh_finds_its_way_over_two_hops(tmp_path):
    cell = CELL.replace("stations = 1", 'kind = "mesh"\nstations = ["m1", "m2", "m3"]')
    links = '[channel]\nrssi = "-100 dBm"\n' + "".join(
        f'[[channel.link]]\nbetween = ["{a}", "{b}"]\nrssi = "-50 dBm"\n'
        for a, b in (("m1", "m2"), ("m2", "m3"))
    )
    flow = '[[flow]]\nname = "across"\nfrom = "m1"\nto = "m3"\n'
    paths = program("paths", "m1", "iw dev wlan0 mpath dump", "2 s")
    made = run(tmp_path, HEAD + cell + links + flow + paths)
    assert goodput_mbps(made, "across") > 5
    m2, m3 = (nic["mac"] for nic in made.plan["air"]["nics"][1:])
    rows = [line.split() for line in output(made, "paths").splitlines()]
    assert [m3, m2] in [row[:2] for row in rows], "the way to m3 leads over m2"


def test_an_ibss_carries_tcp(tmp_path):
    cell = CELL.replace("stations = 1", 'kind = "ibss"\nstations = ["i1", "i2"]')
    made = run(tmp_path, HEAD + cell + '[[flow]]\nname = "f"\nfrom = "i1"\nto = "i2"\n')
    assert goodput_mbps(made, "f") > 15


def test_programs_of_a_node_see_its_radio(tmp_path):
    programs = [
        program("stations", "ap1", "iw dev wlan0 station dump"),
        program("hostapd", "ap1", "hostapd_cli all_sta"),
        program("link", "sta1", "iw dev wlan0 link"),
        program("supplicant", "sta1", "wpa_cli status"),
        program("queues", "ap1", "cat /sys/kernel/debug/ieee80211/air0/aqm"),
    ]
    made = run(tmp_path, HEAD + CELL + 'security = "wpa2"\n' + WIRE + UP + "".join(programs))
    ap1, sta1 = (nic["mac"] for nic in made.plan["air"]["nics"])
    assert f"Station {sta1}" in output(made, "stations")
    assert sta1 in output(made, "hostapd")
    assert f"Connected to {ap1}" in output(made, "link")
    assert "wpa_state=COMPLETED" in output(made, "supplicant")
    assert "overlimit" in output(made, "queues")


def test_a_monitor_hears_the_cell(tmp_path):
    listen = program("ears", "ears", "timeout 1 tcpdump -c 20 -nn -i mon0 2>/dev/null || true")
    made = run(tmp_path, HEAD + CELL + 'monitors = ["ears"]\n' + WIRE + UP + listen)
    assert "Mb/s" in output(made, "ears")


def test_a_station_roams_while_tcp_runs(tmp_path):
    cell = (
        '[wifi.{name}]\nmac = "linux"\nssid = "n"\nstandard = "11n"\nchannel = {channel}\nstations = {some}\n'
    )
    cells = cell.format(name="a", channel=36, some=1) + cell.format(name="b", channel=149, some="[]")
    wires = "".join(f'[[wire]]\nbetween = ["sw", "{end}"]\n' for end in ("ap1", "ap2", "h1"))
    near = '[[channel.link]]\nbetween = ["ap1", "sta1"]\nrssi = "-40 dBm"\n'
    text = HEAD.replace("4 s", "6 s") + cells + wires + UP + near + "[sampling]\nflows = '100 ms'\n"
    roam = (
        "wpa_cli scan; sleep 0.5; "
        "wpa_cli roam $(wpa_cli scan_results | awk '$2 == 5745 {print $1; exit}'); sleep 1; wpa_cli status"
    )
    made = run(tmp_path, text + program("roam", "sta1", roam, "2 s"))
    nics = {nic["node"]: nic["mac"] for nic in made.plan["air"]["nics"]}
    assert f"bssid={nics['ap2']}" in output(made, "roam")
    samples = made.flow_samples(0)
    late = samples.filter(samples["time_ns"] > 4_000_000_000)["bytes_acked"]
    assert late[-1] - late[0] > 1_000_000, "TCP goes on at the other access point"


def test_a_station_out_of_reach_ends_the_run_with_the_reason(tmp_path):
    far = '[channel]\nrssi = "-120 dBm"\nreception = "table"\n'
    answer = airtcp(tmp_path, HEAD + CELL + WIRE + UP + far)
    assert answer.returncode != 0
    assert "sta1 did not associate with ap1 within 3 virtual s" in answer.stderr


def test_the_same_seed_gives_the_same_frames(tmp_path):
    text = HEAD + CELL + 'security = "wpa2"\n' + WIRE + UP
    hashes = [run(tmp_path / str(number), text).manifest["frame_hash"] for number in range(2)]
    assert hashes[0] == hashes[1]


TWENTY = Path(__file__).parents[2] / "studies" / "airtime-anomaly" / "twenty-stations.toml"


@pytest.mark.parametrize("rssi_dbm", [None, -45])
def test_twenty_stations_have_equal_airtime(tmp_path, rssi_dbm):
    text = TWENTY.read_text().replace('duration = "7 s"', 'duration = "5 s"')
    if rssi_dbm is not None:
        text = re.sub(r'(\[wifi\.home\.radio\.\w+\]\nrssi = )"[^"]+"', rf'\1"{rssi_dbm} dBm"', text)
    made = run(tmp_path, text)
    roles = [nic["role"] for nic in made.plan["air"]["nics"]]
    found = airtime_of_stations(
        made.parts("links", "nic", "peer"), roles.index("access_point"), 10**9, 5 * 10**9
    )
    assert len(found.shares) == 20
    # A station has some 48 aggregates of up to 4 ms in this time; one more or less at an end is 2 %.
    assert all(share * 20 == pytest.approx(1, abs=0.05) for share in found.shares.values())
    rates = {row["rate_bps"] for row in made.series("links").filter(pl.col("nic") == 0).to_dicts()} - {0}
    assert (len(rates) == 1) == (rssi_dbm is not None)
