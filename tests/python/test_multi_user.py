"""PPDUs of an access point to several stations at once: what the plan has of them, and what is refused."""

import pytest
from support.wifi_scenarios import cell_of, refused, wifi

ROUND_ROBIN = {"scheduler": "round_robin", "stations": 4, "acknowledgement": "sequential", "mu_rts": False}


def cell(keys=""):
    return cell_of(f'standard = "11ax"\n{keys}', stations="2")


def test_the_name_of_a_scheduler_or_a_table():
    for scheduler in ("round_robin", "latency", "proportional"):
        named = cell(f'multi_user = "{scheduler}"')["multi_user"]
        assert named == ROUND_ROBIN | {"scheduler": scheduler}
    for sequence in ("mu_bar", "aggregated_mu_bar"):
        by_trigger = cell(f'multi_user = {{ acknowledgement = "{sequence}" }}')["multi_user"]
        assert by_trigger == ROUND_ROBIN | {"acknowledgement": sequence}
    assert cell("multi_user = { mu_rts = true }")["multi_user"] == ROUND_ROBIN | {"mu_rts": True}
    assert cell("multi_user = { stations = 8 }")["multi_user"] == ROUND_ROBIN | {"stations": 8}


def test_without_the_key_a_plan_is_as_before():
    assert "multi_user" not in cell()
    assert "multi_user" not in cell('multi_user = "off"')


@pytest.mark.parametrize(
    ("keys", "what"),
    [
        ('standard = "11ac"', "an access point of 11ac has no resource units, which came with 11ax"),
        (
            'standard = "11ax"\nkind = "mesh"',
            "only an access point sends to several stations at once; a cell of kind mesh has none",
        ),
        (
            'standard = "11ax"\nmac = "linux"\nsetup = "programs"',
            "programs set up the network, so its access point is not known",
        ),
        (
            'standard = "11ax"\nhardware_queue = { ppdus = 2, aggregates = "at_entry" }',
            'the card of "ap1" forms aggregates before it knows who shares a PPDU',
        ),
    ],
)
def test_cells_that_cannot_have_it_are_refused(keys, what):
    text = wifi(f'{keys}\nmulti_user = "round_robin"', stations='["sta1", "sta2"]')
    refused(text, "wifi.home.multi_user", what, "leave multi_user out")


@pytest.mark.parametrize(
    ("field", "line"), [("hostapd", "ieee80211ax = 0"), ("wpa_supplicant", "disable_he=1")]
)
def test_networks_of_mac80211_without_11ax_are_refused(field, line):
    keys = f'standard = "11ax"\nmac = "linux"\n{field} = ["{line}"]\nmulti_user = "round_robin"'
    what = f'"{line}" makes it a network without 11ax, which has no resource units'
    refused(wifi(keys, stations='["sta1", "sta2"]'), f"wifi.home.{field}", what, "or multi_user")


def test_it_is_the_same_with_mac80211():
    assert cell('mac = "linux"\nmulti_user = { uplink = true }')["multi_user"] == ROUND_ROBIN | {
        "uplink": UPLINK
    }


def test_a_station_that_understands_it_is_needed():
    old = '[wifi.home.radio.sta1]\nstandard = "11ac"'
    text = wifi('standard = "11ax"\nmulti_user = "round_robin"', old)
    what = "no station of the cell is of 11ax or 11be, so none understands it"
    refused(text, "wifi.home.multi_user", what, "leave multi_user out")


UPLINK = {"bsrp": False, "interval_us": 10_000, "report_lifetime_us": 20_000, "target_rssi_dbm": None}


def test_uplinks_that_the_access_point_triggers():
    assert cell("multi_user = { uplink = true }")["multi_user"] == ROUND_ROBIN | {"uplink": UPLINK}
    keys = 'uplink = true, bsrp = true, uplink_interval = "0 us", report_lifetime = "5 ms", target_rssi = "-60 dBm"'
    given = {"bsrp": True, "interval_us": 0, "report_lifetime_us": 5_000, "target_rssi_dbm": -60.0}
    assert cell(f"multi_user = {{ {keys} }}")["multi_user"]["uplink"] == given


def mu_edca(value):
    return cell(f"multi_user = {{ uplink = true, mu_edca = {value} }}")["multi_user"]["uplink"].get("mu_edca")


def test_mu_edca_parameters_are_those_of_hostapds_example_or_others():
    example = {"aifsn": 0, "cw_min": 32767, "cw_max": 32767, "timer": 255}
    assert mu_edca("true") == [example] * 4
    assert mu_edca("false") is None
    all_alike = '{ aifsn = 8, cw_min = 15, timer = "80 TU" }'
    alike = {"aifsn": 8, "cw_min": 15, "cw_max": 32767, "timer": 10}
    assert mu_edca(all_alike) == [alike] * 4
    one_apart = (
        '{ aifsn = 8, cw_min = 15, timer = "80 TU", voice = { aifsn = 2, cw_max = 15, timer = "8192 us" } }'
    )
    voice = {"aifsn": 2, "cw_min": 15, "cw_max": 15, "timer": 1}
    assert mu_edca(one_apart) == [alike] * 3 + [voice]


@pytest.mark.parametrize(
    ("value", "key", "what"),
    [
        (
            "{ aifsn = 1 }",
            ".aifsn",
            "1 is no AIFSN of a station; write 2 to 15, or 0 for a category that does",
        ),
        ("{ aifsn = 16 }", ".aifsn", "15"),
        ("{ cw_min = 16 }", ".cw_min", "16 is not one less than a power of two"),
        ("{ cw_max = 15 }", ".background", "cw_min 32767 is above cw_max 15"),
        ("{ voice = { cw_max = 15 } }", ".voice", "cw_min 32767 is above cw_max 15"),
    ],
)
def test_mu_edca_parameters_that_cannot_be_are_refused(value, key, what):
    text = wifi(
        f'standard = "11ax"\nmulti_user = {{ uplink = true, mu_edca = {value} }}', stations='["sta1", "sta2"]'
    )
    refused(text, f"wifi.home.multi_user.mu_edca{key}", what)


@pytest.mark.parametrize(("timer", "possible"), [("100 ms", "96 TU"), ("0 ms", "8 TU"), ("3 s", "2040 TU")])
def test_mu_edca_timers_have_a_unit(timer, possible):
    text = wifi(
        f'standard = "11ax"\nmulti_user = {{ uplink = true, mu_edca = {{ timer = "{timer}" }} }}',
        stations='["sta1", "sta2"]',
    )
    what = "the unit of MU EDCA timers (IEEE 802.11ax-2021, 9.4.2.251); write for example"
    refused(text, "wifi.home.multi_user.mu_edca.timer", f'{what} "{possible}"')


def test_mu_edca_needs_uplinks():
    text = wifi('standard = "11ax"\nmulti_user = { mu_edca = true }', stations='["sta1", "sta2"]')
    refused(text, "wifi.home.multi_user", "mu_edca is about uplinks, which this cell does not trigger")


def test_keys_of_uplinks_need_uplinks():
    text = wifi('standard = "11ax"\nmulti_user = { bsrp = true }', stations='["sta1", "sta2"]')
    what = "bsrp is about uplinks, which this cell does not trigger; set uplink = true, or leave bsrp out"
    refused(text, "wifi.home.multi_user", what)


def test_reports_that_are_asked_for_must_count():
    text = wifi(
        'standard = "11ax"\nmulti_user = { uplink = true, bsrp = true, report_lifetime = "0 us" }',
        stations="2",
    )
    what = "of which report_lifetime lets none count; set report_lifetime to 20 ms, or leave bsrp out"
    refused(text, "wifi.home.multi_user", what)


def test_cards_of_stations_that_form_aggregates_early_are_refused():
    card = '[wifi.home.radio.sta1]\nhardware_queue = { ppdus = 2, aggregates = "at_entry" }'
    text = wifi('standard = "11ax"\nmulti_user = { uplink = true }', card, stations='["sta1", "sta2"]')
    what = 'the card of "sta1" forms aggregates before it knows how much it may send in answer to a trigger frame'
    refused(text, "wifi.home.multi_user.uplink", what, "leave uplink out")


def random_access(value):
    keys = f"multi_user = {{ uplink = true, random_access = {value} }}"
    return cell(keys)["multi_user"]["uplink"].get("random_access")


def test_random_access_is_a_number_or_a_table():
    defaults = {"rus": 1, "ocw_min": 7, "ocw_max": 31}
    assert random_access("true") == random_access("1") == random_access("{}") == defaults
    assert random_access("4") == defaults | {"rus": 4}
    assert random_access("{ rus = 2, ocw_min = 0, ocw_max = 127 }") == {
        "rus": 2,
        "ocw_min": 0,
        "ocw_max": 127,
    }
    assert random_access("0") is None
    assert random_access("false") is None


@pytest.mark.parametrize(
    ("value", "key", "what"),
    [
        ("33", ".rus", "32"),
        ("9", ".rus", "9 random access resource units and one for a station do not go into 20 MHz"),
        ("{ ocw_min = 8 }", ".ocw_min", "8 is not one less than a power of two, 0 to 127"),
        ("{ ocw_max = 255 }", ".ocw_max", "255 is not one less than a power of two, 0 to 127"),
        ("{ ocw_max = 3 }", "", "ocw_min 7 is above ocw_max 3"),
    ],
)
def test_random_access_that_cannot_be_is_refused(value, key, what):
    keys = f'standard = "11ax"\nwidth = "20 MHz"\nmulti_user = {{ uplink = true, random_access = {value} }}'
    refused(wifi(keys, stations='["sta1", "sta2"]'), f"wifi.home.multi_user.random_access{key}", what)


def test_random_access_needs_uplinks():
    text = wifi('standard = "11ax"\nmulti_user = { random_access = 2 }', stations='["sta1", "sta2"]')
    refused(text, "wifi.home.multi_user", "random_access is about uplinks, which this cell does not trigger")
