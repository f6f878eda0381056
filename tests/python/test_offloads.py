"""Offloads of hosts as scenarios write them: who has them, what follows from them, and what contradicts them."""

import tomllib

import pytest
from airtcp.scenario.keys.wires import WireInterrupt
from pydantic import ValidationError
from support.wifi_scenarios import HEAD, plan_of, refused, wifi

HOST = 'offloads = "host"\n'
PATH = '[[wire]]\nbetween = ["h1", "r1"]\n[[wire]]\nbetween = ["r1", "h2"]\n[node.r1]\nkind = "router"\n'
EVERY_50_US = {"interval_ns": 50_000, "after_first_ns": 0, "frames": None}


def nodes_of(text):
    return {node["name"]: node for node in plan_of(text)["nodes"]}


def interrupts_of(text):
    return {
        name: [interface["rx_interrupt"] for interface in node["interfaces"]]
        for name, node in nodes_of(text).items()
    }


def test_nobody_has_them_by_default():
    nodes = nodes_of(HEAD + PATH)
    assert {node["offloads"] for node in nodes.values()} == {"none"}
    assert interrupts_of(HEAD + PATH) == {"h1": [None], "r1": [None, None], "h2": [None]}


def test_hosts_have_them_and_nodes_that_forward_do_not():
    nodes = nodes_of(HEAD + HOST + PATH)
    assert {name: node["offloads"] for name, node in nodes.items()} == {
        "h1": "host",
        "r1": "none",
        "h2": "host",
    }
    assert interrupts_of(HEAD + HOST + PATH) == {"h1": [EVERY_50_US], "r1": [None, None], "h2": [EVERY_50_US]}


def test_a_node_has_its_own():
    assert nodes_of(HEAD + HOST + PATH + '[node.h1]\noffloads = "none"')["h1"]["offloads"] == "none"
    nodes = nodes_of(HEAD + PATH + '[node.h1]\noffloads = "host"')
    assert (nodes["h1"]["offloads"], nodes["h2"]["offloads"]) == ("host", "none")


def test_interrupts_are_those_of_the_receiver():
    text = HEAD + HOST + '[[wire]]\nbetween = ["h1", "h2"]\nrx_interrupt = "off"\n[wire.towards.h2]\n'
    found = interrupts_of(text + 'rx_interrupt = { after_first = "20 us", frames = 5 }')
    assert found == {"h1": [None], "h2": [{"interval_ns": 0, "after_first_ns": 20_000, "frames": 5}]}


def test_radios_of_hosts_merge_and_those_of_access_points_do_not():
    def merging(keys, head=HOST):
        text = wifi(keys, "").replace(HEAD, HEAD + head)
        return [nic["gro"] for nic in plan_of(text)["air"]["nics"]]

    assert merging("") == [False, True]
    # A card's default would let the access point merge what it forwards.
    assert merging('standard = "11ac"\ncard = "iwlwifi"') == [False, True]
    assert merging('standard = "11ac"\ncard = "iwlwifi"', "") == [True, True]
    assert merging("gro = false") == [False, False]
    assert merging("[wifi.home.radio.sta1]\ngro = true") == [False, True]


@pytest.mark.parametrize("kind", ["router", "switch"])
def test_a_node_that_forwards_is_refused(kind):
    text = HEAD + PATH.replace('"router"', f'"{kind}"\noffloads = "host"')
    refused(text, "node.r1.offloads", f"r1 is a {kind}: it forwards packets", "only hosts")


def test_contradictions_are_refused():
    forwarding = '[node.h1]\nsysctl = { "net.ipv4.ip_forward" = 1 }\n'
    refused(
        HEAD + HOST + PATH + forwarding, "offloads", "h1 forwards packets (net.ipv4.ip_forward)", "router"
    )
    own = forwarding + 'offloads = "host"\n'
    refused(HEAD + PATH + own, "node.h1.offloads", "would forward those that it has merged")
    text = wifi("gro = true").replace(HEAD, HEAD + HOST)
    refused(text, "wifi.home.gro", "merges what a node forwards", "merges at hosts")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("frames = 5", "has no time"),
        ('interval = "50 us"\nframes = 5', "without after_first"),
        ('interval = "0 us"', "0"),
    ],
)
def test_an_interrupt_that_never_comes_is_refused(text, why):
    with pytest.raises(ValidationError, match=why):
        WireInterrupt(**tomllib.loads(text))
