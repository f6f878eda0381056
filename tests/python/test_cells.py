"""Cells: channels, channel access, 11b neighbours, beacons, queues, aggregation."""

import pytest
from airtcp.wifi.channel_numbers import centre_mhz, centre_numbers, number_of, primary_numbers
from airtcp.wifi.standard import GHZ_2_4, GHZ_5, GHZ_6, GHZ_60
from support.wifi_scenarios import HEAD, air_of, cell_of, nics_of, refused, wifi

DCF = {"aifsn": 2, "cw_min": 15, "cw_max": 1023, "txop_us": 0}


@pytest.mark.parametrize(
    ("keys", "channel"),
    [
        ("", (2412, 2412, 20)),
        ("channel = 13", (2472, 2472, 20)),
        ('standard = "11b"\nchannel = 14', (2484, 2484, 20)),
        ('standard = "11a"', (5180, 5180, 20)),
        ('standard = "11a"\nfrequency = "5.825 GHz"', (5825, 5825, 20)),
        ('standard = "11n"\nchannel = 6', (2437, 2437, 20)),
        ('standard = "11n"\nchannel = 6\nwidth = "40 MHz"', (2437, 2447, 40)),
        ('standard = "11n"\nchannel = 6\nwidth = "40 MHz"\ncentre_channel = 4', (2437, 2427, 40)),
        ('standard = "11n"\nchannel = 11\nwidth = "40 MHz"', (2462, 2452, 40)),
        ('standard = "11n"\nchannel = 40\nwidth = "40 MHz"', (5200, 5190, 40)),
        ('standard = "11ac"\nchannel = 60', (5300, 5290, 80)),
        ('standard = "11ac"\nchannel = 161\nwidth = "160 MHz"', (5805, 5815, 160)),
        ('standard = "11ax"\nchannel = 5', (2432, 2432, 20)),
        ('standard = "11ax"\nband = "6 GHz"', (5955, 5985, 80)),
        ('standard = "11ax"\nchannel = 37', (6135, 6145, 80)),
        ('standard = "11ax"\nband = "6 GHz"\nchannel = 2\nwidth = "20 MHz"', (5935, 5935, 20)),
        ('standard = "11be"\nband = "6 GHz"\nchannel = 37\nwidth = "320 MHz"', (6135, 6105, 320)),
        (
            'standard = "11be"\nband = "6 GHz"\nchannel = 37\nwidth = "320 MHz"\ncentre_channel = 63',
            (6135, 6265, 320),
        ),
        ('standard = "11be"\nband = "6 GHz"\nchannel = 221\nwidth = "320 MHz"', (7055, 6905, 320)),
        ('standard = "11ad"', (60480, 60480, 2160)),
        ('standard = "11ad"\nchannel = 6', (69120, 69120, 2160)),
    ],
)
def test_channels(keys, channel):
    placed = cell_of(keys)["channel"]
    assert (placed["primary_mhz"], placed["centre_mhz"], placed["width_mhz"]) == channel


def test_channel_numbers_as_many_as_the_standard_has():
    assert [len(primary_numbers(band)) for band in (GHZ_2_4, GHZ_5, GHZ_6, GHZ_60)] == [13, 31, 60, 6]
    for band, width, count in (
        (GHZ_5, 40, 14),
        (GHZ_5, 80, 7),
        (GHZ_5, 160, 3),
        (GHZ_6, 80, 14),
        (GHZ_6, 320, 6),
    ):
        found = {n for primary in primary_numbers(band) for n in centre_numbers(band, primary, width)}
        assert len(found) == count
    for band in (GHZ_2_4, GHZ_5, GHZ_6, GHZ_60):
        for number in primary_numbers(band):
            assert number_of(centre_mhz(band, number)) == (band, number)


WRONG_CHANNELS = {
    "of 11g": ("channel = 36", "channel", "36 is not a channel of 11g", "1, 2, 3"),
    "14 is for 11b": ("channel = 14", "channel", "14 is not a channel of 11g", "Known"),
    "of the band": (
        'standard = "11ax"\nband = "5 GHz"\nchannel = 1',
        "channel",
        "of 11ax at 5 GHz",
        "32, 36",
    ),
    "frequency": ('frequency = "2413 MHz"', "frequency", "not the centre of a 20 MHz channel", "2412 MHz"),
    "both": ('channel = 1\nfrequency = "2412 MHz"', "frequency", "channel is given too"),
    "centre": (
        'standard = "11n"\nchannel = 40\nwidth = "40 MHz"\ncentre_channel = 46',
        "centre_channel",
        "46 is not the centre",
        "Known: 38",
    ),
    "no wide channel there": (
        'standard = "11ac"\nchannel = 144\nwidth = "160 MHz"',
        "width",
        "channel 144 at 5 GHz is not a part of any channel of 160 MHz",
    ),
    "320 MHz at 5 GHz": ('standard = "11be"\nwidth = "320 MHz"', "width", "exist at 6 GHz only"),
    "11n at 6 GHz": (
        'standard = "11n"\nband = "6 GHz"',
        "band",
        "HT (11n) is used at 2.4 and 5 GHz, not at 6 GHz",
        "2.4 GHz",
    ),
}


@pytest.mark.parametrize("case", WRONG_CHANNELS)
def test_channels_that_do_not_exist(case):
    keys, key, *reason = WRONG_CHANNELS[case]
    refused(wifi(keys), f"wifi.home.{key}", *reason)


def test_dcf_until_11g_and_edca_from_11n_on():
    assert cell_of()["access"] == [DCF]
    assert cell_of('standard = "11b"')["access"] == [{**DCF, "cw_min": 31}]
    assert cell_of("cw_min = 31\ncw_max = 255")["access"] == [{**DCF, "cw_min": 31, "cw_max": 255}]
    edca = [
        {"aifsn": 7, "cw_min": 15, "cw_max": 1023, "txop_us": 0},
        {"aifsn": 3, "cw_min": 15, "cw_max": 1023, "txop_us": 0},
        {"aifsn": 2, "cw_min": 7, "cw_max": 15, "txop_us": 3008},
        {"aifsn": 2, "cw_min": 3, "cw_max": 7, "txop_us": 1504},
    ]
    assert cell_of("qos = true")["access"] == edca
    assert cell_of('standard = "11ax"')["access"] == edca
    voice = '[wifi.home.access.voice]\naifsn = 3\ntxop = "0 ms"\n[wifi.home.access.best_effort]\ntxop = "2.528 ms"'
    changed = cell_of('standard = "11n"', voice)["access"]
    assert changed == [edca[0], {**edca[1], "txop_us": 2528}, edca[2], {**edca[3], "aifsn": 3, "txop_us": 0}]
    # HR/DSSS: aCWmin 31, and longer TXOPs.
    assert cell_of('standard = "11b"\nqos = true')["access"][2:] == [
        {"aifsn": 2, "cw_min": 15, "cw_max": 31, "txop_us": 6016},
        {"aifsn": 2, "cw_min": 7, "cw_max": 15, "txop_us": 3264},
    ]


def test_limits_and_thresholds_are_those_of_linux():
    cell = cell_of()
    assert (cell["short_retry_limit"], cell["long_retry_limit"]) == (7, 4)
    assert cell["rts_threshold_bytes"] == 2**32 - 1
    assert cell_of('rts_threshold = "500 B"')["rts_threshold_bytes"] == 500
    assert cell_of('rts_threshold = "always"')["rts_threshold_bytes"] == 0
    assert (cell["rts_threshold_us"], cell["rts_policy"]) == (None, "rate_control")
    # As rtw89.
    rtw89 = cell_of('rts_threshold = "4080 B"\nrts_duration_threshold = "64 us"\nrts_policy = "threshold"')
    assert (rtw89["rts_threshold_bytes"], rtw89["rts_threshold_us"]) == (4080, 64)
    assert rtw89["rts_policy"] == "threshold"
    assert (cell["rts_retry_limit"], cell["block_ack_req_retry_limit"]) == (None, None)
    own = cell_of("rts_retry_limit = 15\nblock_ack_req_retry_limit = 1")
    assert (own["rts_retry_limit"], own["block_ack_req_retry_limit"]) == (15, 1)


def test_11b_stations_make_the_others_careful():
    old = '[wifi.home.radio.old]\nstandard = "11b"\n[wifi.home.radio.ap1]\nrate = "11 Mbit/s"'
    air = air_of(wifi("", old, '["sta1", "old"]'))
    cell = air["cells"][0]
    assert (cell["slot"], cell["protection"]) == ("long", "cts_to_self")
    assert cell["basic_rates_bps"] == [1_000_000, 2_000_000, 5_500_000, 11_000_000]
    assert cell["group_rate_bps"] == 1_000_000
    rates = [nic["rate_control"]["mode"]["rate_bps"] for nic in air["nics"]]
    assert rates == [11_000_000, 54_000_000, 11_000_000]
    # A cell of 11b on the channel counts as well; one on another channel does not.
    for channel, protection in ((1, "cts_to_self"), (6, "none")):
        both = f'[wifi.other]\nstandard = "11b"\nchannel = {channel}\nstations = ["q"]'
        assert air_of(wifi("", both))["cells"][0]["protection"] == protection
    named = cell_of('standard = "11n"\nband = "2.4 GHz"\nprotection = "rts_cts"')
    assert (named["slot"], named["protection"]) == ("long", "rts_cts")


def test_an_11b_station_has_the_contention_window_of_its_phy():
    old = '[wifi.home.radio.old]\nstandard = "11b"\n[wifi.home.radio.ap1]\nrate = "11 Mbit/s"\n'

    def access(keys: str) -> list[object]:
        return [nic["access"] for nic in nics_of(keys, old, '["sta1", "old"]')]

    assert access("") == [None, None, [{**DCF, "cw_min": 31}]]
    assert access("cw_max = 255") == [None, None, [{**DCF, "cw_min": 31, "cw_max": 255}]]
    # What the scenario says holds for all; with EDCA what the access point announces.
    assert access("cw_min = 7") == [None] * 3
    assert access("qos = true") == [None] * 3


def test_failures_in_a_row_are_limited_as_attempts_with_short_frames():
    keys = ("", "short_retry_limit = 5", "station_retry_limit = 32")
    assert [cell_of(key)["station_retry_limit"] for key in keys] == [7, 5, 32]


def test_without_11b_nothing_is_protected():
    for standard, basic in (
        ("11g", [1, 2, 5.5, 11]),
        ("11b", [1, 2]),
        ("11a", [6, 12, 24]),
        ("11ax", [6, 12, 24]),
    ):
        cell = cell_of(f'standard = "{standard}"')
        assert cell["protection"] == "none"
        assert cell["slot"] == ("long" if standard == "11b" else "short")
        assert cell["basic_rates_bps"] == [rate * 1_000_000 for rate in basic]
    dmg = cell_of('standard = "11ad"')
    assert (dmg["basic_rates_bps"], dmg["group_rate_bps"]) == ([], 27_500_000)


def test_beacons():
    assert [cell_of(f'standard = "{s}"')["beacon"] for s in ("11b", "11g", "11a", "11ad")] == [None] * 4
    assert cell_of("beacons = true\nbeacon_interval = '50 TU'\nbeacon_length = '300 B'")["beacon"] == {
        "interval_us": 51_200,
        "bytes": 300,
    }
    assert cell_of('standard = "11n"\nbeacons = false')["beacon"] is None
    # 28 + 12, SSID "home" 6, TIM 6, eight rates 10, WMM 26, extended capabilities 10, HT 28 + 24.
    assert cell_of('standard = "11n"')["beacon"] == {"interval_us": 102_400, "bytes": 150}
    # And VHT 14 + 7 at 5 GHz; HE 24 + 9 + 16.
    assert cell_of('standard = "11ac"')["beacon"]["bytes"] == 171
    assert cell_of('standard = "11ax"')["beacon"]["bytes"] == 220
    assert cell_of('standard = "11n"')["beacon_access"] == "pifs"
    assert cell_of('standard = "11n"\nbeacon_access = "edca"')["beacon_access"] == "edca"
    refused(wifi('beacon_access = "edca"'), "wifi.home.beacon_access", "without beacons", "beacons = true")


def test_queues():
    def queues(keys):
        nic = nics_of(keys)[0]
        return nic["queue"], nic["bql"]

    assert queues("") == ({"kind": "fifo", "packets": 64}, True)
    assert queues('nic_queue = "50 packets"')[0] == {"kind": "fifo", "packets": 50}
    assert queues('nic_queue = "direct"') == ({"kind": "direct", "aggregates": 1}, True)
    assert queues('nic_queue = { kind = "direct", aggregates = 2 }')[0]["aggregates"] == 2
    linux, bql = queues('standard = "11ac"')
    assert not bql
    assert linux == {
        "kind": "fq_codel",
        "packets": 8192,
        "memory_bytes": 16 << 20,
        "flows": 4096,
        "quantum_bytes": 300,
        "target_us": 20_000,
        "interval_us": 100_000,
        "ecn": True,
        "slow_stations": None,
        "airtime_quantum_us": 256,
        "airtime_fairness": True,
        "aql_us": [5000, 12_000],
        "aql_threshold_us": 24_000,
    }
    assert queues('standard = "11n"')[0]["memory_bytes"] == 4 << 20
    own = queues('nic_queue = { kind = "fq-codel", aql = "off", target = "5 ms", memory = "1 MiB" }')[0]
    assert (own["aql_us"], own["target_us"], own["memory_bytes"]) == (None, 5000, 1 << 20)


def test_codel_of_slow_stations_goes_with_the_kernel():
    slow = {"below_kbps": 6000, "target_us": 50_000, "interval_us": 300_000}

    def of(kernel, key=""):
        cell = f'[wifi.home]\nstations = 1\nstandard = "11n"\nnic_queue = {{ kind = "fq_codel"{key} }}\n'
        return air_of(f'{HEAD}kernel = "{kernel}"\n{cell}')["nics"][0]["queue"]["slow_stations"]

    assert (of("6.12"), of("6.1")) == (None, slow)
    assert of("6.12", ", slow_station_codel = true") == slow
    assert of("6.1", ", slow_station_codel = false") is None


def test_the_queue_above_goes_with_the_queue_inside():
    from airtcp.scenario.compile.compiler import compile_scenario
    from support.wifi_scenarios import scenario_of

    def above(keys):
        plan = compile_scenario(scenario_of(wifi(keys)))
        return plan["nodes"][0]["interfaces"][0]["egress"]["queue"]

    assert above("") == {"kind": "packets", "limit": 1000}
    assert above('standard = "11n"') == {"kind": "none"}
    assert above('standard = "11n"\nqueue = "fq_codel"') == {"kind": "tc", "args": ["fq_codel"]}
    assert above('standard = "11n"\nnic_queue = "direct"') == {"kind": "packets", "limit": 1000}
    assert above('queue = "none"\nbackpressure = false') == {"kind": "none"}
    refused(wifi('queue = "none"'), "wifi.home.queue", "cannot stop a queue", "backpressure = false")


@pytest.mark.parametrize(
    ("standard", "limits"),
    [
        ("11n", (65_535, 5484, 64)),
        ("11ac", (1_048_575, 5484, 64)),
        ("11ax", (6_500_631, 5484, 256)),
        ("11be", (15_523_200, 5484, 1024)),
        ("11ad", (262_143, 2000, 64)),
    ],
)
def test_aggregation_has_the_limits_of_the_standard(standard, limits):
    plan = nics_of(f'standard = "{standard}"')[0]["aggregation"]
    assert (plan["ampdu_bytes"], plan["ampdu_us"], plan["block_ack_window"]) == limits
    assert (plan["amsdu_bytes"], plan["amsdu_frames"]) == (0, 0)
    assert nics_of(f'standard = "{standard}"\naggregation = false')[0]["aggregation"] is None
    own = 'aggregation = { ampdu = "32 KiB", ampdu_time = "1.5 ms", window = 16, amsdu = "3839 B" }'
    assert nics_of(f'standard = "{standard}"\n{own}')[0]["aggregation"] == {
        "ampdu_bytes": 32768,
        "ampdu_us": 1500,
        "block_ack_window": 16,
        "start_spacing_ns": 0 if standard == "11ad" else 4000,
        "amsdu_bytes": 3839,
        "amsdu_frames": 0,
        "voice": False,
    }


def test_one_radio_may_go_without_aggregation():
    nics = nics_of('standard = "11n"', "[wifi.home.radio.sta1]\naggregation = false")
    assert [nic["aggregation"] is None for nic in nics] == [False, True]


WRONG = {
    "qos of 11n": ('standard = "11n"\nqos = false', "qos", "QoS station", "Leave it out"),
    "access of DCF": ("access = { voice = { aifsn = 3 } }", "access", "DCF", "qos = true"),
    "unknown category": (
        "qos = true\naccess = { voise = {} }",
        "access.voise",
        '"voise" is not possible',
        '"background", "best_effort"',
    ),
    "txop off the grid": (
        'qos = true\naccess = { voice = { txop = "3 ms" } }',
        "access.voice.txop",
        "no multiple of 32 us",
    ),
    "windows of a category": (
        "qos = true\naccess = { video = { cw_min = 31 } }",
        "access.video.cw_min",
        "cw_min (31) is larger than cw_max (15)",
    ),
    "long slot at 5 GHz": ('standard = "11a"\nslot = "long"', "slot", "no long slot at 5 GHz"),
    "short slot in 11b": ('standard = "11b"\nslot = "short"', "slot", "only the long slot"),
    "short preamble at 5 GHz": ('standard = "11a"\npreamble = "short"', "preamble", "only HR/DSSS"),
    "protection at 5 GHz": (
        'standard = "11a"\nprotection = "rts_cts"',
        "protection",
        "only OFDM frames at 2.4 GHz",
    ),
    "basic rate of 11b at 5 GHz": (
        'standard = "11a"\nbasic_rates = ["1 Mbit/s"]',
        "basic_rates",
        "not a rate of 11a",
        "6 Mbit/s",
    ),
    "basic rates of 11ad": ('standard = "11ad"\nbasic_rates = ["6 Mbit/s"]', "basic_rates", "11ad has no"),
    "group rate": ('group_rate = "9 Mbit/s"', "group_rate", "not a basic rate", "1 Mbit/s"),
    "rate of 11b in 11g": (
        'rate = "11 Mbit/s"\nbasic_rates = ["6 Mbit/s"]',
        "rate",
        "not a rate of 11g",
        "basic_rates",
    ),
    "aggregation in 11g": ("aggregation = true", "aggregation", "11g has no aggregation", "newer"),
    "A-MPDU too long": (
        'standard = "11n"\naggregation = { ampdu = "70 kB" }',
        "aggregation.ampdu",
        "70 kB is more than 11n has",
        "65535 B",
    ),
    "window too large": (
        'standard = "11ac"\naggregation = { window = 256 }',
        "aggregation.window",
        "256",
        "64",
    ),
    "A-MSDU too long at 2.4 GHz": (
        'standard = "11ax"\nband = "2.4 GHz"\naggregation = { amsdu = "11454 B" }',
        "aggregation.amsdu",
        "more than 11ax has",
        "7935 B",
    ),
    "beacons of 11ad": ('standard = "11ad"\nbeacons = true', "beacons", "sectors"),
    "beacon without beacons": (
        'beacon_length = "200 B"',
        "beacon_length",
        "without beacons",
        "beacons = true",
    ),
    "fragmentation": (
        "fragmentation_threshold = 500",
        "fragmentation_threshold",
        "not modelled",
        "Leave it out",
    ),
    "former name": ("nic_packets = 5", "nic_packets", "unknown key", 'nic_queue = "64 packets"'),
    "name elsewhere": ('rate_control = "arf"', "rate_control", "unknown key", "rate ="),
    "queue of nothing": ('nic_queue = "fq"', "nic_queue", "known: fifo, fq_codel, direct"),
    "key of another queue": (
        'nic_queue = { kind = "fifo", ecn = true }',
        "nic_queue.ecn",
        "unknown key",
        "packets",
    ),
    "mesh keys": ('peerings = "chain"', "peerings", "without a mesh", 'kind = "mesh"'),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_a_cell_can_not_have(case):
    keys, key, *reason = WRONG[case]
    refused(wifi(keys), f"wifi.home.{key}", *reason)


def test_an_11b_station_needs_rates_that_it_has():
    old = '[wifi.home.radio.sta1]\nstandard = "11b"\n'
    key = "wifi.home.radio.sta1"
    refused(wifi("", old), f"{key}.standard", "can't receive OFDM 54 Mbit/s", 'rate = "11 Mbit/s"')
    refused(wifi("", old + 'rate = "54 Mbit/s"'), f"{key}.rate", "one fixed rate of 11b", '"11 Mbit/s"')


def test_cells_on_one_channel_have_one_slot():
    other = '[wifi.other]\nslot = "long"\nstations = ["q"]'
    refused(f"{wifi()}{other}", "wifi.other.slot", 'and "home" on its channel the short one', "same slot")


def test_channels_may_overlap_in_part():
    for first, second in (
        ("channel = 1", "channel = 3"),
        ("channel = 1", "channel = 5"),
        ('standard = "11ac"', 'standard = "11a"\nchannel = 40'),
        ('standard = "11ac"', 'standard = "11ac"\nchannel = 44'),
        ('standard = "11a"', 'standard = "11a"\nchannel = 40'),
    ):
        other = f'[wifi.other]\n{second}\nstations = ["q"]'
        assert len(air_of(f"{wifi(first)}{other}")["cells"]) == 2


def test_bandwidth_operation_and_energy_detection():
    air = air_of(wifi('standard = "11ac"\nbandwidth_operation = "static"'))
    assert air["cells"][0]["bandwidth_operation"] == "static"
    assert air["channel"]["energy_detection_dbm"] == -62
    loud = '[channel]\ncarrier_sense = "-50 dBm"\n'
    assert air_of(wifi() + loud)["channel"]["energy_detection_dbm"] == -50
    low = '[channel]\nenergy_detection = "-90 dBm"\n'
    refused(wifi() + low, "channel.energy_detection", "below carrier_sense", "Raise it")


def test_midpacket_detection_is_that_of_energy_unless_it_is_lower():
    def level(keys: str) -> float:
        return air_of(wifi() + f"[channel]\n{keys}\n")["channel"]["midpacket_detection_dbm"]

    assert level("") == -62
    assert level('energy_detection = "-55 dBm"') == -55
    assert level('midpacket_detection = "-82 dBm"') == -82
    high = '[channel]\nmidpacket_detection = "-50 dBm"\n'
    refused(wifi() + high, "channel.midpacket_detection", "above energy_detection", "Lower it")


MESH = HEAD + '[wifi.m]\nkind = "mesh"\nstations = ["a", "b", "c", "d"]\n'


def routes_of(keys):
    nics = air_of(MESH + keys)["nics"]
    assert {nic["role"] for nic in nics} == {"mesh"}
    return [[(route["to"], route["via"]) for route in nic["mesh_routes"]] for nic in nics]


def test_mesh_routes_take_the_fewest_hops():
    assert routes_of("") == [[], [], [], []]
    chain = [[(2, 1), (3, 1)], [(3, 2)], [(0, 1)], [(0, 2), (1, 2)]]
    assert routes_of('peerings = "chain"') == chain
    pairs = 'peerings = [["a", "b"], ["b", "c"], ["c", "d"], ["a", "d"]]\n'
    ring = [[(2, 1)], [(3, 0)], [(0, 1)], [(1, 0)]]
    assert routes_of(pairs) == ring
    other_way = '[[wifi.m.route]]\nfrom = "a"\nto = "c"\nvia = "d"'
    assert routes_of(pairs + other_way) == [[(2, 3)], *ring[1:]]


WRONG_MESHES = {
    "apart": ('peerings = [["a", "b"], ["c", "d"]]', "wifi.m.peerings", "no peerings join"),
    "stranger": ('peerings = [["a", "x"]]', "wifi.m.peerings[0]", '"x" is not in this mesh'),
    "word": ('peerings = "ring"', "wifi.m.peerings", "no set of peerings"),
    "circle": (
        'peerings = "chain"\n[[wifi.m.route]]\nfrom = "b"\nto = "d"\nvia = "a"',
        "wifi.m.route",
        "in a circle",
    ),
    "route of a stranger": (
        '[[wifi.m.route]]\nfrom = "x"\nto = "d"\nvia = "a"',
        "wifi.m.route[0].from",
        "not in",
    ),
    "access point": ('access_point = "a"', "wifi.m.access_point", "a mesh has none"),
    "switch": ('[node.a]\nkind = "switch"', "node.a.kind", "not of hosts behind them", "host or router"),
    "rssi": ('[wifi.m.radio.a]\nrssi = "-60 dBm"', "wifi.m.radio.a.rssi", "mesh station's", "channel.link"),
    "two parts": (
        '[wifi.w]\naccess_point = "a"\nstations = ["s"]',
        "wifi.w.access_point",
        "mesh station in one",
    ),
}


@pytest.mark.parametrize("case", WRONG_MESHES)
def test_meshes_that_can_not_be(case):
    keys, key, *reason = WRONG_MESHES[case]
    refused(MESH + keys, key, *reason)


def test_wires_make_a_mesh_station_a_router():
    from airtcp.scenario.compile.compiler import compile_scenario
    from support.wifi_scenarios import scenario_of

    text = MESH + '[[wire]]\nbetween = ["a", "pc"]\n[[flow]]\nfrom = "pc"\nto = "d"\n'
    nodes = {node["name"]: node for node in compile_scenario(scenario_of(text))["nodes"]}
    forwards = {"key": "net.ipv4.ip_forward", "value": "1"}
    assert [forwards in nodes[name]["sysctls"] for name in ("a", "b", "pc")] == [True, False, False]
    assert nodes["d"]["routes"] == [{"to": "0.0.0.0/0", "via": "10.0.0.1"}]
