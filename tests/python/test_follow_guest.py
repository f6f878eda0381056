"""`airtcp run --json --follow`: lines of a run that goes on, and its object last."""

import json
from itertools import pairwise

import pytest
from support.command import airtcp as command

# Some seconds of a machine: long enough for several lines.
SCENARIO = """
name = "long"
duration = "100 s"
[wifi.home]
stations = ["sta1", "sta2"]
[[wire]]
between = ["ap1", "h1"]
rate = "20 Mbit/s"
delay = "5 ms"
[[flow]]
name = "up"
from = "sta*"
to = "h1"
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("follow")
    (folder / "long.toml").write_text(SCENARIO)
    return folder


@pytest.mark.guest
def test_lines_have_the_flows_so_far_and_the_object_comes_last(home):
    answer = command("run", "long.toml", "--json", "--follow", cwd=home)
    assert answer.returncode == 0, answer.stderr
    assert answer.stderr == ""
    *lines, last = map(json.loads, answer.stdout.splitlines())
    assert last["version"] == 2
    assert len(lines) > 2
    assert all(line["event"] == "progress" and line["of_s"] == 100 for line in lines)
    assert all(before["virtual_s"] < after["virtual_s"] for before, after in pairwise(lines))
    flows = lines[-1]["flows"]
    assert [flow["flow"] for flow in flows] == ["up-sta1", "up-sta2"]
    for flow in flows:
        assert 0 < flow["recorded_s"] <= 100
        assert 1 < flow["goodput_mbps"] < 20
        assert flow["srtt_ms"] > 10
    goodput = sum(flow["goodput_mbps"] for flow in last["flows"])
    assert goodput == pytest.approx(sum(flow["goodput_mbps"] for flow in flows), rel=0.3)
    stored = command("run", "long.toml", "--json", "--follow", cwd=home)
    assert [json.loads(line) for line in stored.stdout.splitlines()] == [last]


def test_lines_are_json(home):
    answer = command("run", "long.toml", "--follow", cwd=home)
    assert answer.returncode == 2
    assert answer.stderr == "airtcp: --follow: prints lines of JSON. Add --json.\n"
