"""Cards and hosts of radios: presets, single parts, and every way in which they can be wrong."""

import pytest
from airtcp.scenario.errors import ScenarioError
from support.wifi_scenarios import air_of, nics_of, refused, scenario_of, wifi

IDEAL = {
    "rx_interrupt": None,
    "tx_interrupt": None,
    "hardware_queue": None,
    "host_delay": None,
    "aql": None,
    "airtime_fairness": None,
}
AC = 'standard = "11ac"\n'


def moderation(after_first_us, after_last_us=None, frames=None, load=None):
    last = None if after_last_us is None else after_last_us * 1000
    return {"after_first_ns": after_first_us * 1000, "after_last_ns": last, "frames": frames, "load": load}


def card_of(keys):
    return nics_of(keys)[1]["card"]


def test_the_default_is_an_ideal_card():
    for keys in ("", 'card = "none"', AC, 'standard = "11n"\nmac = "linux"'):
        nic = nics_of(keys)[1]
        assert nic["card"] == IDEAL
        assert (nic["gro"], nic["delivery"]) == (False, "ppdu_end")


def test_ath9k_forms_aggregates_of_4_ms_when_they_enter():
    nic = nics_of('standard = "11n"\ncard = "ath9k"')[1]
    queue = {"size": {"kind": "ppdus", "count": 1}, "aggregates": "at_entry"}
    assert nic["card"] == IDEAL | {"rx_interrupt": moderation(2000, 500), "hardware_queue": queue}
    assert (nic["delivery"], nic["aggregation"]["ampdu_us"]) == ("mpdu_end", 4000)
    assert (nic["queue"]["aql_us"], nic["queue"]["airtime_fairness"]) == (None, True)
    assert (
        nics_of('standard = "11n"\ncard = "ath9k"\naggregation = { ampdu_time = "2 ms" }')[1]["aggregation"][
            "ampdu_us"
        ]
        == 2000
    )
    # Without aggregation eight frames are in its queue.
    assert card_of('standard = "11a"\ncard = "ath9k"')["hardware_queue"]["size"] == {
        "kind": "ppdus",
        "count": 7,
    }


def test_ath11k_moderates_completions_on_their_own():
    nic = nics_of(AC + 'card = "ath11k"')[1]
    assert nic["card"] == IDEAL | {
        "rx_interrupt": moderation(500, frames=128),
        "tx_interrupt": {"kind": "own", **moderation(1000, frames=256)},
        "hardware_queue": {"size": {"kind": "frames", "count": 2500}, "aggregates": "at_access"},
    }
    assert (nic["queue"]["aql_us"], nic["queue"]["airtime_fairness"], nic["gro"]) == (None, False, True)


def test_rtw89_moderates_under_load():
    card = card_of(AC + 'card = "rtw89"')
    load = {"above_bps": 51 * 2**20, "every_ns": 2_000_000_000}
    assert card["rx_interrupt"] == moderation(2048, frames=128, load=load)
    assert card["tx_interrupt"] == {"kind": "with_reception"}
    # What they would take part in is off.
    assert card_of(AC + 'card = "rtw89"\nrx_interrupt = "off"')["tx_interrupt"] is None
    later = card_of(AC + 'card = "rtw89"\nrx_interrupt = "off"\nhost_delay = { fixed = "50 us" }')
    assert later["tx_interrupt"] == {"kind": "with_reception"}


@pytest.mark.parametrize(
    ("card", "aql", "fairness"),
    [("ath10k", True, True), ("mt76", True, True), ("iwlwifi", False, False), ("ath9k", False, True)],
)
def test_drivers_ask_for_airtime_limits_and_fairness(card, aql, fairness):
    own = nics_of(f'{AC}card = "{card}"')[1]["queue"]
    assert (own["aql_us"], own["airtime_fairness"]) == ([5000, 12_000] if aql else None, fairness)
    linux = nics_of(f'{AC}mac = "linux"\ncard = "{card}"')[1]["card"]
    assert (linux["aql"], linux["airtime_fairness"]) == (aql, fairness)


def test_what_a_scenario_says_of_the_queues_holds():
    keys = f'{AC}card = "ath11k"\nnic_queue = {{ kind = "fq_codel", aql = ["1 ms", "2 ms"] }}'
    queue = nics_of(keys)[1]["queue"]
    assert (queue["aql_us"], queue["airtime_fairness"]) == ([1000, 2000], False)
    plan = air_of(wifi(f'{AC}mac = "linux"\ncard = "ath11k"\naql = true'))
    assert plan["cells"][0]["linux"]["aql"] is True
    assert (plan["nics"][1]["card"]["aql"], plan["nics"][1]["card"]["airtime_fairness"]) == (None, False)


def test_radios_of_a_cell_have_cards_of_their_own():
    plan = air_of(wifi(AC + 'mac = "linux"', '[wifi.home.radio.sta1]\ncard = "iwlwifi"'))
    assert [nic["card"]["aql"] for nic in plan["nics"]] == [None, False]


def test_each_part_by_itself():
    card = card_of(
        'tx_interrupt = { after_first = "1 ms", after_last = "200 us", frames = 8 }\n'
        'hardware_queue = { airtime = "4 ms", aggregates = "at_entry" }\n'
        'rx_interrupt = { after_first = "1 ms", load = { above = "10 Mbit/s" } }'
    )
    assert card["tx_interrupt"] == {"kind": "own", **moderation(1000, 200, 8)}
    assert card["hardware_queue"] == {"size": {"kind": "airtime", "ns": 4_000_000}, "aggregates": "at_entry"}
    assert card["rx_interrupt"]["load"] == {"above_bps": 10_000_000, "every_ns": 2_000_000_000}
    # A preset's way to form aggregates stays where only its size is another.
    assert (
        card_of('card = "ath9k"\nhardware_queue = { frames = 9 }')["hardware_queue"]["aggregates"]
        == "at_entry"
    )
    keys = 'card = "ath9k"\nhardware_queue = { ppdus = 2, aggregates = "at_access" }'
    assert card_of(keys)["hardware_queue"]["aggregates"] == "at_access"


REFUSED = {
    "no timer": ("rx_interrupt = { frames = 3 }", "rx_interrupt", "give after_first"),
    "no timer of completions": ("tx_interrupt = { frames = 3 }", "tx_interrupt", "give after_first"),
    "last later than first": (
        'tx_interrupt = { after_first = "1 ms", after_last = "2 ms" }',
        "tx_interrupt",
        "make it shorter, or leave it out",
    ),
    "no frame": ('rx_interrupt = { after_first = "1 ms", frames = 0 }', "rx_interrupt.frames", "1"),
    "unknown word": ('tx_interrupt = "on"', "tx_interrupt", "with_rx"),
    "no load": ('rx_interrupt = { after_first = "1 ms", load = {} }', "rx_interrupt.load.above", "missing"),
    "no period": (
        'rx_interrupt = { after_first = "1 ms", load = { above = "1 Mbit/s", every = "0 s" } }',
        "rx_interrupt.load.every",
        "more than 0",
    ),
    "no unit": ("hardware_queue = {}", "hardware_queue", "{ frames = 224 }"),
    "two units": ('hardware_queue = { frames = 4, airtime = "1 ms" }', "hardware_queue", "{ frames = 224 }"),
    "unknown unit": ('hardware_queue = { time = "1 ms" }', "hardware_queue.time", "airtime"),
    "no airtime": ('hardware_queue = { airtime = "0 ms" }', "hardware_queue.airtime", "more than 0"),
    "much airtime": ('hardware_queue = { airtime = "2 s" }', "hardware_queue.airtime", "1"),
    "no frames": ("hardware_queue = { frames = 0 }", "hardware_queue.frames", "1"),
    "unknown forming": (
        'hardware_queue = { ppdus = 1, aggregates = "early" }',
        "hardware_queue.aggregates",
        "at_entry",
    ),
    "nothing to take part in": (
        'tx_interrupt = "with_rx"',
        "tx_interrupt",
        "Give rx_interrupt or host_delay",
    ),
    "unknown card": ('card = "ath12k"', "card", "ath11k"),
}


@pytest.mark.parametrize(("keys", "key", "words"), REFUSED.values(), ids=REFUSED)
def test_refused(keys, key, words):
    with pytest.raises(ScenarioError) as caught:
        air_of(wifi(keys))
    assert caught.value.key == f"wifi.home.{key}"
    assert words in str(caught.value)


def test_a_refusal_names_the_radio():
    text = wifi("", '[wifi.home.radio.sta1]\ntx_interrupt = "with_rx"')
    refused(text, "wifi.home.radio.sta1.tx_interrupt", "not moderated", "host_delay")
    assert scenario_of(text).wifi["home"].radio["sta1"].tx_interrupt == "with_rx"


def spacing_ns(keys):
    return nics_of(keys)[1]["aggregation"]["start_spacing_ns"]


def test_a_card_announces_the_spacing_of_mpdus_of_its_driver():
    assert spacing_ns(AC) == 4000
    found = {card: spacing_ns(AC + f'card = "{card}"') for card in ("ath10k", "mt76", "iwlwifi")}
    assert found == {"ath10k": 8000, "mt76": 2000, "iwlwifi": 4000}
    assert {spacing_ns(AC + f'card = "{card}"') for card in ("ath11k", "rtw89")} == {0}
    assert spacing_ns('standard = "11n"\ncard = "ath9k"') == 8000
    assert spacing_ns('standard = "11n"\nband = "2.4 GHz"\ncard = "mt76"') == 4000
    assert spacing_ns(AC + 'card = "ath10k"\naggregation = { start_spacing = "0.5 us" }') == 500


def test_a_spacing_that_nobody_can_announce_is_refused():
    with pytest.raises(ScenarioError, match="no radio can announce 3 us"):
        nics_of(AC + 'aggregation = { start_spacing = "3 us" }')


def padding_us(keys):
    return nics_of(keys)[1]["nominal_packet_padding_us"]


def test_drivers_ask_for_16_us_of_packet_padding():
    standards = ("11n", "11ac", "11ax", "11be")
    assert [padding_us(f'standard = "{name}"') for name in standards] == [0, 0, 16, 16]
    assert padding_us('standard = "11ax"\nnominal_packet_padding = "8 us"') == 8
    assert padding_us('standard = "11be"\nnominal_packet_padding = "20 us"') == 20
    for standard, padding in (("11ax", "20 us"), ("11ac", "8 us")):
        with pytest.raises(ScenarioError, match="nominal_packet_padding"):
            nics_of(f'standard = "{standard}"\nnominal_packet_padding = "{padding}"')
