"""Stations of other generations than their cell: what the plan has of them, and what is refused."""

import pytest
from support.wifi_scenarios import air_of, nics_of, refused, wifi

MIXED = """
[wifi.home.radio.ac]
standard = "11ac"
[wifi.home.radio.n]
standard = "11n"
[wifi.home.radio.old]
standard = "11a"
"""
STATIONS = '["new", "ac", "n", "old"]'


def by_node(keys="", rest="", stations=STATIONS):
    return {nic["node"]: nic for nic in nics_of(keys, rest, stations)}


def test_each_station_has_its_standard_and_its_part_of_the_channel():
    nics = by_node('standard = "11ax"', MIXED)
    assert {name: (nic["standard"], nic["width_mhz"]) for name, nic in nics.items()} == {
        "ap1": (None, None),
        "new": (None, None),
        "ac": ("11ac", None),
        "n": ("11n", 40),
        "old": ("11a", 20),
    }
    assert {name: nic["nominal_packet_padding_us"] for name, nic in nics.items()} == {
        "ap1": 16,
        "new": 16,
        "ac": 0,
        "n": 0,
        "old": 0,
    }
    windows = {name: (nic["aggregation"] or {}).get("block_ack_window") for name, nic in nics.items()}
    assert windows == {"ap1": 256, "new": 256, "ac": 64, "n": 64, "old": None}
    assert {nic["rate_control"]["kind"] for nic in nics.values()} == {"minstrel_ht"}


def test_a_station_has_the_settings_of_its_cell_as_far_as_its_standard_does():
    keys = 'standard = "11ax"\nstreams = 8\nhe_ltf = "4x"\nguard_interval = "3200 ns"\n'
    keys += 'nominal_packet_padding = "8 us"\naggregation = { window = 256, ampdu = "1000000 B" }'
    nics = by_node(keys, MIXED)
    assert {name: nic["streams"] for name, nic in nics.items()} == {
        "ap1": 8,
        "new": 8,
        "ac": 8,
        "n": 4,
        "old": 1,
    }
    assert {name: nic["guard_ns"] for name, nic in nics.items()} == {
        "ap1": 3200,
        "new": 3200,
        "ac": 800,
        "n": 800,
        "old": 800,
    }
    assert {name: nic["phy_options"]["he_ltf"] for name, nic in nics.items()}["ac"] is None
    limits = {name: nic["aggregation"] for name, nic in nics.items() if nic["aggregation"]}
    assert {name: one["block_ack_window"] for name, one in limits.items()} == {
        "ap1": 256,
        "new": 256,
        "ac": 64,
        "n": 64,
    }
    assert limits["n"]["ampdu_bytes"] == 65_535


def test_a_newer_station_at_an_older_access_point():
    new = '[wifi.home.radio.sta1]\nstandard = "11ax"'
    at_11n = by_node('standard = "11n"', new, '["sta1"]')["sta1"]
    assert (at_11n["standard"], at_11n["width_mhz"]) == ("11ax", None)
    at_11g = by_node("", new, '["sta1"]')["sta1"]
    assert at_11g["rate_control"]["mode"]["rate_bps"] == 54_000_000
    assert at_11g["aggregation"] is None, "without WMM mac80211 uses no HT"
    fixed = by_node('standard = "11n"\nrate = "MCS 7"', new, '["sta1"]')["sta1"]["rate_control"]["mode"]
    assert (fixed["format"], fixed["mcs"]) == ("ht", 7)


def test_a_station_may_have_a_part_of_the_channel():
    nics = by_node('standard = "11ac"', '[wifi.home.radio.sta1]\nwidth = "40 MHz"', '["sta1"]')
    assert nics["sta1"]["width_mhz"] == 40


def test_11b_stations_make_newer_cells_careful_too():
    air = air_of(wifi('standard = "11ax"\nband = "2.4 GHz"', '[wifi.home.radio.sta1]\nstandard = "11b"'))
    (cell,) = air["cells"]
    assert (cell["slot"], cell["protection"]) == ("long", "cts_to_self")
    assert air["nics"][1]["standard"] == "11b"


def test_an_access_point_of_11g_may_control_rates_towards_11b():
    old = '[wifi.home.radio.sta1]\nstandard = "11b"'
    assert by_node('rate = "minstrel"', old, '["sta1"]')["ap1"]["rate_control"]["kind"] == "minstrel"


OWN = "[wifi.home.radio.sta1]\n"
WRONG = {
    "11ac at 2.4 GHz": (
        "",
        'standard = "11ac"',
        "standard",
        "VHT (11ac) is used at 5 GHz, not at 2.4 GHz",
        "11n",
    ),
    "11b at 5 GHz": (
        'standard = "11n"',
        'standard = "11b"',
        "standard",
        "not at 5 GHz",
        "Known at 5 GHz: 11a",
    ),
    "11n at 6 GHz": (
        'standard = "11ax"\nband = "6 GHz"',
        'standard = "11n"',
        "standard",
        "not at 6 GHz",
        "Known at 6 GHz: 11ax, 11be",
    ),
    "11ad beside others": (
        'standard = "11ax"',
        'standard = "11ad"',
        "standard",
        "60 GHz, not at 5 GHz",
        "Known",
    ),
    "wider than the cell": (
        'standard = "11ac"\nwidth = "40 MHz"',
        'width = "80 MHz"',
        "width",
        "wider than the cell",
        'width = "80 MHz" in the cell',
    ),
    "wider than its standard": (
        'standard = "11ac"',
        'standard = "11n"\nwidth = "80 MHz"',
        "width",
        "HT has channels of 20 and 40 MHz",
        "another width",
    ),
    "basic rates of OFDM": (
        'basic_rates = ["6 Mbit/s"]',
        'standard = "11b"',
        "standard",
        "can't receive 6 Mbit/s, a basic rate",
        "basic_rates",
    ),
    "an option of HE": (
        'standard = "11ax"',
        'standard = "11ac"\nhe_ltf = "4x"',
        "he_ltf",
        "only HE (11ax) has an HE-LTF",
        "leave he_ltf out",
    ),
    "padding": (
        'standard = "11ax"',
        'standard = "11ac"\nnominal_packet_padding = "8 us"',
        "nominal_packet_padding",
        "PPDUs of 11ac have no packet extension",
        "Leave it out",
    ),
    "a guard interval": (
        'standard = "11ax"',
        'standard = "11n"\nguard_interval = "1600 ns"',
        "guard_interval",
        "HT has guard intervals",
        "another",
    ),
    "aggregation": (
        'standard = "11ax"',
        'standard = "11a"\naggregation = true',
        "aggregation",
        "has no aggregation",
        "",
    ),
    "a mode of the cell": (
        'standard = "11ax"',
        'standard = "11n"\nrate = "HE-MCS 7"',
        "rate",
        "radios of 11n send HT to each other, not HE",
        "HT-MCS 7",
    ),
    "a wide mode": (
        'standard = "11ac"',
        'width = "20 MHz"\nrate = "VHT-MCS 7 80 MHz"',
        "rate",
        "is wider than the cell, which has 20 MHz",
        "",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_a_station_can_not_have(case):
    keys, own, key, what, remedy = WRONG[case]
    refused(wifi(keys, OWN + own), f"wifi.home.radio.sta1.{key}", what, remedy)


def test_a_fixed_mode_of_the_access_point_is_for_all_stations():
    old = '[wifi.home.radio.sta1]\nstandard = "11n"\nrate = "MCS 7"\n'
    fixed = wifi('standard = "11ax"', old + '[wifi.home.radio.ap1]\nrate = "HE-MCS 7"')
    key = "wifi.home.radio.sta1.standard"
    refused(fixed, key, '"sta1" is a station of 11n and can\'t receive HE-MCS 7', 'rate = "minstrel_ht"')


def test_the_access_point_has_the_standard_of_its_cell():
    text = wifi('standard = "11ax"', '[wifi.home.radio.ap1]\nstandard = "11n"')
    refused(text, "wifi.home.radio.ap1.standard", "is the access point", "[wifi.home]")
    assert nics_of('standard = "11n"', '[wifi.home.radio.ap1]\nstandard = "11n"')[0]["standard"] is None


def test_radios_of_mac80211_have_generations_too():
    nics = by_node('mac = "linux"\nstandard = "11ax"', MIXED)
    assert [nics[name]["standard"] for name in ("ac", "n", "old")] == ["11ac", "11n", "11a"]
    key = "wifi.home.radio.sta1.standard"
    refused(wifi('mac = "linux"\nstandard = "11ac"', OWN + 'standard = "11be"'), key, "MLO", '"11ax"')
    mesh = wifi(
        'mac = "linux"\nkind = "mesh"\nstandard = "11n"', OWN + 'standard = "11a"', '["sta1", "sta2"]'
    )
    refused(mesh, key, "radios of one mesh of mac80211 have one standard", "[wifi.home]")
    daemons = wifi('mac = "linux"\nstandard = "11n"\nht_protection = "rts_cts"')
    refused(daemons, "wifi.home.ht_protection", "hostapd decide about it")
