"""Modes and rate control as people write them, and what the standard does not have."""

import pytest
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.errors import ScenarioError
from airtcp.wifi.standard import (
    BANDS,
    formats,
    standards,
    why_no_guard,
    why_no_mcs,
    why_no_streams,
    why_no_width,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from support.wifi_scenarios import air_of, nics_of, refused, scenario_of, wifi


def mode_of(keys):
    return nics_of(keys)[0]["rate_control"]["mode"]


def mcs(format_name, number, streams, width_mhz, guard_ns):
    return {
        "kind": "mcs",
        "format": format_name,
        "mcs": number,
        "streams": streams,
        "width_mhz": width_mhz,
        "guard_ns": guard_ns,
    }


@pytest.mark.parametrize(
    ("keys", "mode"),
    [
        ('rate = "54 Mbit/s"', {"kind": "legacy", "rate_bps": 54_000_000}),
        ('standard = "11b"\nrate = "5.5 Mbit/s"', {"kind": "legacy", "rate_bps": 5_500_000}),
        ('standard = "11n"\nrate = "MCS 7"', mcs("ht", 7, 1, 20, 800)),
        ('standard = "11n"\nrate = "HT-MCS 15 40 MHz SGI"', mcs("ht", 7, 2, 40, 400)),
        ('standard = "11n"\nrate = "ht mcs 9"', mcs("ht", 1, 2, 20, 800)),
        ('standard = "11ac"\nrate = "VHT-MCS 9 x2 80 MHz SGI"', mcs("vht", 9, 2, 80, 400)),
        ('standard = "11ac"\nrate = "VHT-MCS9, 3 streams, 40 MHz, LGI"', mcs("vht", 9, 3, 40, 800)),
        ('standard = "11ax"\nrate = "MCS 11 2x GI 1600 ns"', mcs("he", 11, 2, 80, 1600)),
        ('standard = "11ax"\nrate = "MCS 0 3.2 us GI"\nwidth = "20 MHz"', mcs("he", 0, 1, 20, 3200)),
        ('standard = "11be"\nband = "6 GHz"\nrate = "EHT-MCS 13 320 MHz"', mcs("eht", 13, 1, 320, 800)),
        ('standard = "11ad"\nrate = "DMG-MCS 12"', mcs("dmg", 12, 1, 2160, 800)),
        ('standard = "11ac"\nrate = { mcs = 5, streams = 2, width = "40 MHz" }', mcs("vht", 5, 2, 40, 800)),
        ('standard = "11ac"\nrate = { mcs = 5 }\nguard_interval = "400 ns"', mcs("vht", 5, 1, 80, 400)),
        ("standard = '11b'", {"kind": "legacy", "rate_bps": 11_000_000}),
        ("standard = '11a'", {"kind": "legacy", "rate_bps": 54_000_000}),
    ],
)
def test_modes_as_text_and_table(keys, mode):
    assert mode_of(keys) == mode


def test_a_radio_has_the_he_ltf_that_it_names():
    text = wifi('standard = "11ax"\nhe_ltf = "4x"', '[wifi.home.radio.sta1]\nhe_ltf = "1x"')
    assert [nic["phy_options"]["he_ltf"] for nic in air_of(text)["nics"]] == ["4x", "1x"]


def test_a_fixed_mode_brings_antennas_guard_interval_and_width():
    access_point, station = nics_of('standard = "11n"\nrate = "HT-MCS 23 40 MHz SGI"')
    assert [(nic["streams"], nic["guard_ns"]) for nic in (access_point, station)] == [(3, 400)] * 2
    # One radio's mode, too, is a mode that its access point receives.
    access_point, station = nics_of(
        'standard = "11ac"', '[wifi.home.radio.sta1]\nrate = "MCS 8 x4 SGI 160 MHz"'
    )
    assert (access_point["streams"], access_point["guard_ns"]) == (4, 400)
    assert access_point["rate_control"]["kind"] == "minstrel_ht"


@pytest.mark.parametrize(
    ("rate", "plan"),
    [
        (
            '"arf"',
            {"kind": "arf", "success_threshold": 10, "timeout_frames": 15, "failure_threshold": 2},
        ),
        (
            '{ control = "aarf", success_max = 60, success_factor = 1.5 }',
            {
                "kind": "aarf",
                "success_min": 10,
                "success_max": 60,
                "success_factor": 1.5,
                "timeout_min_frames": 15,
                "timeout_factor": 2.0,
            },
        ),
        (
            '"CARA"',
            {
                "kind": "cara",
                "probe_threshold": 1,
                "failure_threshold": 2,
                "success_threshold": 10,
                "timeout_frames": 15,
            },
        ),
        (
            '{ control = "minstrel", interval = "50 ms" }',
            {"kind": "minstrel", "interval_us": 50_000, "ewma_percent": 75, "sample_percent": 10},
        ),
        ('"minstrel-ht"', {"kind": "minstrel_ht", "interval_us": 50_000, "ewma_percent": 75}),
        ('"ideal"', {"kind": "ideal", "error_rate": 0.01}),
    ],
)
def test_rate_control(rate, plan):
    assert [nic["rate_control"] for nic in nics_of(f"rate = {rate}")] == [plan, plan]


def test_newer_standards_choose_rates_as_linux_does():
    for standard in ("11n", "11ac", "11ax", "11be", "11ad"):
        assert nics_of(f'standard = "{standard}"')[0]["rate_control"]["kind"] == "minstrel_ht"


WRONG = {
    "HT at 80 MHz": (
        'standard = "11n"\nwidth = "80 MHz"',
        "width",
        "HT has channels of 20 and 40 MHz, not of 80 MHz",
    ),
    "HT at 80 MHz in a mode": (
        'standard = "11n"\nrate = "MCS 7 80 MHz"',
        "rate",
        "HT has channels of 20 and 40 MHz, not of 80 MHz",
    ),
    "HE-LTF in 11ac": ('standard = "11ac"\nhe_ltf = "4x"', "he_ltf", "27.3.11.10", "leave he_ltf out"),
    "1x HE-LTF with 1.6 us": (
        'standard = "11ax"\nrate = "MCS 7 GI 1.6 us"\nhe_ltf = "1x"',
        "he_ltf",
        "not 1x with 1600 ns (IEEE 802.11ax-2021, Table 27-18)",
        "leave he_ltf out",
    ),
    "short GI in 11g": ('guard_interval = "400 ns"', "guard_interval", "Table 17-5", "Leave it out"),
    "short GI in 11ax": (
        'standard = "11ax"\nrate = "MCS 7 SGI"',
        "rate",
        "HE has guard intervals of 800, 1600 and 3200 ns, not of 400 ns",
    ),
    "VHT at 2.4 GHz": (
        'standard = "11ac"\nband = "2.4 GHz"',
        "band",
        "VHT (11ac) is used at 5 GHz, not at 2.4 GHz",
        "5 GHz",
    ),
    "MCS 10 in VHT": ('standard = "11ac"\nrate = "MCS 10"', "rate", "VHT has MCS 0 to 9, not MCS 10"),
    "MCS 9 at 20 MHz": (
        'standard = "11ac"\nwidth = "20 MHz"\nrate = "MCS 9"',
        "rate",
        "VHT has no MCS 9 at 20 MHz with 1 spatial stream:",
    ),
    "five streams in HT": (
        'standard = "11n"\nstreams = 5',
        "streams",
        "HT has 1 to 4 spatial streams, not 5",
    ),
    "more streams than antennas": (
        'standard = "11ac"\nstreams = 1\nrate = "MCS 7 x2"',
        "rate",
        "has 2 spatial streams, and streams is 1",
        "streams = 2",
    ),
    "HT's numbers count the streams": (
        'standard = "11n"\nrate = "HT-MCS 7 x2"',
        "rate",
        "HT MCS 7 has 1 spatial stream, not 2",
        '"HT-MCS 15"',
    ),
    "MCS in 11g": ('rate = "MCS 7"', "rate", "11g has rates and no MCS", "54 Mbit/s"),
    "rate in 11n": ('standard = "11n"\nrate = "54 Mbit/s"', "rate", "modes are numbered", "HT-MCS 7"),
    "another format": (
        'standard = "11ax"\nrate = "VHT-MCS 7"',
        "rate",
        "send HE to each other, not VHT",
        "[wifi.NAME.radio.NODE] standard",
    ),
    "wider than the cell": (
        'standard = "11ac"\nwidth = "20 MHz"\nrate = "MCS 7 40 MHz"',
        "rate",
        "wider than the cell",
        'width = "40 MHz"',
    ),
    "no width at all": (
        'standard = "11ac"\nrate = "MCS 7 30 MHz"',
        "rate",
        "VHT has channels of 20, 40, 80 and 160 MHz, not of 30 MHz",
    ),
    "control mode for data": ('standard = "11ad"\nrate = "MCS 0"', "rate", "1 to 12"),
    "unknown word": ('standard = "11ac"\nrate = "MCS 7 foo"', "rate", '"foo" in "MCS 7 foo"'),
    "said twice": ('standard = "11ac"\nrate = "MCS 7 SGI LGI"', "rate", "two things about guard"),
    "unknown control": ('rate = "minstrle"', "rate", 'did you mean "minstrel"?'),
    "legacy Minstrel": (
        'standard = "11n"\nrate = "minstrel"',
        "rate",
        "knows no modes of 11n",
        "minstrel_ht",
    ),
    "parameter of another": ('rate = { control = "arf", error_rate = 0.1 }', "rate.error_rate", "unknown"),
    "parameter out of range": (
        'rate = { control = "arf", success_threshold = 0 }',
        "rate.success_threshold",
        "write at least 1",
    ),
    "table of nothing": ("rate = { success_threshold = 3 }", "rate", "needs control"),
    "number": ("rate = 54", "rate", "is no mode"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_the_standard_does_not_have_is_refused(case):
    keys, key, *reason = WRONG[case]
    refused(wifi(keys), f"wifi.home.{key}", *reason)


def test_both_ends_of_a_link_must_have_a_mode():
    fast = 'standard = "11ac"\nrate = "MCS 7 x2"'
    refused(
        wifi(fast, "[wifi.home.radio.sta1]\nstreams = 1\nrate = 'MCS 7'"),
        "wifi.home.rate",
        'has 2 spatial streams, and "sta1" has 1 antenna',
        "fewer",
    )
    refused(
        wifi('standard = "11n"\nrate = "MCS 7 SGI"', '[wifi.home.radio.sta1]\nguard_interval = "800 ns"'),
        "wifi.home.rate",
        'the guard_interval of "sta1" is 800 ns',
    )


def test_the_standard_has_so_many_modes():
    """As the model counts them (`phy::legality`): rates x streams x widths x guard intervals."""
    counts = {
        (name, band): sum(
            why_no_width(one, width, band) is None
            and why_no_streams(one, streams) is None
            and why_no_guard(one, guard) is None
            and why_no_mcs(one, mcs, streams, width) is None
            for mcs in range(16)
            for streams in range(10)
            for width in (20, 40, 80, 160, 320, 2160)
            for guard in (400, 800, 1600, 3200)
        )
        for name, one in formats().items()
        if one.mcs
        for band in BANDS
    }
    by_format = {name: [counts[name, band] for band in BANDS] for name in ("HT", "VHT", "HE", "EHT", "DMG")}
    assert by_format == {
        "HT": [128, 128, 0, 0],
        "VHT": [0, 620, 0, 0],
        "HE": [576, 1152, 1152, 0],
        "EHT": [672, 1344, 1680, 0],
        "DMG": [0, 0, 0, 12],
    }


RATES = st.one_of(
    st.sampled_from(
        ["54 Mbit/s", "11 Mbit/s", "arf", "minstrel-ht", "ideal", "HT-MCS 15", "DMG-MCS 12", "MCS"]
    ),
    st.builds(
        "{}MCS {}{}{}{}".format,
        st.sampled_from(["", "HT-", "VHT ", "HE-", "EHT-", "he"]),
        st.integers(0, 33),
        st.sampled_from(["", " x2", " x9", ", 3 streams"]),
        st.sampled_from(["", " 20 MHz", " 40 MHz", " 80 MHz", " 160 MHz", " 30 MHz"]),
        st.sampled_from(["", " SGI", " LGI", " GI 1600 ns", " 3.2 us", " 1 s"]),
    ),
    st.text(max_size=12).filter(lambda text: "'" not in text and text.isprintable()),
)


def compiled(text):
    try:
        return compile_scenario(scenario_of(text))["air"], None
    except ScenarioError as error:
        return None, error


@settings(max_examples=300, deadline=None)
@given(
    RATES,
    st.sampled_from(list(standards())),
    st.sampled_from([None, *BANDS]),
    st.sampled_from([None, 20, 40, 80, 160, 320, 2160]),
    st.sampled_from([None, 1, 2, 8]),
)
def test_a_mode_is_legal_or_refused(rate, standard, band, width, streams):
    """Whatever is written: a mode within the cell and its antennas, or an error that names a key of the cell."""
    keys = [f"standard = '{standard}'", f"rate = '{rate}'"]
    keys += [f"band = '{band}'"] if band else []
    keys += [f"width = '{width} MHz'"] if width else []
    keys += [f"streams = {streams}"] if streams else []
    air, error = compiled(wifi("\n".join(keys)))
    if error is not None:
        assert error.key.startswith("wifi.home.")
        assert error.what
        return
    nic, control = air["nics"][0], air["nics"][0]["rate_control"]
    if control["kind"] == "fixed" and control["mode"]["kind"] == "mcs":
        mode = control["mode"]
        assert mode["streams"] <= nic["streams"]
        assert mode["guard_ns"] >= nic["guard_ns"]
        assert mode["width_mhz"] <= air["cells"][0]["channel"]["width_mhz"]
        assert mode["mcs"] in formats()[mode["format"].upper()].mcs
