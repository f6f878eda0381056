"""The path manager of MPTCP in scenarios: what plans have of it, and what is refused."""

import pytest
from airtcp.scenario.errors import ScenarioError
from support.wifi_scenarios import plan_of

TWO_PATHS = """
name = "x"
duration = "10 s"
[wifi.home]
stations = ["sta1"]
[[wire]]
between = ["ap1", "h1"]
[[wire]]
between = ["sta1", "h1"]
[node.h1]
kind = "host"
[node.{node}.mptcp]
{keys}
"""


def node_of(name, keys):
    plan = plan_of(TWO_PATHS.format(node=name, keys=keys))
    return next(node for node in plan["nodes"] if node["name"] == name)


def test_endpoints_are_the_addresses_of_interfaces():
    own = node_of("h1", 'endpoints = { eth1 = "signal", eth0 = ["subflow", "backup"] }\nsubflows = 3')
    assert own["mptcp"] == {
        "subflows": 3,
        "add_addr_accepted": 8,
        "endpoints": [
            {"address": "10.0.1.2", "interface": "eth1", "flags": ["signal"]},
            {"address": "10.0.0.2", "interface": "eth0", "flags": ["subflow", "backup"]},
        ],
    }


def test_without_the_table_the_kernel_decides():
    plan = plan_of(TWO_PATHS.format(node="h1", keys=""))
    # An empty table is one: its defaults hold.
    assert [node["mptcp"] is None for node in plan["nodes"]] == [
        name["name"] != "h1" for name in plan["nodes"]
    ]


REFUSED = {
    "no such interface": ('endpoints = { eth9 = "signal" }', ".endpoints.eth9", 'Did you mean "eth1"?'),
    "no use": ('endpoints = { eth0 = "backup" }', ".endpoints.eth0", "Add one of them"),
    "contradiction": (
        'endpoints = { eth0 = ["signal", "fullmesh"] }',
        ".endpoints.eth0",
        'Write ["subflow", "fullmesh"]',
    ),
    "no flag": ('endpoints = { eth0 = "sgnal" }', ".endpoints.eth0", '"sgnal" is not possible'),
    "too many": ("subflows = 9", ".subflows", "write at most 8"),
}


@pytest.mark.parametrize(("keys", "place", "reason"), REFUSED.values(), ids=REFUSED)
def test_what_the_kernel_would_refuse_is_refused_with_a_remedy(keys, place, reason):
    with pytest.raises(ScenarioError) as refused:
        node_of("h1", keys)
    told = str(refused.value)
    assert f"node.h1.mptcp{place}" in told
    assert reason in told


def test_a_node_that_only_forwards_has_no_address_to_use():
    with pytest.raises(ScenarioError, match="only forwards frames"):
        node_of("ap1", 'endpoints = { eth0 = "signal" }')


def test_a_flow_cannot_be_one_of_mptcp_and_says_what_can():
    with pytest.raises(ScenarioError) as refused:
        plan_of(TWO_PATHS.format(node="h1", keys="[[flow]]\nfrom = 'sta1'\nto = 'h1'\nmptcp = true"))
    assert "built-in connections are plain TCP" in str(refused.value)
    assert "Run a program that uses MPTCP" in str(refused.value)
