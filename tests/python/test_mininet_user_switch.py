"""User-space switches: commands of ofsoftswitch13's `dpctl` in words of Open vSwitch."""

import pytest
from airtcp.mininet.guest import dpctl, ofprotocol, user_switch
from airtcp.mininet.guest.user_switch import UserSwitch


def test_a_flow_has_its_options_match_and_instructions():
    words = [
        "table=1,cmd=add,prio=7",
        "in_port=2,eth_type=0x800,ip_dst=10.0.0.1",
        "meter:1",
        "apply:output=flood",
    ]
    flow = "table=1,priority=7,in_port=2,dl_type=0x800,nw_dst=10.0.0.1,actions=meter:1,flood"
    assert dpctl.flow_command(words) == ["add-flow", flow]


def test_a_flow_without_instructions_drops():
    assert dpctl.flow_command(["cmd=add,table=0"]) == ["add-flow", "table=0,actions=drop"]
    assert dpctl.flow_command(["cmd=add", "in_port=1", "apply:output=3", "goto:2"]) == [
        "add-flow",
        "in_port=1,actions=output:3,goto_table:2",
    ]


def test_flows_are_deleted_by_their_match_alone():
    assert dpctl.flow_command(["cmd=del,table=0,prio=3", "in_port=1"]) == ["del-flows", "table=0,in_port=1"]


def test_a_meter_has_its_unit_and_band():
    words = ["cmd=add,flags=1,meter=3", "drop:rate=300"]
    assert dpctl.meter_command(words) == ["add-meter", "meter=3,kbps,bands=type=drop,rate=300"]
    burst = ["cmd=mod,flags=6,meter=1", "drop:rate=10,burst=5"]
    assert dpctl.meter_command(burst) == [
        "mod-meter",
        "meter=1,pktps,burst,bands=type=drop,rate=10,burst_size=5",
    ]
    assert dpctl.meter_command(["cmd=del,meter=3"]) == ["del-meter", "meter=3"]


@pytest.mark.parametrize(
    "words",
    [["cmd=add", "in_port=1", "apply:set_field=eth_dst:1"], ["cmd=bend"], ["cmd=add", "in_port=1", "clear:"]],
)
def test_what_can_not_be_translated_is_said(words):
    with pytest.raises(dpctl.CommandError):
        dpctl.flow_command(words)


def test_a_switch_has_the_name_of_its_socket():
    assert UserSwitch("punix:/tmp/ap1").name == UserSwitch("unix:/tmp/ap1.listen").name == "ap1"


def test_a_switch_is_found_by_a_port_that_it_listens_to(tmp_path, monkeypatch):
    monkeypatch.setattr(user_switch, "FOLDER", tmp_path)
    for name, port in (("ap1", 6654), ("ap2", 6655)):
        (tmp_path / name).mkdir()
        UserSwitch(f"punix:/tmp/{name}").listen([f"ptcp:{port}"])
    assert UserSwitch.of_target("tcp:127.0.0.1:6655").name == "ap2"
    assert UserSwitch.of_target("unix:/tmp/ap1.listen").name == "ap1"


def test_a_switch_waits_for_controllers_and_clients():
    words = ofprotocol.connect("ap1", ["tcp:127.0.0.1:6653", "punix:/tmp/ap1.listen"], "secure")
    assert words[:4] == ["set", "bridge", "ap1", "fail-mode=secure"]
    assert [word for word in words if word.startswith("target=")] == [
        'target="tcp:127.0.0.1:6653"',
        'target="punix:/tmp/ap1.listen"',
    ]
