"""Tapped delay lines in scenarios: places, antennas, and what is refused before a run."""

import pytest
from support.wifi_scenarios import air_of, refused, wifi

AC = 'standard = "11ac"\nchannel = 36\nwidth = "80 MHz"'


def cell(keys, fading):
    """A cell of 11ac with these keys, and this fading."""
    return wifi(f"{AC}\n{keys}", f"[channel.fading]\n{fading}")


def fading_of(keys):
    return air_of(cell("", keys))["channel"]["fading"]


@pytest.mark.parametrize(
    ("place", "model", "kmh"),
    [
        ("home", "B", 0.089),
        ("home_people", "B", 1.2),
        ("small_office", "C", 0.089),
        ("office", "D", 0.089),
        ("hall", "E", 0.089),
    ],
)
def test_a_place_sets_model_and_speed(place, model, kmh):
    fading = fading_of(f'kind = "tgn"\nplace = "{place}"')
    assert fading["profile"] == {"kind": "tgn", "model": model}
    assert fading["speed_mps"] == pytest.approx(kmh / 3.6)
    assert (fading["spectrum"], fading["line_of_sight"]) == ("bell", None)


def test_model_and_speed_can_be_given_beside_a_place():
    fading = fading_of('kind = "tgn"\nplace = "home"\nspeed = "1 m/s"')
    assert (fading["profile"]["model"], fading["speed_mps"]) == ("B", pytest.approx(1.0))
    fading = fading_of('kind = "tgn"\nplace = "home_people"\nmodel = "C"')
    assert (fading["profile"]["model"], fading["speed_mps"]) == ("C", pytest.approx(1 / 3))


def test_radios_have_as_many_antennas_as_streams_unless_given():
    office = 'kind = "tgn"\nplace = "office"'
    nics = air_of(cell("streams = 2\n[wifi.home.radio.ap1]\nantennas = 4", office))["nics"]
    assert [(nic["streams"], nic["antennas"]) for nic in nics] == [(2, 4), (2, 2)]
    nics = air_of(cell("antennas = 2", office))["nics"]
    assert [(nic["streams"], nic["antennas"]) for nic in nics] == [(1, 2), (1, 2)]


TAP = '[[channel.fading.tap]]\ndelay = "0 ns"\npower = "0 dB"\n'


def taps(*lines, speed="1 km/h"):
    """Own taps: one without delay, and one for each of the lines."""
    own = "".join(f"[[channel.fading.tap]]\n{line}\n" for line in lines)
    return f'kind = "taps"\nspeed = "{speed}"\n{TAP}{own}'


OFFICE = 'kind = "tgn"\nmodel = "D"\n'
REFUSED = {
    "no model": ("", 'kind = "tgn"', "channel.fading.model", "is missing", 'place = "office"'),
    "unknown place": ("", 'kind = "tgn"\nplace = "barn"', "channel.fading.place", "not possible", "home"),
    "negative speed": ("", OFFICE + 'speed = "-1 km/h"', "channel.fading.speed", "is negative", ""),
    # 0.331 / f_d = 5.484 ms at 12.5 km/h, 5.21 GHz.
    "too fast": (
        "",
        OFFICE + 'speed = "13 km/h"',
        "channel.fading.speed",
        "13 km/h at 5210 MHz",
        "12.5 km/h",
    ),
    "too fast with Jakes": (
        "",
        OFFICE + 'speed = "9.5 km/h"\ndoppler = "jakes"',
        "channel.fading.speed",
        "changes within the longest PPDU",
        "9.1 km/h",
    ),
    "a fast tap": (
        "",
        taps('delay = "50 ns"\npower = "-3 dB"\nspeed = "50 km/h"'),
        "channel.fading.tap[1].speed",
        "50 km/h at 5210 MHz",
        "block fading",
    ),
    "fast taps": ("", taps(speed="50 km/h"), "channel.fading.speed", "50 km/h", "block fading"),
    "long delay": (
        "",
        taps('delay = "4 us"\npower = "-3 dB"'),
        "channel.fading.tap[1].delay",
        "out of range",
        "",
    ),
    # Half of the power is late by 800 of 3200 ns: 1 - 0.75^2 = 0.4375 of it interferes, -6.6 dB.
    "beyond the guard interval": (
        "",
        taps('delay = "1600 ns"\npower = "0 dB"'),
        "channel.fading.tap",
        "guard interval of 800 ns",
        "longer guard_interval",
    ),
    "short guard interval": (
        'guard_interval = "400 ns"',
        'kind = "tgn"\nmodel = "F"',
        "channel.fading.model",
        "-22.4 dB",
        "longer guard_interval",
    ),
    "many taps": ("", taps(*['delay = "9 ns"\npower = "0 dB"'] * 64), "channel.fading.tap", "64", ""),
    "too few antennas": (
        "streams = 2\nantennas = 1",
        OFFICE,
        "wifi.home.antennas",
        "2 streams need as many antennas",
        "antennas = 2",
    ),
    "many antennas": ("antennas = 9", OFFICE, "wifi.home.antennas", "write at most 8", ""),
    "antennas without effect": (
        "[wifi.home.radio.sta1]\nantennas = 2",
        'kind = "rayleigh"\ncoherence = "20 ms"',
        "wifi.home.radio.sta1.antennas",
        "has no effect",
        '"tgn" or "taps"',
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_tapped_delay_lines_can_not_have(case):
    keys, fading, key, what, remedy = REFUSED[case]
    refused(cell(keys, fading), key, what, remedy)


def test_they_are_not_for_60_ghz():
    text = wifi('standard = "11ad"', f"[channel.fading]\n{OFFICE}")
    refused(text, "channel.fading", "no tapped delay line is meant for 60 GHz", "rician")


def test_delays_within_what_receivers_tolerate_are_allowed():
    """-35 dB of model F beyond 800 ns; 64-QAM 5/6 tolerates -27 dB. The longest symbols have the longest guard intervals."""
    fading_of('kind = "tgn"\nmodel = "F"')
    fading_of(taps('delay = "1600 ns"\npower = "-25 dB"'))
    ax = 'standard = "11ax"\nchannel = 36\nguard_interval = "3200 ns"'
    own = taps('delay = "3200 ns"\npower = "0 dB"')
    air_of(wifi(ax, f"[channel.fading]\n{own}"))


def test_the_highest_speed_that_is_named_is_allowed():
    fading_of(OFFICE + 'speed = "12.5 km/h"')
    fading_of(OFFICE + 'speed = "9.1 km/h"\ndoppler = "jakes"')
