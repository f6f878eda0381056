"""`airtcp flent` without a guest: which nodes a test gets, which servers, and what is refused."""

import pytest
from airtcp.errors import AirtcpError
from airtcp.flent import plan as flent_plans
from airtcp.flent.order import order_of
from airtcp.flent.plan import HOME_SCENARIO, ends_of, flent_plan, longest_s
from airtcp.scenario.compile.compiler import compile_file, compile_scenario
from airtcp.scenario.reading.scenario_file import scenario_from_tables

HOSTS = ["near", "middle", "far", "farthest"]


@pytest.fixture
def home():
    return compile_file(HOME_SCENARIO)


@pytest.fixture
def installed(monkeypatch):
    """A machine with Flent, netperf and irtt."""
    places = {"flent": "/usr/bin/flent", "netserver": "/opt/netperf/bin/netserver", "irtt": "/usr/bin/irtt"}
    monkeypatch.setattr(flent_plans.shutil, "which", places.get)
    return places


def ends(plan, *words, client=None):
    found = ends_of(plan, order_of(*words[:1], words[1:]), client)
    return found.client, list(found.hosts)


def test_flent_runs_in_the_first_station_and_one_host_answers(home):
    assert ends(home, "rrul") == ("laptop", ["near"])


@pytest.mark.parametrize("test", ["rtt_fair", "rtt_fair_var_up", "cisco_5tcpup"])
def test_a_test_with_a_stream_for_each_host_has_all_hosts(home, test):
    assert ends(home, test) == ("laptop", HOSTS)


def test_nodes_may_be_named(home):
    assert ends(home, "rrul", "-H", "far", "--host=near", client="router") == ("router", ["far", "near"])


def test_without_wires_another_station_answers():
    tables = {"name": "two", "duration": "1 s", "wifi": {"home": {"stations": ["a", "b"]}}}
    assert ends(compile_scenario(scenario_from_tables(tables)), "rrul") == ("a", ["b"])


def test_a_node_that_is_not_there_is_refused(home):
    with pytest.raises(AirtcpError, match='no node "h1"'):
        ends(home, "rrul", "-H", "h1")


@pytest.mark.usefixtures("installed")
def test_the_run_ends_with_flent_and_hosts_have_the_servers_that_are_installed(home):
    order = order_of("tcp_nup", ["-l", "30", "-t", "my title"])
    plan = flent_plan(home, order, ends_of(home, order, None))
    assert [one["name"] for one in plan["programs"]] == ["netserver-near", "irtt-near", "flent"]
    assert [one["node"] for one in plan["programs"]] == ["near", "near", "laptop"]
    assert plan["ends_with_programs"] == [2]
    assert "exec /usr/bin/flent tcp_nup -H near -l 30 -t 'my title'" in plan["programs"][2]["command"]
    assert "/opt/netperf/bin" in plan["programs"][2]["command"]


def test_what_is_missing_is_said_with_its_package(home, installed):
    del installed["netserver"]
    order = order_of("rrul", [])
    with pytest.raises(AirtcpError, match="non-free"):
        flent_plan(home, order, ends_of(home, order, None))


@pytest.mark.usefixtures("installed")
def test_folders_of_outputs_are_made_and_those_elsewhere_refused(home):
    order = order_of("rrul", ["-D", "data", "-o", "figures/one.png"])
    command = flent_plan(home, order, ends_of(home, order, None))["programs"][-1]["command"]
    assert "mkdir -p flent flent/data flent/figures" in command
    for path in ("/tmp/x.png", "../x.png"):
        with pytest.raises(AirtcpError, match="outside of this folder"):
            order_of("rrul", ["-o", path])


def test_a_test_has_time_for_twice_its_length():
    assert longest_s(order_of("rrul", ["-l", "30", "-d", "2"])) == 2 * 34 + 120


def test_an_option_without_its_value_is_refused():
    with pytest.raises(AirtcpError, match="expected one argument"):
        order_of("rrul", ["-l"])
