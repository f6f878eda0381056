"""Inputs of a session in a scenario, and what a plan has of them."""

import tomllib

import pytest
from airtcp.plans.length import SESSION_NS, length_ns
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.model import Scenario

NETWORK = """
name = "inputs"
duration = "10 s"
[wifi.home]
stations = ["sta1"]
[[wire]]
between = ["ap1", "h1"]
[[flow]]
from = "sta1"
to = "h1"
"""


def plan(inputs: str):
    return compile_scenario(Scenario.model_validate(tomllib.loads(NETWORK + inputs)))


def inputs(text: str):
    return plan(text)["session"]["inputs"]


def test_what_begins_gets_a_number_and_what_follows_is_for_the_last_start():
    found = inputs(
        """
[[session]]
at = "1 s"
start = { node = "h1", command = "cat" }
[[session]]
at = "1 s"
write = "typed"
[[session]]
at = "2 s"
link = { node = "h1", interface = "eth0", up = false }
[[session]]
at = "2 s"
close_input = true
[[session]]
at = "3 s"
start = { node = "h1", command = "true" }
"""
    )
    assert [one["job"] for one in found] == [1, 1, 2, 1, 3]


def test_flows_get_addresses_and_ports_that_are_free():
    found = inputs(
        """
[[session]]
at = "1 s"
flow = { from = "sta1", to = "h1", cca = "bbr", size = "2 MB" }
[[session]]
at = "1 s"
flow = { from = "h1", to = "sta1", length = "3 s", port = 7000 }
[[session]]
at = "2 s"
flow = { from = "sta1", to = "h1" }
"""
    )
    acts = [one["act"] for one in found]
    assert [act["port"] for act in acts] == [6001, 7000, 7001]
    assert [act["congestion_control"] for act in acts] == ["bbr", "cubic", "cubic"]
    assert [(act["bytes"], act["length_ns"]) for act in acts] == [
        (2_000_000, None),
        (None, 3_000_000_000),
        (None, None),
    ]
    addresses = {node["name"]: node["interfaces"][0]["addresses"] for node in plan("")["nodes"]}
    assert [f"{act['address']}/24" for act in acts] == [
        *addresses["h1"],
        *addresses["sta1"],
        *addresses["h1"],
    ]


@pytest.mark.parametrize(
    ("flow", "key"),
    [
        ('{ from = "sta1", to = "sta1" }', r"session\[0\].flow.to: a flow goes"),
        ('{ from = "nobody", to = "h1" }', r'session\[0\].flow.from: there is no node "nobody"'),
        ('{ from = "sta1", to = "nobody" }', r'session\[0\].flow.to: there is no node "nobody"'),
        ('{ from = "ap1", to = "h1" }', r"session\[0\].flow.from: ap1 has no address"),
    ],
)
def test_a_flow_that_cannot_be_is_refused_with_its_key(flow: str, key: str):
    with pytest.raises(ScenarioError, match=key):
        plan(f'[[session]]\nat = "1 s"\nflow = {flow}\n')


def test_a_session_lasts_until_its_end():
    assert length_ns(plan("")) == 10_000_000_000
    begins = '[[session]]\nat = "1 s"\nstart = { node = "h1", command = "true" }\n'
    assert length_ns(plan(begins)) == SESSION_NS
    assert length_ns(plan(begins + '[[session]]\nat = "2.5 s"\nend = true\n')) == 2_500_000_000
