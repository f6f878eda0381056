"""Networks that two guests may compute: their parts, what is refused, and the number of guests of a run."""

import copy
import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from airtcp.errors import AirtcpError
from airtcp.execution.cores import guests_for
from airtcp.execution.executors.executor import Job
from airtcp.execution.executors.local import LocalExecutor
from airtcp.execution.runner import Running, Tools, run_plan
from airtcp.execution.store import prepare_store
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.reading.plan_places import scenario_place
from airtcp.scenario.reading.scenario_file import scenario_from_tables
from airtcp.sessions.opening import open_scenario

REPOSITORY = Path(__file__).parents[2]
TABLES = {
    "name": "two-cells",
    "duration": "2 s",
    "guest": {"split": True},
    "wifi": {
        "west": {"stations": ["sta1", "sta2"], "channel": 1},
        "east": {"stations": ["sta3"], "channel": 11},
    },
    "wire": [
        {"between": ["ap1", "s1"]},
        {"between": ["ap2", "s2"]},
        {"between": ["h1", "s1"]},
        {"between": ["h2", "s2"]},
        {"between": ["s1", "s2"], "delay": "5 ms"},
    ],
    "flow": [{"from": "sta1", "to": "h1"}],
}
WEST, EAST = ["ap1", "sta1", "sta2", "s1", "h1"], ["ap2", "sta3", "s2", "h2"]


def tables(**changes):
    return {**copy.deepcopy(TABLES), **changes}


def scenario_of(changed):
    return scenario_from_tables(changed)


def split_of(changed):
    return compile_scenario(scenario_of(changed))["split"]


def parts_of(changed):
    """The names of the nodes of each part."""
    plan = compile_scenario(scenario_of(changed))
    names = [node["name"] for node in plan["nodes"]]
    return [
        {name for name, part in zip(names, plan["split"]["parts"], strict=True) if part == wanted}
        for wanted in (0, 1)
    ]


def refused(changed, key, what, remedy=""):
    with pytest.raises(ScenarioError) as caught:
        split_of(changed)
    assert caught.value.key == key
    assert what in caught.value.what
    assert remedy in caught.value.remedy


def chain(*delays):
    """Nodes `n0`, `n1`... joined by wires of these delays."""
    wires = [
        {"between": [f"n{number}", f"n{number + 1}"], "delay": delay} for number, delay in enumerate(delays)
    ]
    first, last = "n0", f"n{len(delays)}"
    return {
        "name": "chain",
        "duration": "2 s",
        "guest": {"split": True},
        "wire": wires,
        "flow": [{"from": first, "to": last}],
    }


def test_nothing_is_split_unless_a_scenario_asks_for_it():
    assert split_of(tables(guest={})) is None


def test_each_cell_is_a_part_with_what_short_wires_join():
    assert parts_of(TABLES) == [set(WEST), set(EAST)]
    assert split_of(TABLES)["lookahead_ns"] == 5_000_000


def test_the_part_with_most_traffic_is_the_first():
    changed = tables(flow=[{"from": "sta3", "to": "h2"}])
    assert parts_of(changed) == [set(EAST), set(WEST)]


@pytest.mark.parametrize("rest", [{"ping": [{"from": "sta1", "to": "sta3"}]}, {"sampling": {"acks": True}}])
def test_pings_cross_and_senders_are_sampled(rest):
    assert parts_of(tables(**rest)) == [set(WEST), set(EAST)]


def test_bulk_transfers_and_flows_of_bytes_cross():
    across = [{"from": "sta1", "to": "h2"}, {"from": "h2", "to": "sta1", "bytes": "1 MB"}]
    assert parts_of(tables(flow=across)) == [set(WEST), set(EAST)]


def test_the_lookahead_is_the_least_delay_between_the_parts_in_either_direction():
    wires = [*TABLES["wire"][:4], {**TABLES["wire"][4], "towards": {"s1": {"delay": "3 ms"}}}]
    assert split_of(tables(wire=wires))["lookahead_ns"] == 3_000_000
    # n0 and n1, which traffic joins, have no wire of 2 ms between the parts.
    changed = chain("2 ms", "7 ms", "4 ms")
    changed["udp"] = [{"from": "n0", "to": "n1", "rate": "1 Mbit/s"}]
    changed["flow"] = []
    assert parts_of(changed) == [{"n0", "n1"}, {"n2", "n3"}]
    assert split_of(changed)["lookahead_ns"] == 7_000_000


def test_a_chain_of_components_is_shared_by_weight():
    # n0 and n3 have an end of the flow each, n1 and n2 are as heavy as each other.
    assert parts_of(chain("1 ms", "1 ms", "1 ms")) == [{"n0", "n1"}, {"n2", "n3"}]
    # n1 and n2 are one component now, of two nodes.
    changed = chain("1 ms", "0.9 ms", "1 ms")
    changed["flow"] = []
    assert parts_of(changed) == [{"n1", "n2"}, {"n0", "n3"}]


@pytest.mark.parametrize(
    ("change", "what", "remedy"),
    [
        ({"delay": "999 us"}, "none of its wires has at least 1 ms of delay", 'delay = "1 ms"'),
        (
            {"towards": {"s1": {"delay": "0 ms"}}},
            "none of its wires has at least 1 ms of delay",
            'delay = "1 ms"',
        ),
        ({"rx_interrupt": {"interval": "50 us"}}, "without a trace or rx_interrupt", "leave split out"),
    ],
)
def test_a_network_without_a_wire_between_parts_is_refused(change, what, remedy):
    wires = [*TABLES["wire"][:4], {**TABLES["wire"][4], **change}]
    refused(tables(wire=wires), "guest.split", what, remedy)


def test_a_wire_that_follows_a_trace_joins_its_ends(tmp_path):
    (tmp_path / "line.csv").write_text("time_s,delay_ms\n0,5\n1,7\n")
    wires = [*TABLES["wire"][:4], {**TABLES["wire"][4], "trace": {"file": "line.csv"}}]
    with pytest.raises(ScenarioError, match="without a trace"):
        compile_scenario(scenario_of(tables(wire=wires)), tmp_path)


@pytest.mark.parametrize(
    ("changes", "what", "remedy"),
    [
        (
            {"udp": [{"name": "film", "from": "h1", "to": "sta3", "rate": "1 Mbit/s"}]},
            '"film" sends datagrams from "h1" to "sta3"',
            "Only bulk transfers",
        ),
        ({"voip": [{"from": "h1", "to": "h2"}]}, '"h1-h2" sends datagrams', "keep it inside of one"),
        (
            {"request": [{"name": "ask", "from": "h1", "to": "h2", "response": "10 kB"}]},
            '"ask" from "h1" to "h2" is no bulk transfer',
            "flows of bytes and pings",
        ),
        (
            {"flow": [{"from": "h1", "to": "h2", "on": "1 s", "off": "1 s"}]},
            '"h1-h2" from "h1" to "h2" is no bulk transfer',
            "Only bulk transfers",
        ),
        (
            {"interferer": [{"kind": "bluetooth", "rssi": "-60 dBm"}]},
            'interferer "bluetooth" is on channels of cells "west" and "east"',
            "an interferer of its own",
        ),
    ],
)
def test_what_joins_both_cells_is_named(changes, what, remedy):
    refused(tables(**changes), "guest.split", f"the network is one part: {what}", remedy)


def test_a_way_around_a_wire_joins_its_ends():
    changed = chain("5 ms", "0 ms")
    changed["wire"] += [{"between": ["n2", "n0"], "delay": "0.5 ms"}]
    changed["node"] = {name: {"kind": "router"} for name in ("n0", "n1", "n2")}
    what = 'wire[2] between "n0" and "n2" has a delay of less than 1 ms'
    refused(changed, "guest.split", what, "at least 1 ms in both directions")


def cells(west, east):
    return tables(
        wifi={"west": {**TABLES["wifi"]["west"], **west}, "east": {**TABLES["wifi"]["east"], **east}}
    )


@pytest.mark.parametrize(
    ("west", "east", "apart"),
    [
        # As `channels_that_have_nothing_to_do_with_each_other` of crates/air has them.
        ({"channel": 6}, {"channel": 6}, False),
        ({"channel": 1}, {"channel": 6}, False),
        ({"channel": 1}, {"channel": 9}, True),
        ({"standard": "11a", "channel": 36}, {"standard": "11a", "channel": 40}, False),
        ({"standard": "11a", "channel": 36}, {"standard": "11a", "channel": 44}, True),
        ({"standard": "11ax", "band": "5 GHz", "channel": 36}, {"standard": "11a", "channel": 60}, False),
        ({"standard": "11ax", "band": "5 GHz", "channel": 36}, {"standard": "11a", "channel": 100}, True),
        ({"standard": "11ad", "channel": 1}, {"standard": "11ad", "channel": 1}, False),
        ({"standard": "11ad", "channel": 1}, {"standard": "11ad", "channel": 2}, True),
        ({"channel": 1}, {"standard": "11a", "channel": 36}, True),
    ],
)
def test_cells_whose_channels_may_touch_are_in_one_part(west, east, apart, real_runner, tmp_path):
    changed = cells(west, east)
    if apart:
        assert parts_of(changed) == [set(WEST), set(EAST)]
        plan = tmp_path / "plan.json"
        plan.write_text(json.dumps(compile_scenario(scenario_of(changed))))
        command = [real_runner, "run", "--plan", plan, "--kernel", tmp_path, "--store", tmp_path / "runs"]
        told = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        # The runner accepts what the compiler splits, and looks for the kernel next.
        assert json.loads(told.splitlines()[-1])["kind"] == "kernel", told
    else:
        what = 'the channels of cells "west" and "east" overlap or nearly do'
        refused(changed, "guest.split", what, "Choose channels that are further apart")


def test_an_access_point_of_a_third_cell_goes_where_its_channel_is():
    third = {"stations": ["sta4"], "access_point": "ap3", "channel": 3}
    wires = [*TABLES["wire"], {"between": ["ap3", "s2"], "delay": "2 ms"}]
    changed = tables(wifi={**TABLES["wifi"], "third": third}, wire=wires)
    assert parts_of(changed) == [{*WEST, "ap3", "sta4"}, set(EAST)]
    assert split_of(changed)["lookahead_ns"] == 2_000_000


def test_parts_without_a_wire_between_them_are_refused():
    changed = chain("5 ms")
    changed["wire"] += [{"between": ["h1", "h2"]}]
    changed["flow"] += [{"from": "h1", "to": "h2"}, {"from": "h2", "to": "h1"}]
    refused(changed, "guest.split", "no wire joins the two parts", "a scenario for each")


@pytest.mark.parametrize(
    ("changes", "key", "what"),
    [
        ({"program": [{"node": "h1", "command": "true"}]}, "program", "programs run only where one guest"),
        ({"session": [{"at": "1 s", "end": True}]}, "session", "sessions run only"),
        ({"capture": [{"node": "h1"}]}, "capture", "packets are captured only"),
        (
            {"flow": [{"name": "x", "from": "sta1", "to": "h1", "bytes": "1 MB"}], "ends_with": "x"},
            "ends_with",
            "flows end a run only",
        ),
        ({"sampling": {"delays": True}}, "sampling.delays", "one-way delays are measured only"),
        (cells({"mac": "linux"}, {}), "wifi.west.mac", "mac80211 runs only"),
    ],
)
def test_what_needs_the_whole_network_is_refused(changes, key, what):
    refused(tables(**changes), key, what, "or leave split out of [guest]")
    compile_scenario(scenario_of(tables(**{**changes, "guest": {}})))


@pytest.mark.usefixtures("fake_tools")
def test_a_session_of_a_split_network_is_refused(tmp_path):
    with pytest.raises(AirtcpError, match="a session has one guest") as caught:
        open_scenario(scenario_of(TABLES), tmp_path / "runs", tmp_path)
    assert "--set guest.split=false" in caught.value.remedy


def test_a_refusal_of_the_runner_names_the_key():
    assert scenario_place({}, "split.parts[3]") == "guest.split"
    assert scenario_place({}, "splitting") == "splitting"
    plan = compile_scenario(scenario_of(TABLES))
    assert scenario_place(plan, "air.cells[1].channel") == "wifi.east.channel"


class Quiet:
    """A listener for whom nothing is to be shown."""

    def started(self, number, label):
        pass

    def moved(self, number, progress):
        pass


@pytest.fixture
def commands(tmp_path, monkeypatch):
    """The numbers of guests that runners were asked for, in order; `None`: they were not."""
    log = tmp_path / "arguments"
    monkeypatch.setenv("FAKE_ARGUMENTS", str(log))

    def guests():
        lines = [line.split() for line in log.read_text().splitlines()]
        return [line[line.index("--guests") + 1] if "--guests" in line else None for line in lines]

    return guests


@pytest.fixture
def tools(fake_runner, kernel, tmp_path):
    return Tools(fake_runner, {"6.12": kernel}, prepare_store(tmp_path / "store"))


def of_two_cores(monkeypatch):
    monkeypatch.setattr("airtcp.execution.cores.cores", lambda: 2)


def test_two_guests_if_each_of_all_runs_has_a_core(monkeypatch):
    of_two_cores(monkeypatch)
    assert [guests_for(at_once) for at_once in (1, 2, 3)] == [2, 1, 1]


def computed(tools, at_once, *plans):
    executor = LocalExecutor(tools, at_once)
    ends = [outcome.end for outcome in executor.outcomes([Job("x", plan) for plan in plans], Quiet())]
    assert not any(isinstance(end, AirtcpError) for end in ends)


@pytest.mark.parametrize(("at_once", "guests"), [(1, "2"), (2, "1")])
def test_the_executor_gives_split_runs_as_many_guests_as_there_are_cores_for(
    tools, commands, monkeypatch, at_once, guests
):
    of_two_cores(monkeypatch)
    computed(tools, at_once, compile_scenario(scenario_of(TABLES)))
    assert commands() == [guests]


def test_networks_that_are_not_split_have_one_guest(tools, commands, monkeypatch):
    of_two_cores(monkeypatch)
    computed(tools, 1, compile_scenario(scenario_of(tables(guest={}))))
    assert commands() == [None]


def test_the_number_of_guests_may_be_given(tools, commands):
    plan = compile_scenario(scenario_of(TABLES))
    for guests in (1, 2):
        run_plan(plan, replace(tools, guests=guests, fresh=True), Running(), lambda _: None)
    computed(replace(tools, guests=2), 8, plan)
    assert commands() == ["1", "2", "2"]


def test_the_option_of_airtcp_run(commands, airtcp):
    example = str(REPOSITORY / "examples" / "two-cells" / "base.toml")
    for guests in ("1", "2"):
        assert airtcp("run", example, "--fresh", "--guests", guests).returncode == 0
    assert commands() == ["1", "2"]
    assert airtcp("run", example, "--guests", "3").returncode == 2
