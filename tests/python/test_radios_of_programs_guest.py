"""Radios that programs of a lab guest set up: handshakes, idle radios, meshes, widths."""

import re

import airtcp
import pytest
from airtcp.scenario.reading.scenario_file import scenario_from_tables

pytestmark = pytest.mark.guest

TABLES = {
    "name": "radios-of-programs",
    "duration": "60 s",
    "guest": {"flavour": "lab", "privileged": True, "namespaces": ["mount"]},
    "wifi": {
        "radios": {
            "mac": "linux",
            "setup": "programs",
            "standard": "11n",
            "band": "2.4 GHz",
            "channel": 1,
            "width": "40 MHz",
            "stations": ["ap", "first", "second"],
        }
    },
}
ACCESS_POINT = """
interface=wlan0
driver=nl80211
hw_mode=g
"""
WPA2 = """
wpa=2
wpa_key_mgmt=WPA-PSK
rsn_pairwise=CCMP
wpa_passphrase=correct horse
"""
# Handshakes by packet sockets, as supplicants did before wpa_supplicant 2.10.
STATION = """
ctrl_interface=/tmp/supplicant
driver_param=control_port=0
network={
ssid="keys"
psk="correct horse"
scan_freq=2412
}
"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    with airtcp.lab(scenario_from_tables(TABLES), store=tmp_path_factory.mktemp("radios")) as lab:
        yield lab


@pytest.fixture(autouse=True)
def all_down(lab):
    """Each test begins with stations that nothing uses."""
    yield
    for name in ("ap", "first", "second"):
        lab[name].run(
            "pkill hostapd; pkill wpa_supplicant; sleep 0.1; ip addr flush dev wlan0;"
            "ip link set wlan0 down; iw dev wlan0 set type managed"
        ).check()


def start_access_point(lab, ssid, channel, more="", node="ap"):
    text = f"{ACCESS_POINT}ctrl_interface=/tmp/{node}-control\nssid={ssid}\nchannel={channel}\n{more}"
    lab[node].run(f"echo '{text}' >/tmp/{ssid}.conf; hostapd -B -f /tmp/{ssid}.log /tmp/{ssid}.conf").check()


def told(node, command):
    return node.run(command).check().output


def test_keys_are_renewed_without_the_control_port(lab):
    """The last message of a handshake must not be encrypted with the key that it confirms."""
    ap, station = lab["ap"], lab["first"]
    start_access_point(lab, "keys", 1, WPA2 + "wpa_ptk_rekey=1\n")
    station.run(f"echo '{STATION}' >/tmp/w.conf; wpa_supplicant -B -i wlan0 -c /tmp/w.conf; sleep 1").check()
    assert "wpa_state=COMPLETED" in told(station, "wpa_cli -p /tmp/supplicant status")
    ap.run("ip addr add 10.9.0.1/24 dev wlan0").check()
    pinged = told(station, "ip addr add 10.9.0.2/24 dev wlan0; ping -i 0.02 -c 200 10.9.0.1")
    # Linux's access point has the new key a millisecond before its station, whose radio is to send what it holds first.
    assert int(re.search(r"(\d+) received", pinged)[1]) >= 199
    log = told(ap, "cat /tmp/keys.log")
    assert log.count("pairwise key handshake completed") >= 4
    assert "DISCONNECTED" not in log


def test_an_idle_radio_hears_nothing(lab):
    """Its interface is up and has no network: its last scan was the last that it heard of others."""
    start_access_point(lab, "near", 1)
    idle = lab["first"]
    found = told(idle, "sleep 0.5; ip link set wlan0 up; iw dev wlan0 scan freq 2412 passive")
    assert "SSID: near" in found
    later = told(idle, "sleep 2; iw dev wlan0 scan dump")
    assert min(map(int, re.findall(r"last seen: (\d+) ms ago", later))) >= 2000


def test_two_access_points_of_one_channel_are_both_found(lab):
    """Both hear the same probe request. Responses that began together would collide at every scan; some still meet."""
    start_access_point(lab, "one", 1)
    start_access_point(lab, "two", 1, node="first")
    scan = "iw dev wlan0 scan freq 2412 flush | grep SSID: ; "
    found = told(lab["second"], "ip link set wlan0 up; sleep 1; " + 20 * scan + "true")
    assert min(found.count("SSID: one"), found.count("SSID: two")) >= 18


def test_stations_of_one_network_become_peers_of_a_mesh(lab):
    """Both have followed the access point's timer: with that timer their beacons would collide for ever."""
    start_access_point(lab, "before", 11)
    stations = lab["first"], lab["second"]
    for station in stations:
        link = told(
            station, "ip link set wlan0 up; iw dev wlan0 connect before 2462; sleep 1; iw dev wlan0 link"
        )
        assert "SSID: before" in link
        station.run("iw dev wlan0 disconnect; ip link set wlan0 down; iw dev wlan0 set type mp").check()
    lab["ap"].run("pkill hostapd").check()
    for station in stations:
        station.run("ip link set wlan0 up; iw dev wlan0 mesh join m freq 2462").check()
    assert told(lab["first"], "sleep 5; iw dev wlan0 station dump | grep 'mesh plink'").split()[-1] == "ESTAB"


def test_a_wide_access_point_is_found_by_its_primary_channel(lab):
    """Its secondary channel overlaps the channel of the plan's cell, its primary channel, 9, does not."""
    start_access_point(lab, "wide", 9, "ieee80211n=1\nht_capab=[HT40-]\n")
    # hostapd looks for other networks first.
    width = told(lab["ap"], "sleep 3; iw dev wlan0 info")
    assert "channel 9 (2452 MHz), width: 40 MHz, center1: 2442 MHz" in width
    for _ in range(2):
        found = told(lab["first"], "ip link set wlan0 up; iw dev wlan0 scan freq 2452 flush")
        assert "SSID: wide" in found
