"""Values put into a scenario by the path of their key."""

import pytest
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.reading.assignment import assign


def tables():
    return {"wire": [{"rate": "1"}, {"rate": "2"}], "flow": [{"cca": "reno"}, {}], "wifi": {"g": {}}}


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("wire[1].queue", "20 packets", {"wire": [{"rate": "1"}, {"rate": "2", "queue": "20 packets"}]}),
        ("flow[*].cca", "bbr", {"flow": [{"cca": "bbr"}, {"cca": "bbr"}]}),
        ("wifi.g.radio.sta1.rssi", "-70 dBm", {"wifi": {"g": {"radio": {"sta1": {"rssi": "-70 dBm"}}}}}),
        ('sysctl."net.ipv4.tcp_ecn"', 1, {"sysctl": {"net.ipv4.tcp_ecn": 1}}),
        ("seed", 7, {"seed": 7}),
        ("flow", [], {"flow": []}),
    ],
)
def test_a_value_goes_where_the_path_leads(path, value, expected):
    given = tables()
    assign(given, path, value)
    assert given == {**tables(), **expected}


def test_every_place_has_its_own_copy():
    given = tables()
    assign(given, "flow[*].options", {"a": 1})
    given["flow"][0]["options"]["a"] = 2
    assert given["flow"][1]["options"] == {"a": 1}


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("", "not the path"),
        ("wire[1].", "not the path"),
        ("wire[one].rate", "not the path"),
        ("wire[2].rate", "no entry 2 (of 2"),
        ("ping[0].interval", 'no list "ping"'),
        ("wifi[0].rate", "not a list"),
        ("wire.rate", "is not in a table"),
    ],
)
def test_a_path_that_leads_nowhere_is_an_error(path, says):
    with pytest.raises(ScenarioError, match=__import__("re").escape(says)):
        assign(tables(), path, "x")
