"""Queues that cannot fill are told before a run, and only those."""

import copy
import tomllib

import pytest
from airtcp.plans.short_queues import queues_that_cannot_fill
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.reading.assignment import assign
from airtcp.scenario.reading.scenario_file import scenario_from_tables

HOME = tomllib.loads("""
name = "home"
duration = "10 s"
[wifi.home]
standard = "11ax"
stations = ["laptop"]
[[wire]]
between = ["router", "isp"]
rate = "50 Mbit/s"
queue = "1000 packets"
[[wire]]
between = ["ap1", "router"]
[node.router]
kind = "router"
[[flow]]
name = "download"
from = "isp"
to = "laptop"
""")


def told(changes):
    tables = copy.deepcopy(HOME)
    for key, value in changes.items():
        assign(tables, key, value)
    return queues_that_cannot_fill(compile_scenario(scenario_from_tables(tables)))


def test_a_download_from_the_owner_of_the_slow_wire_is_told_with_its_remedy():
    assert told({}) == [
        "the queue at isp-eth0 cannot fill: flow download is sent by isp itself, whose packets wait in its "
        "sockets. To see this queue fill, put a switch between isp and the slow wire"
    ]


def test_flows_of_one_sender_are_told_together():
    (text,) = told(
        {"flow": [{"name": "a", "from": "isp", "to": "laptop"}, {"name": "b", "from": "isp", "to": "laptop"}]}
    )
    assert "flows a, b are sent by isp itself" in text


SWITCH = [
    {"between": ["router", "line"], "rate": "50 Mbit/s"},
    {"between": ["line", "isp"]},
    {"between": ["ap1", "router"]},
]


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"wire": SWITCH}, id="a switch between"),
        pytest.param({"flow[0].from": "laptop", "flow[0].to": "isp"}, id="an upload through a router"),
        pytest.param({"wire[0].rate": "10 Gbit/s"}, id="the air is slower"),
        pytest.param({"wifi.home.standard": "11g"}, id="so is an older standard"),
        pytest.param({"wire[1].rate": "20 Mbit/s"}, id="another wire is slower"),
        pytest.param(
            {"wire": [{"between": ["ap1", "router"]}, {"between": ["router", "isp"]}]}, id="no rate"
        ),
        pytest.param(
            {"udp": [{"from": "isp", "to": "laptop", "rate": "60 Mbit/s"}]}, id="datagrams fill the queue"
        ),
        pytest.param({"flow": [{"from": "isp", "to": "laptop"}] * 10}, id="many flows together"),
    ],
)
def test_others_are_not(changes):
    assert told(changes) == []


def test_a_fixed_mode_says_what_the_air_can():
    assert told({"wifi.home.standard": "11n", "wifi.home.rate": "HT-MCS 0"}) == []
    assert told({"wifi.home.standard": "11g", "wifi.home.rate": "6 Mbit/s", "wire[0].rate": "5 Mbit/s"}) == []
    assert told({"wifi.home.standard": "11g", "wifi.home.rate": "54 Mbit/s", "wire[0].rate": "5 Mbit/s"})


def test_aggregates_leave_more_to_tcp_of_a_rate():
    """At 65 Mbit/s a download has 53 Mbit/s, so that a wire of 50 Mbit/s is the slowest part."""
    assert told({"wifi.home.standard": "11n"})
    assert told({"wifi.home.standard": "11n", "wire[0].rate": "54 Mbit/s"}) == []


def test_wires_alone():
    wired = {
        "name": "x",
        "duration": "1 s",
        "wire": [
            {"between": ["h1", "s1"], "rate": "5 Mbit/s"},
            {"between": ["s1", "h2"]},
            {"between": ["s1", "h3"]},
        ],
        "flow": [{"from": "h1", "to": "h2"}],
    }
    (text,) = queues_that_cannot_fill(compile_scenario(scenario_from_tables(wired)))
    assert "h1-eth0" in text


def test_the_command_tells_it_before_anything_runs(airtcp, tmp_path):
    file = tmp_path / "home.toml"
    lines = "\n".join(
        [
            'name = "home"',
            'duration = "1 s"',
            "[wifi.home]",
            'standard = "11ax"',
            'stations = ["sta1"]',
            "[[wire]]",
            'between = ["ap1", "h1"]',
            'rate = "5 Mbit/s"',
            "[[flow]]",
            'from = "h1"',
            'to = "sta1"',
        ]
    )
    file.write_text(lines + "\n")
    shown = airtcp("show-plan", str(file))
    assert shown.returncode == 0
    assert (
        f"warning: {file}: the queue at h1-eth0 cannot fill: flow h1-sta1 is sent by h1 itself"
        in shown.stderr
    )
