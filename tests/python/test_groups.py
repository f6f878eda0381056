"""Groups of flows, streams and pings: in scenarios, at the command line, in metrics."""

import json
import re

import airtcp
import pytest
from airtcp.campaign.campaign import read_campaign
from airtcp.cli.group_option import asked_groups
from airtcp.data.groups import keep_groups, kept_groups
from airtcp.errors import AirtcpError
from airtcp.plans.groups import check_groups, group_of, members
from airtcp.report.run.first_look import Asked, first_look
from airtcp.scenario.compile.compiler import compile_file
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.reading.scenario_groups import groups_of_file
from support.run_folder import write_run_folder

SCENARIO = """
name = "home"
duration = "10 s"
[wifi.home]
stations = ["sta1", "sta2"]
[[wire]]
between = ["ap1", "h1"]
[[flow]]
name = "down"
from = "h1"
to = "sta*"
[[flow]]
name = "up"
from = "sta1"
to = "h1"
[[ping]]
name = "echo"
from = "sta*"
to = "h1"
"""
GROUPS = '[groups]\ndownloads = "down*"\nall = ["down*", "up", "echo*"]\n'


@pytest.fixture
def write(tmp_path):
    def written(more=""):
        file = tmp_path / "home.toml"
        file.write_text(SCENARIO + more)
        return file

    return written


def test_groups_are_no_part_of_a_plan(write):
    plain = compile_file(write())
    assert compile_file(write(GROUPS)) == plain


def test_groups_of_a_file_are_patterns_in_its_order(write):
    groups = groups_of_file(write(GROUPS), {"groups.ups": "u*"})
    assert list(groups.items()) == [
        ("downloads", ("down*",)),
        ("all", ("down*", "up", "echo*")),
        ("ups", ("u*",)),
    ]


def test_a_name_may_be_in_several_groups_and_its_place_is_the_first(write):
    groups = groups_of_file(write(GROUPS), {})
    assert members(groups, ["down-1", "up", "other"]) == {"downloads": [0], "all": [0, 1]}
    assert group_of(groups, "down-1") == "downloads"
    assert group_of(groups, "up") == "all"
    assert group_of(groups, "other") is None


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        ('[groups]\nup = "upp"\n', 'home.toml:21: groups.up: no flow, stream or ping is named "upp". Did you mean "up"?'),
        ("[groups]\nup = []\n", "groups.up: the list is empty"),
        ('[groups]\nup = ""\n', "groups.up[0]: the name is empty"),
    ],
)  # fmt: skip
def test_a_group_of_nothing_is_refused(write, groups, said):
    with pytest.raises(ScenarioError) as refused:
        compile_file(write(groups))
    assert said in str(refused.value)


def test_a_pattern_of_nodes_is_answered_with_that_of_their_traffic():
    for pattern, meant in (("v*", "*-v*"), ("u?", "u?-*")):
        with pytest.raises(AirtcpError, match=re.escape(f'Did you mean "{meant}"?')):
            check_groups({"some": [pattern]}, ["server-v1", "server-v1-reverse", "u1-server"])


def test_flows_of_programs_may_be_members(write):
    program = '[[program]]\nnode = "sta1"\ncommand = "true"\n'
    assert compile_file(write(f'{program}[groups]\niperf = "iperf*"\n'))


@pytest.fixture
def run(tmp_path, write):
    plan = compile_file(write())
    return airtcp.load(write_run_folder(tmp_path / "runs", dict(plan)))


def test_groups_are_kept_with_a_run_and_are_no_part_of_its_results(run):
    keep_groups(run.folder, {"downloads": ("down*",)})
    assert kept_groups(run.folder) == {"downloads": ("down*",)}
    again = airtcp.load(run.folder)
    assert again.groups == {"downloads": ("down*",)}
    assert again.with_groups({"downloads": "up", "all": ["*"]}).groups == {
        "downloads": ("up",),
        "all": ("*",),
    }
    keep_groups(run.folder, {})
    assert not (run.folder / "groups.json").exists()


def test_a_damaged_file_of_groups_is_named(run):
    (run.folder / "groups.json").write_text(json.dumps({"calls": "v*"}))
    with pytest.raises(AirtcpError, match=r"groups\.json: is damaged"):
        _ = run.groups


def test_a_group_of_python_must_have_members(run):
    with pytest.raises(AirtcpError, match=r'groups\.calls: no flow, stream or ping is named "v\*"'):
        run.with_groups({"calls": "v*"})


def test_a_metric_of_a_group_is_that_of_its_members(run):
    grouped = run.with_groups({"downloads": "down*"})
    of_group = airtcp.number(grouped, "throughput", group="downloads")
    assert of_group == airtcp.number(run, "throughput", flows="down*")
    assert of_group == airtcp.number(run, "throughput", group=["down*"])
    assert of_group < airtcp.number(run, "throughput")
    with pytest.raises(AirtcpError, match=r'there is no group "download". Did you mean "downloads"'):
        airtcp.number(grouped, "throughput", group="download")


def test_a_group_chooses_pings_too(run):
    both = airtcp.number(run, "rtt", pings="echo*")
    assert airtcp.number(run.with_groups({"echo": "echo*"}), "rtt", group="echo") == both
    with pytest.raises(AirtcpError, match="there is no group"):
        airtcp.number(run, "rtt", group="echo")


def campaign(group):
    return f"""
name = "c"
scenario = "home.toml"
metrics = ["downloaded"]
[factor.length]
key = "duration"
values = ["10 s"]
[metric.downloaded]
of = "throughput"
group = {group}
"""


def test_a_metric_of_a_campaign_has_the_members_that_the_scenario_says(tmp_path, write):
    write(GROUPS)
    file = tmp_path / "c.toml"
    file.write_text(campaign('"downloads"'))
    assert read_campaign(file).study.metric("downloaded").group == ["down*"]
    file.write_text(campaign('"dowloads"'))
    with pytest.raises(AirtcpError) as refused:
        read_campaign(file)
    assert str(refused.value).startswith(
        f'{file}: metric.downloaded.group: there is no group "dowloads". Did you mean "downloads"?'
    )


def test_groups_of_options():
    assert asked_groups(["calls=v*,w", "all=*"]) == {"calls": ("v*", "w"), "all": ("*",)}
    assert asked_groups(None) == {}
    for wrong in ("calls", "=v*", "calls="):
        with pytest.raises(AirtcpError, match="is not NAME=PATTERN"):
            asked_groups([wrong])


def test_a_table_of_few_members_has_them_all_and_of_many_the_group_alone(tmp_path):
    file = tmp_path / "many.toml"
    many = json.dumps([f"sta{number}" for number in range(1, 13)])
    file.write_text(
        SCENARIO.replace('["sta1", "sta2"]', many).replace("[[ping]]", "[[ping]]\nstart = '1 s'", 1)
    )
    folder = write_run_folder(tmp_path / "runs", dict(compile_file(file)))
    keep_groups(folder, {"downloads": ("down*",), "echoes": ("echo-sta1*",)})
    shown = {
        table.title.partition(" ")[0]: [row[0] for row in table.rows] for table in first_look(folder).tables
    }
    assert shown["Groups"] == ["downloads"]
    assert shown["Flows"] == ["up"]
    # Of sta1, sta10, sta11 and sta12.
    assert shown["Latency"][0] == "echoes (ping of 4)"
    assert len(shown["RTT"]) == 12
    # A dozen of flows in two tables, or in one without limits.
    assert first_look(folder).left_out in (12, 24)
    assert first_look(folder, Asked(every_member=True)).left_out == 0
    every = first_look(folder, Asked(every_member=True)).tables
    assert {table.title.partition(" ")[0]: len(table.rows) for table in every}["Flows"] == 13


def test_round_trips_of_the_whole_run_stand_beside_those_while_flows_ran(tmp_path, write):
    plan = dict(compile_file(write()))
    late = [{**flow, "start_ns": 5_000_000_000} for flow in plan["flows"]]
    folder = write_run_folder(tmp_path / "runs", {**plan, "flows": late})
    look = first_look(folder)
    (title,) = [table.title for table in look.tables if table.title.startswith("RTT")]
    # 20 ms while flows run, 1.8 ms before.
    assert title == "RTT (ping) [ms] (of the whole run; mean while flows ran: 20.00)"
    assert (look.facts["flows_from_s"], look.facts["flows_to_s"]) == (5, 10)
    assert look.facts["pings"][0]["mean_ms"] < 15 < look.facts["rtt_ms"]
