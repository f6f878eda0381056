"""What a scenario samples and captures."""

import pytest
from airtcp.scenario.errors import ScenarioError
from support.wifi_scenarios import plan_of

BASE = """
name = "x"
duration = "2 s"
[wifi.home]
stations = 2
[[wire]]
between = ["ap1", "h1"]
[[flow]]
from = "sta*"
to = "h1"
"""


def captures_of(text):
    return plan_of(BASE + text)["captures"]


def test_a_node_is_captured_at_all_its_interfaces_but_the_bridge():
    capture = captures_of('[[capture]]\nnode = "ap1"')[0]
    assert capture["point"] == {"kind": "interfaces", "node": "ap1", "names": ["wlan0", "eth0"]}
    assert (capture["name"], capture["flows"], capture["stop_ns"]) == ("ap1", [], 2_000_000_000)


def test_flows_are_chosen_by_pattern_or_list():
    assert captures_of('[[capture]]\nair = true\nflows = "sta2-*"')[0]["flows"] == [1]
    assert captures_of('[[capture]]\nair = true\nflows = ["sta2-h1", "sta1-h1"]')[0]["flows"] == [0, 1]


@pytest.mark.parametrize(
    ("text", "key", "words"),
    [
        ("", "capture[0]", "neither node nor air"),
        ('node = "h1"\nair = true', "capture[0]", "both node and air"),
        ('node = "h2"', "capture[0].node", "h2"),
        ('node = "h1"\ninterface = "eth1"', "capture[0].interface", "no interface"),
        ('air = true\ninterface = "wlan0"', "capture[0].interface", "no interfaces"),
        ('air = true\nflows = "nobody"', "capture[0].flows", "no flow is named"),
        ('air = true\nsnap = "60 B"', "capture[0].snap", "134 B"),
        ('air = true\nstart = "3 s"', "capture[0].start", "not before the end"),
        ('air = true\nstart = "1 s"\nstop = "1 s"', "capture[0].stop", "not after the start"),
    ],
)
def test_a_capture_that_makes_no_sense_is_refused(text, key, words):
    with pytest.raises(ScenarioError) as caught:
        captures_of(f"[[capture]]\n{text}")
    assert caught.value.place.endswith(key)
    assert words in str(caught.value)


def test_an_interval_below_a_millisecond_is_refused():
    with pytest.raises(ScenarioError, match="1 ms"):
        captures_of('[sampling]\nqdiscs = "0.5 ms"')
    captures_of('[sampling]\nqdiscs = "0 s"')
