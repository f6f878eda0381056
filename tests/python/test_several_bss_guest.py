"""Several networks on one radio of an access point."""

import copy

import airtcp
import polars as pl
import pytest
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.reading.scenario_file import scenario_from_tables

guest = pytest.mark.guest

TABLES = {
    "name": "two-networks",
    "duration": "3 s",
    "wifi": {
        "home": {
            "mac": "linux",
            "standard": "11n",
            "stations": ["sta1"],
            "security": "wpa2",
            "bss": [{"ssid": "guest", "stations": ["sta2"], "wires": ["h2"]}],
        }
    },
    "wire": [{"between": ["ap1", "h1"]}, {"between": ["ap1", "h2"]}],
    "flow": [{"name": "ours", "from": "sta1", "to": "h1"}, {"name": "theirs", "from": "sta2", "to": "h2"}],
}


def tables(bss=(), **top):
    """The two networks with other keys of the second one, and other tables."""
    changed = {**copy.deepcopy(TABLES), **top}
    changed["wifi"]["home"]["bss"][0].update(bss)
    return changed


def compiled(**changes):
    return compile_scenario(scenario_from_tables(tables(**changes)))


def test_a_further_network_has_a_bridge_with_its_wires_and_an_address_range_of_its_own():
    plan = compiled()
    nodes = {node["name"]: node for node in plan["nodes"]}
    assert [bridge["name"] for bridge in nodes["ap1"]["bridges"]] == ["br0", "br1"]
    ports = {one["name"]: one["bridge"] for one in nodes["ap1"]["interfaces"]}
    assert ports == {"wlan0": "br0", "eth0": "br0", "eth1": "br1"}
    networks = {
        name: nodes[name]["interfaces"][0]["addresses"][0].rsplit(".", 1)[0]
        for name in ("sta1", "h1", "sta2", "h2")
    }
    assert networks["sta1"] == networks["h1"] != networks["sta2"] == networks["h2"]
    linux = plan["air"]["cells"][0]["linux"]
    assert linux["setup"] == "daemons"
    assert linux["bss"] == [
        {
            "interface": "wlan0_1",
            "ssid": "guest",
            "security": {"kind": "open"},
            "bridge": "br1",
            "isolated": False,
            "stations": [2],
        }
    ]


def test_a_shared_network_has_the_bridge_of_the_access_point():
    plan = compiled(bss={"network": "shared", "wires": []})
    assert plan["air"]["cells"][0]["linux"]["bss"][0]["bridge"] == "br0"
    assert [node["name"] for node in plan["nodes"] if len(node["bridges"]) > 1] == []


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"flow": [{"from": "sta1", "to": "h2"}]}, "can't reach"),
        ({"bss": {"ssid": "home"}}, "two networks"),
        # In one bridge as well: a station would join either, by chance.
        ({"bss": {"ssid": "home", "network": "shared", "wires": []}}, "two networks"),
        ({"bss": {"wires": ["h3"]}}, "has no wire"),
        ({"bss": {"network": "shared"}}, "those of the access point"),
        ({"bss": {"stations": ["sta1"]}}, "appears twice"),
        ({"bss": {"network": "shared", "wires": []}, "node": {"ap1": {"kind": "router"}}}, "has no bridge"),
    ],
)
def test_what_contradicts_itself_is_refused(changes, told):
    with pytest.raises(ScenarioError, match=told):
        compiled(**changes)


def test_a_wire_belongs_to_one_network():
    changed = tables(flow=[])
    changed["wifi"]["home"]["bss"].append({"ssid": "third", "stations": ["sta3"], "wires": ["h2"]})
    with pytest.raises(ScenarioError, match=r'bss\[1\]\.wires: the wire to "h2" belongs to another network'):
        compile_scenario(scenario_from_tables(changed))


def test_the_mac_of_airtcp_has_one_network_for_each_radio():
    changed = tables()
    changed["wifi"]["home"].update(mac="airtcp")
    del changed["wifi"]["home"]["security"]
    with pytest.raises(ScenarioError, match="no effect with airtcp's own MAC"):
        compile_scenario(scenario_from_tables(changed))


@guest
def test_stations_of_each_reach_their_own_network_and_share_the_airtime(tmp_path):
    told = []
    for store in "one", "two":
        with airtcp.lab(scenario_from_tables(tables()), store=tmp_path / store) as lab:
            lab.until("3 s")
            acked = lab.measured().flows.group_by("flow_name").agg(pl.col("bytes_acked").max())
            told.append((lab.frame_hash(), dict(acked.iter_rows())))
            if store == "one":
                assert lab["ap1"].run("ls /sys/class/net/br1/brif").output.split() == ["eth1", "wlan0_1"]
                assert "ssid guest" in lab["ap1"].run("iw dev wlan0_1 info").output
                assert lab["sta2"].run("ping -c 1 -W 1 h2").status == 0
                assert lab["sta2"].run("ping -c 1 -W 1 h1").status != 0
    assert told[0] == told[1]
    acked = told[0][1]
    assert 0.8 < acked["ours"] / acked["theirs"] < 1.25


@guest
def test_stations_of_an_isolated_network_reach_its_wires_alone(tmp_path):
    bss = {"stations": ["sta2", "sta3"], "isolated": True, "security": "wpa2"}
    with airtcp.lab(scenario_from_tables(tables(bss, flow=[])), store=tmp_path) as lab:
        assert lab["sta3"].run("ping -c 1 -W 1 h2").status == 0
        assert lab["sta3"].run("ping -c 1 -W 1 sta2").status != 0
