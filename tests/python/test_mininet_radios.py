"""What stands in for mac80211_hwsim and wmediumd: powers from configurations and requests, by hand."""

import itertools
import json
import socket
import statistics
import struct
import subprocess
import threading
from pathlib import Path

import pytest
from airtcp.mininet import guest
from airtcp.mininet.guest import hostapd, path_loss, wmediumd
from airtcp.mininet.guest.path_loss import Model, Place

MACS = ["02:00:00:00:00:00", "02:00:00:00:01:00", "02:00:00:00:02:00"]
# Of both antennas, when no request has said others.
GAINS_DB = 10
PATH_LOSS = """
ifaces:
{
    ids = [
        "02:00:00:00:00:00",
        "02:00:00:00:01:00",
        "02:00:00:00:02:00"
    ];
    enable_interference = true;
};
model:
{
    type = "path_loss";
    positions = (
        (0.0, 0.0, 0.0),
        (10.0, 0.0, 0.0),
        (100.0, 0.0, 0.0)
    );
    fading_coefficient = 0;
    noise_threshold = -91;
    isnodeaps = (0, 0, 1);
    tx_powers = (14, 14, 20);
    model_name = "log_distance";
    path_loss_exp = 3.0;
    xg = 0.0;
};
"""
LINKS = """
ifaces:
{{
    ids = ["02:00:00:00:00:00", "02:00:00:00:01:00", "02:00:00:00:02:00"];
}};
model:
{{
    type = "{kind}";
    default_prob = 1.0;
    links = (
        (0, 1, {value}),
        (1, 0, {value})
    );
}};
"""


class Told:
    """An air that remembers."""

    def __init__(self):
        self.powers, self.losses = {}, {}

    def set_power(self, sender, receiver, power_dbm):
        self.powers[MACS.index(sender), MACS.index(receiver)] = power_dbm

    def set_loss(self, sender, receiver, probability):
        self.losses[MACS.index(sender), MACS.index(receiver)] = probability


def medium(config):
    air = Told()
    read = wmediumd.read_config(config, air)
    read.tell_all()
    return read, air


def test_free_space_is_that_of_friis():
    # 20 log10(4 pi 100 m / 0.12429 m), channel 1.
    assert Model("free_space").loss_db(100.0, Place(), Place()) == pytest.approx(80.09, abs=0.01)


def test_log_distance_begins_at_a_metre_and_has_both_gains():
    # 40.09 dB at 1 m, and 30 dB for each factor of ten.
    model = Model("log_distance", exponent=3.0)
    sender, receiver = Place(gain_dbi=5.0), Place((100.0, 0.0, 0.0), gain_dbi=2.0)
    assert model.received_dbm(sender, receiver) == pytest.approx(14 + 7 - 100.09, abs=0.01)


def test_two_ray_ground_falls_by_forty_decibels_beyond_the_crossover():
    model = Model("two_ray_ground")
    near, far = (model.loss_db(distance, Place(), Place()) for distance in (50.0, 500.0))
    assert near == pytest.approx(Model("free_space").loss_db(50.0, Place(), Place()))
    assert far == pytest.approx(40 * 2.69897, abs=0.001)


def test_itu_counts_floors():
    model = Model("itu", floors=2, floor_loss_db=9.0, coefficient=30.0)
    # 20 log10(2412) - 28 + 30 log10(10) + 18.
    assert model.loss_db(10.0, Place(), Place()) == pytest.approx(67.65 - 28 + 30 + 18, abs=0.01)


def test_places_and_powers_become_powers_between_radios():
    _, air = medium(PATH_LOSS)
    assert air.powers[0, 1] == pytest.approx(14 + GAINS_DB - 70.09, abs=0.01)
    assert air.powers[2, 0] == pytest.approx(20 + GAINS_DB - 100.09, abs=0.01)
    assert air.powers[0, 2] == pytest.approx(14 + GAINS_DB - 100.09, abs=0.01)
    assert not air.losses


def test_more_noise_is_less_power_over_the_noise_of_the_air():
    _, quiet = medium(PATH_LOSS)
    _, loud = medium(PATH_LOSS.replace("-91;", "-70;"))
    assert quiet.powers.keys() == loud.powers.keys()
    for pair, power_dbm in quiet.powers.items():
        assert power_dbm - loud.powers[pair] == pytest.approx(21.0)


def test_fading_varies_each_link_about_its_mean(monkeypatch):
    _, without = medium(PATH_LOSS)
    read, air = medium(PATH_LOSS.replace("fading_coefficient = 0", "fading_coefficient = 10"))
    now_s = itertools.count(step=wmediumd.FADING_S)
    monkeypatch.setattr(wmediumd.time, "monotonic", lambda: next(now_s))
    drawn = []
    for _ in range(1000):
        read.fade()
        drawn.append(air.powers[0, 1] - without.powers[0, 1])
    # Standard errors are 10 / sqrt(1000) = 0.32 and 10 / sqrt(2000) = 0.22; four of them.
    assert statistics.mean(drawn) == pytest.approx(0.0, abs=1.3)
    assert statistics.stdev(drawn) == pytest.approx(10.0, abs=0.9)


def test_fading_holds_for_its_time(monkeypatch):
    read, air = medium(PATH_LOSS.replace("fading_coefficient = 0", "fading_coefficient = 10"))
    monkeypatch.setattr(wmediumd.time, "monotonic", lambda: 1.0)
    read.fade()
    first = dict(air.powers)
    read.fade()
    assert air.powers == first


def test_ratios_are_over_the_noise_and_what_is_not_linked_is_below_it():
    _, air = medium(LINKS.format(kind="snr", value=25))
    assert air.powers[0, 1] == -66.0
    assert air.powers[0, 2] == -101.0


def test_error_probabilities_are_losses_of_links():
    _, air = medium(LINKS.format(kind="prob", value="0.25"))
    assert air.losses[0, 1] == 0.25
    assert (air.powers[0, 1], air.powers[0, 2]) == (wmediumd.NEAR_DBM, wmediumd.SILENCE_DBM)


def ask(read, *requests):
    """The answers of the server to requests of one client."""
    ours, theirs = socket.socketpair()
    wmediumd.Requests.medium = read
    serving = threading.Thread(target=wmediumd.Requests, args=(theirs, "", None))
    serving.start()
    answers = []
    for request in requests:
        ours.sendall(request)
        answers.append(ours.recv(2 + len(request) + 4))
    ours.close()
    serving.join(10)
    return answers


def octets(number):
    return bytes.fromhex(MACS[number].replace(":", ""))


def test_a_request_moves_a_radio_and_repeats_the_request_with_the_result():
    read, air = medium(PATH_LOSS)
    position = struct.pack("!B6sfff", 13, octets(1), 100.0, 0.0, 0.0)
    stranger = struct.pack("!B6si", 15, b"\2\0\0\0\x77\0", 20)
    moved, unknown = ask(read, position, stranger)
    assert moved == bytes([14]) + position + b"\0"
    assert unknown == bytes([16]) + stranger + b"\1"
    assert air.powers[0, 1] == pytest.approx(14 + GAINS_DB - 100.09, abs=0.01)


def test_radios_of_another_medium_are_silent():
    read, air = medium(PATH_LOSS)
    ask(read, struct.pack("!B6si", 23, octets(1), 2))
    assert air.powers[0, 1] == wmediumd.SILENCE_DBM


def test_an_error_probability_comes_in_fixed_point():
    read, air = medium(LINKS.format(kind="prob", value="0.25"))
    half = struct.pack("!B6s6si", 9, octets(0), octets(1), -(1 << 30))
    ratio = struct.pack("!B6s6si", 1, octets(0), octets(1), 20)
    done, wrong = ask(read, half, ratio)
    assert (done[-1], wrong[-1]) == (0, 3)
    assert air.losses[0, 1] == 0.5


TC = "qdisc {} dev {} {}"
RATE = "root handle 2: netem rate 10mbit"


@pytest.mark.parametrize(
    ("command", "is_left_out"),
    [
        (TC.format("replace", "sta1-wlan0", RATE), True),
        ("class add dev sta1-wlan0 parent 5:0 classid 5:1 htb rate 11Mbit", True),
        (TC.format("replace", "h1-eth0", RATE), False),
        (TC.format("show", "sta1-wlan0", ""), False),
    ],
)
def test_tc_is_left_out_for_radios_alone(tmp_path, command, is_left_out):
    (tmp_path / "sys/class/net/sta1-wlan0/phy80211").mkdir(parents=True)
    own = {"/sys/": f"{tmp_path}/sys/", "/run/": f"{tmp_path}/", "exec /usr/sbin/tc": "echo done"}
    script = (Path(guest.__file__).parent / "tc.sh").read_text()
    for place, its_own in own.items():
        script = script.replace(place, its_own)
    told = subprocess.run(
        ["sh", "-c", script, "tc", *command.split()], capture_output=True, text=True, check=True
    )
    assert told.stdout == ("" if is_left_out else f"done {command.strip()}\n")
    left_out = tmp_path / "airtcp-tc-left-out"
    assert left_out.exists() == is_left_out
    assert not is_left_out or left_out.read_text() == f"{command}\n"


def test_countries_leave_the_configuration_of_hostapd(tmp_path):
    file = tmp_path / "ap.conf"
    file.write_text("ssid=x\ncountry_code=US\nchannel=36\n")
    hostapd.take_countries_out(file)
    assert file.read_text() == "ssid=x\nchannel=36\n"


def test_models_have_the_parameters_of_the_configuration():
    text = 'model_name = "itu";\n nFLOORS = 2;\n lF = 9;\n pL = 30;\n'
    assert path_loss.Model.of(text) == Model("itu", floors=2.0, floor_loss_db=9.0, coefficient=30.0)


def test_at_its_end_wmediumd_makes_the_air_what_it_was(tmp_path, monkeypatch):
    told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    told.bind(str(tmp_path / "air"))
    monkeypatch.setattr(wmediumd, "AIR", str(tmp_path / "air"))
    air = wmediumd.Air()
    monkeypatch.setattr(air, "number_of", MACS.index)
    air.set_power(MACS[0], MACS[1], -80.0)
    air.set_loss(MACS[1], MACS[0], 0.5)
    air.forget()
    acts = [json.loads(told.recv(1000)) for _ in range(4)]
    assert acts[2] == {"kind": "rssi", "from": 0, "to": 1, "rssi_dbm": wmediumd.NEAR_DBM}
    assert acts[3] == {"kind": "loss", "from": 1, "to": 0, "probability": 0.0}


def test_operating_classes_tell_networks_at_6_ghz():
    assert hostapd.is_at_6ghz("country_code=DE\nop_class=131\n")
    assert not hostapd.is_at_6ghz("country_code=US\nop_class=115\n")
