"""The channel: propagation, walls, variation, recordings, losses, reception."""

import math

import pytest
from airtcp.scenario.errors import ScenarioError
from airtcp.wifi.wall_material import MATERIALS, wall_loss_db
from support.wifi_scenarios import HEAD, air_of, refused, wifi

PLACE = '[wifi.home.radio.sta1]\nposition = ["3 m", "4 m", "1.5 m"]\n[wifi.home.radio.ap1]\nposition = ["0 m", "0 m", "2 m"]\n'


def channel_of(keys, places=PLACE, cell=""):
    return air_of(wifi(cell, f"{places}[channel]\n{keys}"))["channel"]


@pytest.mark.parametrize(
    ("keys", "propagation"),
    [
        ('propagation = "free_space"', {"kind": "free_space"}),
        (
            'propagation = "log_distance"\nexponent = 3.5\nreference_distance = "5 m"',
            # 40.1 dB at 1 m and 20 log10(5) more.
            {
                "kind": "log_distance",
                "exponent": 3.5,
                "reference_loss_db": 54.07,
                "reference_distance_m": 5.0,
            },
        ),
        ('propagation = "two_ray"', {"kind": "two_ray", "permittivity": 15.0}),
        ('propagation = "two_ray"\npermittivity = 7', {"kind": "two_ray", "permittivity": 7}),
        ('propagation = "two_ray"\npermittivity = "total"', {"kind": "two_ray", "permittivity": None}),
        (
            'propagation = "itu_indoor"\ncoefficient = 28\nfloor_loss = ["10 dB"]',
            {
                "kind": "itu_indoor",
                "coefficient": 28,
                "floor_loss_db": [10.0],
                "floor_height_m": 3.0,
            },
        ),
        (
            'propagation = "multi_wall"\n[[channel.wall]]\npoints = [["1 m", "0 m"], ["1 m", "9 m"], ["7 m", "9 m"]]\nloss = "5 dB"',
            {
                "kind": "multi_wall",
                "exponent": 2.0,
                "reference_loss_db": 40.1,
                "floor_plan": {
                    "walls": [
                        {"from_m": [1.0, 0.0], "to_m": [1.0, 9.0], "height_m": [0.0, 2.5], "loss_db": 5.0},
                        {"from_m": [1.0, 9.0], "to_m": [7.0, 9.0], "height_m": [0.0, 2.5], "loss_db": 5.0},
                    ]
                },
            },
        ),
    ],
)
def test_propagation(keys, propagation):
    assert channel_of(keys)["propagation"] == propagation


def test_places_and_ways():
    text = wifi(
        "",
        '[wifi.home.radio.sta1]\nposition = ["1 m", "2 m"]\ntx_power = "15 dBm"\n'
        'waypoints = [{ time = "1 s", position = ["5 m", "2 m"] }]\n[channel]\npropagation = "free_space"',
    )
    access_point, station = air_of(text)["nics"]
    assert (access_point["position_m"], access_point["tx_power_dbm"]) == ([0.0, 0.0, 0.0], 20.0)
    assert (station["position_m"], station["tx_power_dbm"]) == ([1.0, 2.0, 0.0], 15.0)
    assert station["waypoints"] == [{"time_ns": 1_000_000_000, "position_m": [5.0, 2.0, 0.0]}]


def test_walls_lose_what_their_material_says():
    """By hand from ITU-R P.2040-3: brick at 5.5 GHz has e = 3.91 and s = 0.0238 * 5.5^0.16 = 0.031263 S/m."""
    attenuation = 1636 * 0.031263 / math.sqrt(3.91) * 0.115
    reflected = ((math.sqrt(3.91) - 1) / (math.sqrt(3.91) + 1)) ** 2
    assert reflected == pytest.approx(0.10776, abs=1e-5)
    by_hand = attenuation - 20 * math.log10(1 - reflected)
    assert wall_loss_db("brick", "5 GHz", None) == pytest.approx(by_hand, abs=0.01)
    keys = 'propagation = "multi_wall"\n[[channel.wall]]\npoints = [["1 m", "0 m"], ["1 m", "9 m"]]\nmaterial = "brick"'
    walls = channel_of(keys, cell='standard = "11a"')["propagation"]["floor_plan"]["walls"]
    assert [wall["loss_db"] for wall in walls] == [wall_loss_db("brick", "5 GHz", None)]


def test_thicker_walls_and_higher_bands_lose_more():
    for name, row in MATERIALS.items():
        assert wall_loss_db(name, "2.4 GHz", None) <= wall_loss_db(name, "5 GHz", None)
        assert wall_loss_db(name, "5 GHz", 2 * row.thickness_m) > wall_loss_db(name, "5 GHz", None)
    # What was measured of 12.8 mm of drywall, 2.4 GHz: 0.5 dB (Wilson, 2002); of 20 cm of concrete: 10 to 20 dB.
    assert MATERIALS["plasterboard"].loss_db(2.45, 0.0128) / 2 == pytest.approx(0.5, abs=0.4)
    assert 10 < wall_loss_db("concrete", "2.4 GHz", 0.2) < 20


def test_variation_and_reception():
    channel = channel_of(
        'propagation = "free_space"\nreception = "table"\ncode = "ldpc"\ncapture = "10 dB"\n'
        'noise_figure = "5 dB"\nupdate = "50 ms"\nfading = { kind = "nakagami", m = 2, coherence = "10 ms" }\n'
        'shadowing = { sigma = "4 dB" }'
    )
    assert channel["shadowing"] == {"sigma_db": 4.0, "decorrelation_m": 6.0}
    assert channel["fading"] == {"kind": "nakagami", "m": 2, "coherence_ns": 10_000_000}
    assert channel["reception"] == {"kind": "table", "code": "ldpc"}
    assert (channel["capture_db"], channel["noise_figure_db"], channel["update_ns"]) == (
        10.0,
        5.0,
        50_000_000,
    )
    plain = air_of(wifi())["channel"]
    assert (plain["shadowing"], plain["fading"], plain["capture_db"]) == (None, {"kind": "none"}, 10)
    assert channel_of('capture = "off"', "")["capture_db"] is None
    assert channel_of('reception = "nist"', "")["reception"] == {"kind": "nist"}
    assert channel_of('fading = { kind = "rayleigh", coherence = "1 ms" }', "")["fading"] == {
        "kind": "rayleigh",
        "coherence_ns": 1_000_000,
    }


def test_tapped_delay_lines():
    assert channel_of('fading = { kind = "tgn", model = "D", speed = "1.2 km/h" }', "")["fading"] == {
        "kind": "tapped",
        "profile": {"kind": "tgn", "model": "D"},
        "spectrum": "bell",
        "speed_mps": pytest.approx(1 / 3),
        "line_of_sight": None,
    }
    own = channel_of(
        '[channel.fading]\nkind = "taps"\nspeed = "1 m/s"\n[[channel.fading.tap]]\ndelay = "0 ns"\n'
        'power = "0 dB"\nk = "6 dB"\n[[channel.fading.tap]]\ndelay = "50 ns"\npower = "-3 dB"\nspeed = "2 m/s"\n',
        "",
    )["fading"]
    assert (own["spectrum"], own["speed_mps"], own["line_of_sight"]) == ("jakes", 1.0, None)
    assert own["profile"]["taps"] == [
        {"delay_ns": 0, "power_db": 0.0, "k_db": 6.0, "speed_mps": None},
        {"delay_ns": 50, "power_db": -3.0, "k_db": None, "speed_mps": 2.0},
    ]


def test_a_limit_of_a_key_is_told_with_its_unit():
    with pytest.raises(ScenarioError, match='"-1 dB" is out of range: write at least 0 dB'):
        channel_of('noise_figure = "-1 dB"')


def test_carrier_sense_is_that_of_the_standard():
    assert air_of(wifi())["channel"]["carrier_sense_dbm"] == -82.0
    assert air_of(wifi('standard = "11ad"'))["channel"]["carrier_sense_dbm"] == -68.0
    assert channel_of('carrier_sense = "-76 dBm"', "")["carrier_sense_dbm"] == -76.0


def test_losses_of_all_or_of_one_direction():
    two = '["sta1", "sta2"]'
    losses = (
        '[[channel.loss]]\nprobability = 0.1\n[[channel.loss]]\nfrom = "sta2"\nto = "ap1"\nprobability = 0.5'
    )
    planned = air_of(wifi("", losses, two))["channel"]["losses"]
    assert planned == [
        {"from": 0, "to": 1, "loss": 0.1},
        {"from": 0, "to": 2, "loss": 0.1},
        {"from": 1, "to": 0, "loss": 0.1},
        {"from": 2, "to": 0, "loss": 0.5},
    ]


def trace_text(file="t.csv", more=""):
    return wifi("", f'[[channel.trace]]\nfrom = "ap1"\nto = "sta1"\nfile = "{file}"\n{more}')


def compile_in(folder, text):
    from airtcp.scenario.compile.compiler import compile_file

    file = folder / "s.toml"
    file.write_text(text)
    return compile_file(file)


def test_a_recording_stands_beside_its_scenario(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "t.csv").write_text("time_s,rate_mbps,rssi_dbm\n0,54,\n\n0.0015, 6.5,-70.25\n")
    traces = compile_in(tmp_path, trace_text("data/t.csv", "repeat = true"))["air"]["channel"]["traces"]
    assert traces == [
        {
            "from": 0,
            "to": 1,
            "repeat": True,
            "points": [
                {"time_ns": 0, "rssi_dbm": None, "loss": None, "rate_bps": 54_000_000},
                {"time_ns": 1_500_000, "rssi_dbm": -70.25, "loss": None, "rate_bps": 6_500_000},
            ],
        }
    ]


BAD_RECORDINGS = {
    "missing": (None, "there is no file", "relative to the scenario"),
    "empty": ("", "is empty", "time_s, rssi_dbm"),
    "header only": ("time_s,loss\n", "has no points", ""),
    "no time": ("rssi_dbm\n-40\n", "needs the column time_s", ""),
    "time only": ("time_s\n0\n", "needs the column time_s and one of", ""),
    "unknown column": ("time_s,rssi\n0,-40\n", 'unknown column "rssi"', 'mean "rssi_dbm"'),
    "column twice": ("time_s,loss,loss\n0,0,0\n", "a column twice", ""),
    "short line": ("time_s,loss\n0\n", "line 2 has 1 cells, the first line 2", ""),
    "no number": ("time_s,loss\n0,0\n1,much\n", 'line 3: loss is "much"', "number"),
    "not a probability": ("time_s,loss\n0,1.5\n", "line 2: loss 1.5 is out of range", "0 to 1"),
    "nan": ("time_s,rssi_dbm\n0,nan\n", "line 2: rssi_dbm", ""),
    "falling": ("time_s,loss\n1,0\n0.5,0\n", "line 3: time_s does not rise", "Sort"),
    "negative time": ("time_s,loss\n-1,0\n", "out of range", ""),
    "no rate": ("time_s,rate_mbps\n0,0\n", "rate_mbps 0 is out of range", ""),
}


@pytest.mark.parametrize("case", BAD_RECORDINGS)
def test_bad_recordings_are_named_with_their_line(case, tmp_path):
    from airtcp.scenario.errors import ScenarioError

    text, what, remedy = BAD_RECORDINGS[case]
    if text is not None:
        (tmp_path / "t.csv").write_text(text)
    with pytest.raises(ScenarioError) as caught:
        compile_in(tmp_path, trace_text())
    assert caught.value.key == "channel.trace[0].file"
    assert what in caught.value.what
    assert remedy in caught.value.remedy


WRONG = {
    "exponent of rssi": ("exponent = 3", "channel.exponent", "no effect", '"log_distance" or "multi_wall"'),
    "wall elsewhere": (
        'propagation = "free_space"\n[[channel.wall]]\npoints = [["0 m", "0 m"], ["1 m", "0 m"]]\nloss = "3 dB"',
        "channel.wall",
        "no effect",
        "multi_wall",
    ),
    "code without table": ('code = "ldpc"', "channel.code", "no effect"),
    "unknown fading": ('fading = { kind = "rice" }', "channel.fading", 'did you mean "rician"?'),
    "taps without a tap": (
        'fading = { kind = "taps", speed = "1 m/s", tap = [] }',
        "channel.fading.tap",
        "",
    ),
    "model": ('fading = { kind = "tgn", model = "G" }', "channel.fading.model", ""),
    "fading without time": ('fading = { kind = "rayleigh" }', "channel.fading.coherence", "is missing"),
    "shape": (
        'fading = { kind = "nakagami", m = 0.2, coherence = "1 ms" }',
        "channel.fading.m",
        "write at least 0.5",
    ),
    "loss": ("[[channel.loss]]\nprobability = 2", "channel.loss[0].probability", "write at most 1"),
    "loss between stations": (
        '[[channel.loss]]\nfrom = "sta1"\nto = "sta2"\nprobability = 0.2',
        "channel.loss[0]",
        "exchange no frames",
        "access point",
    ),
    "loss of nobody": (
        '[[channel.loss]]\nfrom = "x"\nprobability = 0.2',
        "channel.loss[0].from",
        'no node "x"',
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_a_channel_can_not_have(case):
    keys, key, *reason = WRONG[case]
    refused(wifi("", f"[channel]\n{keys}", '["sta1", "sta2"]'), key, *reason)


WRONG_WALLS = {
    "material": ('material = "paper"', "material", "known: plasterboard"),
    "nothing": ("", "", "has no material", "brick"),
    "both": ('material = "brick"\nloss = "3 dB"', "", "a material and a loss"),
    "thickness of a loss": ('thickness = "1 cm"\nloss = "3 dB"', "thickness", "no effect with loss"),
    "upside down": ('loss = "3 dB"\nheight = ["2 m", "1 m"]', "height", "not below"),
    "negative": ('loss = "-3 dB"', "loss", "is out of range"),
}


@pytest.mark.parametrize("case", WRONG_WALLS)
def test_walls_that_can_not_be(case):
    keys, key, *reason = WRONG_WALLS[case]
    wall = f'[channel]\npropagation = "multi_wall"\n[[channel.wall]]\npoints = [["0 m", "0 m"], ["1 m", "0 m"]]\n{keys}'
    refused(wifi("", wall), f"channel.wall[0]{'.' if key else ''}{key}", *reason)


def test_materials_are_for_one_band():
    wall = '[channel]\npropagation = "multi_wall"\nreference_loss = "40 dB"\n[[channel.wall]]\npoints = [["0 m", "0 m"], ["1 m", "0 m"]]\nmaterial = "brick"\n'
    two = wifi("", '[wifi.b]\nstandard = "11a"\nstations = ["q"]\n' + wall)
    refused(two, "channel.wall[0].material", "the cells are at 2.4 GHz, 5 GHz", "loss")
    refused(wifi('standard = "11ad"', wall), "channel.wall[0].material", "up to 40 GHz", "loss")


def test_places_have_no_effect_on_given_power():
    way = '[wifi.home.radio.sta1]\nwaypoints = [{ time = "1 s", position = ["5 m", "2 m"] }]'
    refused(wifi("", way), "wifi.home.radio.sta1.waypoints", "no effect", "propagation")
    late = (
        '[wifi.home.radio.sta1]\nwaypoints = [{ time = "1 s", position = ["5 m", "2 m"] }, '
        '{ time = "1 s", position = ["6 m", "2 m"] }]\n[channel]\npropagation = "free_space"'
    )
    refused(wifi("", late), "wifi.home.radio.sta1.waypoints[1].time", "does not come after", "Sort")
    ground = '[channel]\npropagation = "two_ray"'
    refused(wifi("", ground), "wifi.home.radio.ap1.position", "on the ground", "third coordinate")


@pytest.mark.parametrize("model", ["log_distance", "multi_wall"])
def test_each_of_several_frequencies_has_its_loss(model):
    """The model computes it (null); one that is given holds for all, and that of one frequency is as before."""
    cells = HEAD + '[wifi.a]\nstations = ["s"]\n'
    other = '[wifi.b]\nchannel = 6\nstations = ["t"]\n'
    channel = f'[channel]\npropagation = "{model}"\n'

    def loss(text):
        return air_of(text)["channel"]["propagation"]["reference_loss_db"]

    assert loss(cells + other + channel) is None
    assert loss(cells + other + channel + 'reference_loss = "40 dB"') == 40
    assert loss(cells + channel) == 40.1
