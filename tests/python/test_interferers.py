"""Sources of interference that are no Wi-Fi: presets, powers, patterns, refusals."""

import pytest
from support.wifi_scenarios import air_of, refused, wifi


def source_of(keys, cell="channel = 6", rest=""):
    (source,) = air_of(wifi(cell, f"[[interferer]]\n{keys}\n{rest}"))["channel"]["interferers"]
    return source


def test_an_oven_with_its_preset():
    assert source_of(
        'kind = "microwave_oven"\nrssi = "-55 dBm"\nrssi_at = { sta1 = "-70 dBm" }', "channel = 9"
    ) == {
        "name": "microwave_oven",
        "power": {"kind": "received", "levels": [{"nic": 1, "rssi_dbm": -70.0}], "default_dbm": -55.0},
        "bandwidth_khz": 20_000,
        "centres_khz": [2_455_000],
        "pattern": {
            "kind": "periodic",
            "period_ns": 20_000_000,
            "on_ns": 8_000_000,
            "phase_ns": 0,
            "jitter_ns": 0,
        },
    }


def test_bluetooth_hops_over_79_channels():
    source = source_of('kind = "bluetooth"\nname = "headset"\nrssi = "-60 dBm"')
    assert source["name"] == "headset"
    assert source["centres_khz"] == [1000 * mhz for mhz in range(2402, 2481)]
    fixed = source_of('kind = "bluetooth"\nfrequency = "2440 MHz"\nrssi = "-60 dBm"')
    assert fixed["centres_khz"] == [2_440_000]


def test_a_place_and_random_bursts():
    keys = 'kind = "microwave_oven"\nposition = ["3 m", "0 m"]\noff = "12 ms"\nfrequency = "2437 MHz"'
    source = source_of(keys, rest='[channel]\npropagation = "free_space"')
    assert source["power"] == {"kind": "sent", "tx_power_dbm": 20.0, "position_m": [3.0, 0.0, 0.0]}
    assert source["pattern"] == {"kind": "random", "mean_on_ns": 8_000_000, "mean_off_ns": 12_000_000}


def test_a_network_without_them_has_none():
    assert air_of(wifi())["channel"]["interferers"] == []


ON_OFF = 'kind = "on_off"\nrssi = "-60 dBm"\nfrequency = "2437 MHz"\nbandwidth = "20 MHz"\non = "1 ms"\n'
REFUSED = {
    "elsewhere": ('kind = "radar"\nfrequency = "5500 MHz"\nrssi = "-60 dBm"', "frequency", "has no effect"),
    "duty": (ON_OFF + 'period = "0.5 ms"', "on", "longer than the period"),
    "jitter": (ON_OFF + 'period = "1.5 ms"\njitter = "1 ms"', "on", "and jitter together"),
    "no period": (ON_OFF, "period", "is missing"),
    "both patterns": (ON_OFF + 'period = "2 ms"\noff = "1 ms"', "period", "has no effect with off"),
    "no rssi": ('kind = "bluetooth"', "rssi", "is needed"),
    "rssi and place": (
        ON_OFF + 'period = "2 ms"\nposition = ["1 m", "0 m"]',
        "position",
        "has no effect with rssi",
    ),
    "backwards": (
        'kind = "bluetooth"\nrssi = "-60 dBm"\nfrequency = "2437 MHz"\nlast_frequency = "2402 MHz"',
        "last_frequency",
        "below",
    ),
    "no bandwidth": (ON_OFF.replace("20 MHz", "0 MHz") + 'period = "2 ms"', "bandwidth", "more than 0"),
}


@pytest.mark.parametrize(("keys", "key", "what"), REFUSED.values(), ids=REFUSED)
def test_refused(keys, key, what):
    refused(wifi("channel = 6", f"[[interferer]]\n{keys}"), f"interferer[0].{key}", what)
