"""Cells of the kernel's mac80211 in scenarios: what they mean, and what is refused."""

import pytest
from airtcp.scenario.compile.compiler import compile_scene
from airtcp.scenario.errors import ScenarioError
from support.wifi_scenarios import plan_of, scenario_of

HEAD = 'name = "x"\nduration = "5 s"\n'
WIRE = '[[wire]]\nbetween = ["ap1", "h1"]\n'
FLOW = '[[flow]]\nfrom = "sta1"\nto = "h1"\n'


def cell(keys="", name="home", stations="1"):
    return f'[wifi.{name}]\nmac = "linux"\nstations = {stations}\n{keys}\n'


def compiled(*parts):
    return plan_of(HEAD + "\n".join(parts))


def linux(*parts, number=0):
    return compiled(*parts)["air"]["cells"][number]["linux"]


def test_without_more_words_it_is_as_linux_has_it():
    assert linux(cell()) == {
        "setup": "direct",
        "security": {"kind": "open"},
        "ssid": "home",
        "rate_control": "kernel",
        "airtime_fairness": True,
        "aql": True,
        "prefetch_ppdus": 0,
        "beacon_tu": 100,
        "dtim": 2,
        "power_save": False,
        "uapsd": False,
        "hardware_crypto": True,
        "txq": {"limit_packets": None, "memory_bytes": None, "quantum_bytes": None},
        "hostapd": [],
        "wpa_supplicant": [],
        "bss": [],
    }


def test_beacons_follow_pifs_and_contend_in_an_ibss():
    def access(keys, stations="1"):
        return compiled(cell(keys, stations=stations))["air"]["cells"][0]["beacon_access"]

    assert access("") == "pifs"
    assert access('beacon_access = "edca"') == "edca"
    assert access('kind = "mesh"', '["a", "b"]') == "pifs"
    assert access('kind = "ibss"', '["a", "b"]') == "edca"
    policy = compiled(cell('standard = "11ax"\nrts_policy = "aggregates"'))["air"]["cells"][0]["rts_policy"]
    assert policy == "aggregates"


def sampling(*parts):
    return compiled(*parts)["sampling"]


def test_peers_are_sampled_where_there_is_mac80211_and_rates_where_the_kernel_chooses_them():
    names = ("stations_interval_ns", "rates_interval_ns")

    def intervals(*parts):
        return tuple(sampling(*parts)[name] for name in names)

    assert intervals(cell()) == (100_000_000, 1_000_000_000)
    assert intervals(cell('standard = "11ax"')) == (100_000_000, 0)
    assert intervals('[wifi.home]\nstations = ["sta1"]\n') == (0, 0)
    asked = '[sampling]\nstations = "10 ms"\nrates = "0 s"\n'
    assert intervals(cell(), asked) == (10_000_000, 0)


def test_airtcps_own_mac_stays_the_default():
    plan = compiled('[wifi.home]\nstations = ["sta1"]\n')
    assert plan["air"]["cells"][0]["linux"] is None


def test_a_radio_has_the_queues_of_mac80211_and_no_qdisc_of_its_own():
    plan = compiled(cell('standard = "11g"'), WIRE, FLOW)
    nic = plan["air"]["nics"][1]
    assert nic["queue"]["kind"] == "fq_codel"
    assert not nic["bql"]
    assert plan["air"]["cells"][0]["beacon"] is None
    sta1 = next(node for node in plan["nodes"] if node["name"] == "sta1")
    assert sta1["interfaces"][0]["egress"]["queue"] == {"kind": "none"}


@pytest.mark.parametrize(
    ("keys", "owner"),
    [
        ('standard = "11n"', "kernel"),
        ('standard = "11ac"\nwidth = "80 MHz"\nrate = "kernel"', "kernel"),
        ('standard = "11ac"\nwidth = "160 MHz"', "ours"),
        ('standard = "11ac"\nstreams = 5', "ours"),
        ('standard = "11ax"', "ours"),
        ('standard = "11n"\nrate = "MCS 3"', "ours"),
        ('standard = "11n"\nrate = "ideal"', "ours"),
        ('standard = "11n"\nradio.sta1.rate = "MCS 3"', "kernel"),
        ('standard = "11n"\nrate = "MCS 2"\nradio.sta1.rate = "MCS 3"', "ours"),
        ('standard = "11n"\nrate = "MCS 2"\nradio.sta1.rate = "kernel"', "kernel"),
    ],
)
def test_he_and_160_mhz_and_named_algorithms_have_airtcps_rate_control(keys, owner):
    assert linux(cell(keys))["rate_control"] == owner


def test_a_pinned_radio_keeps_its_mode_beside_the_kernels():
    plan = compiled(cell('standard = "11n"\nradio.sta1.rate = "HT-MCS 3"'))
    kinds = [nic["rate_control"]["kind"] for nic in plan["air"]["nics"]]
    assert kinds == ["minstrel_ht", "fixed"]


@pytest.mark.parametrize("security", ["wpa2", "wpa3"])
def test_security_needs_daemons(security):
    made = linux(cell(f'security = "{security}"\npassphrase = "12345678"'))
    assert (made["setup"], made["security"]) == ("daemons", {"kind": security, "passphrase": "12345678"})


def test_cells_of_one_ssid_are_one_network_for_roaming():
    two = cell('ssid = "n"', "a"), cell('ssid = "n"\nchannel = 6', "b", "[]")
    wires = WIRE.replace("h1", "sw"), WIRE.replace("ap1", "ap2").replace("h1", "sw")
    plan = compiled(*two, *wires)
    assert [cell["linux"]["setup"] for cell in plan["air"]["cells"]] == ["daemons", "daemons"]
    assert [nic["node"] for nic in plan["air"]["nics"]] == ["ap1", "sta1", "ap2"]
    loss = '[[channel.loss]]\nfrom = "ap2"\nto = "sta1"\nprobability = 0.5\n'
    assert compiled(*two, *wires, loss)["air"]["channel"]["losses"] == [{"from": 2, "to": 1, "loss": 0.5}]


def test_a_monitor_has_a_radio_and_no_address():
    plan = compiled(cell('monitors = ["ears"]'), WIRE, FLOW)
    assert [nic["role"] for nic in plan["air"]["nics"]] == ["access_point", "station", "monitor"]
    ears = next(node for node in plan["nodes"] if node["name"] == "ears")
    assert [(i["name"], i["addresses"], i["bridge"]) for i in ears["interfaces"]] == [("mon0", [], None)]
    assert not ears["routes"]


@pytest.mark.parametrize("kind", ["mesh", "ibss"])
def test_equal_stations_are_one_segment_without_routes(kind):
    plan = compiled(cell(f'kind = "{kind}"\nstandard = "11n"', stations='["m1", "m2", "m3"]'))
    assert [nic["role"] for nic in plan["air"]["nics"]] == [kind] * 3
    assert all(not nic["mesh_routes"] for nic in plan["air"]["nics"])
    addresses = [node["interfaces"][0]["addresses"] for node in plan["nodes"]]
    assert addresses == [["10.0.0.1/24"], ["10.0.0.2/24"], ["10.0.0.3/24"]]


OWN = '[wifi.home]\nstations = ["sta1"]\n'
REFUSED = {
    "security without mac80211": (OWN + 'security = "wpa2"\n', "wifi.home.security", 'mac = "linux"'),
    "monitors without it": (OWN + 'monitors = ["m"]\n', "wifi.home.monitors", 'mac = "linux"'),
    "the kernel's rates without it": (OWN + 'rate = "kernel"\n', "wifi.home.rate", "minstrel_ht"),
    "an IBSS without it": ('[wifi.h]\nkind = "ibss"\nstations = ["a", "b"]\n', "wifi.h.kind", "mesh"),
    "a queue of the radio": (cell('nic_queue = "direct"'), "wifi.home.nic_queue", "txq"),
    "a queue of one radio": (
        cell('radio.sta1.nic_queue = "direct"'),
        "wifi.home.radio.sta1.nic_queue",
        "txq",
    ),
    "backpressure": (cell("backpressure = false"), "wifi.home.backpressure", "aql"),
    "byte queue limits": (cell("bql = true"), "wifi.home.bql", "aql"),
    "a beacon's length": (cell('beacon_length = "300 B"'), "wifi.home.beacon_length", "Leave it out"),
    "no beacons": (cell("beacons = false"), "wifi.home.beacons", "Leave it out"),
    "A-MSDU": (
        cell('standard = "11n"\naggregation = { amsdu = "4 kB" }'),
        "wifi.home.aggregation.amsdu",
        "Leave it out",
    ),
    "a rate for groups": (cell('group_rate = "12 Mbit/s"'), "wifi.home.group_rate", "basic_rates"),
    "half a TU": (cell('beacon_interval = "100 ms"'), "wifi.home.beacon_interval", "100 TU"),
    "five TU": (cell('beacon_interval = "5 TU"'), "wifi.home.beacon_interval", "100 TU"),
    "11ad": (cell('standard = "11ad"'), "wifi.home.standard", "another"),
    "11be": (cell('standard = "11be"'), "wifi.home.standard", "11ax"),
    "an 11be radio": (cell('radio.sta1.standard = "11be"'), "wifi.home.radio.sta1.standard", "11ax"),
    "HE by the kernel": (cell('standard = "11ax"\nrate = "kernel"'), "wifi.home.rate", "airtcp's own"),
    "RTS before retries by the kernel": (
        cell('rts_policy = "retries"'),
        "wifi.home.rts_policy",
        "rate control of airtcp's",
    ),
    "RTS by duration by the kernel": (
        cell('rts_duration_threshold = "64 us"'),
        "wifi.home.rts_duration_threshold",
        "rate control of airtcp's",
    ),
    "beacons of an IBSS after PIFS": (
        cell('kind = "ibss"\nbeacon_access = "pifs"', stations='["a", "b"]'),
        "wifi.home.beacon_access",
        "Leave it out",
    ),
    "two owners of rates": (
        cell('standard = "11n"\nrate = "kernel"\nradio.sta1.rate = "ideal"'),
        "wifi.home.radio.sta1.rate",
        "fixed mode here",
    ),
    "a pinned rate that is not basic": (
        cell('standard = "11a"\nradio.sta1.rate = "54 Mbit/s"'),
        "wifi.home.radio.sta1.rate",
        "basic_rates",
    ),
    "direct and secure": (cell('setup = "direct"\nsecurity = "wpa2"'), "wifi.home.setup", "daemons"),
    "lines for daemons that are not there": (
        cell('setup = "direct"\nhostapd = ["x=1"]'),
        "wifi.home.setup",
        "daemons",
    ),
    "a short passphrase": (cell('passphrase = "short"'), "wifi.home.passphrase", ""),
    "a passphrase of an open network": (
        cell('passphrase = "long enough"'),
        "wifi.home.passphrase",
        'Write security = "wpa2" or "wpa3", or leave the passphrase out',
    ),
    "a passphrase of an open further network": (
        cell(
            '[[wifi.home.bss]]\nssid = "guests"\nstations = ["b"]\npassphrase = "long enough"',
            stations='["a"]',
        ),
        "wifi.home.bss[0].passphrase",
        "leave the passphrase out",
    ),
    "a long SSID": (cell(f'ssid = "{"s" * 33}"'), "wifi.home.ssid", ""),
    "a line feed in an SSID": (cell('ssid = "a\\nb"'), "wifi.home.ssid", ""),
    "WPA2 at 6 GHz": (
        cell('standard = "11ax"\nband = "6 GHz"\nsecurity = "wpa2"'),
        "wifi.home.security",
        "wpa3",
    ),
    "nobody": (cell(stations="[]"), "wifi.home.stations", "ssid"),
    "a secure mesh": (
        cell('kind = "mesh"\nsecurity = "wpa3"', stations='["a", "b"]'),
        "wifi.home.security",
        "Leave it out",
    ),
    "daemons in an IBSS": (
        cell('kind = "ibss"\nsetup = "daemons"', stations='["a", "b"]'),
        "wifi.home.setup",
        "Leave it out",
    ),
    "routes in a mesh": (
        cell('kind = "mesh"\nroute = [{ from = "a", to = "b", via = "c" }]', stations='["a", "b", "c"]'),
        "wifi.home.route",
        "Leave it out",
    ),
    "a chain by peerings": (
        cell('kind = "mesh"\npeerings = "chain"', stations='["a", "b"]'),
        "wifi.home.peerings",
        "channel.link",
    ),
    "power save in a mesh": (
        cell('kind = "mesh"\npower_save = true', stations='["a", "b"]'),
        "wifi.home.power_save",
        "Leave it out",
    ),
    "HE in an IBSS": (
        cell('kind = "ibss"\nstandard = "11ax"', stations='["a", "b"]'),
        "wifi.home.standard",
        "mesh",
    ),
    "one network in two segments": (
        cell('ssid = "n"', "a") + cell('ssid = "n"\nchannel = 6', "b"),
        "wifi.b.ssid",
        "wires and switches",
    ),
    "two passphrases of one network": (
        cell('ssid = "n"\nsecurity = "wpa2"', "a")
        + cell('ssid = "n"\nchannel = 6\nsecurity = "wpa2"\npassphrase = "another one"', "b")
        + WIRE.replace("h1", "ap2"),
        "wifi.a.passphrase",
        "the same",
    ),
    "a capture at a monitor": (
        cell('monitors = ["ears"]') + '[[capture]]\nnode = "ears"\ninterface = "mon0"\n',
        "capture[0].interface",
        "",
    ),
}


@pytest.mark.parametrize(("text", "key", "remedy"), REFUSED.values(), ids=REFUSED)
def test_what_makes_no_sense_is_refused(text, key, remedy):
    with pytest.raises(ScenarioError) as refused:
        compiled(text)
    assert refused.value.key == key
    assert remedy in str(refused.value)


def test_without_a_guest_there_is_no_mac80211():
    source = '[[source]]\nfrom = "sta1"\nto = "ap1"\n'
    with pytest.raises(ScenarioError, match="no guest") as refused:
        compile_scene(scenario_of(HEAD + cell() + source))
    assert refused.value.key == "wifi.home.mac"
