"""`airtcp air` and `airtcp explain`: tables, JSON, and everything that can go wrong."""

import json
from pathlib import Path

import pytest
from test_cli import assert_one_message, written
from test_scenario import BASE, FLOW

SCENE = """
name = "saturated"
duration = "3 s"
warmup = "1 s"
[wifi.home]
stations = ["sta1", "sta2"]
[[source]]
from = "sta1"
to = "ap1"
[[source]]
name = "down"
from = "ap1"
to = "sta2"
rate = "9 Mbit/s"
"""


def rows(answer):
    """Lines of tables as words, by their first one."""
    return {line.split()[0]: line.split() for line in answer.stdout.splitlines() if line.split()}


def test_sources_radios_and_airtime(airtcp, scenario_file):
    answer = airtcp("air", str(scenario_file(SCENE)), "--seed", "4")
    assert answer.returncode == 0, answer.stderr
    table = rows(answer)
    # 8 Mbit/s of frames of 1514 B are 7.778 Mbit/s of payloads of 1472 B.
    assert table["sta1-ap1"] == ["sta1-ap1", "7.778", "990", "1.00%", "2.000", "5.000"]
    assert table["all"][1] == "15.556"
    assert table["ap1"][:7] == ["ap1", "200", "10.0%", "5.0%", "1.0%", "0.0%", "25.0%"]
    assert table["ap1"][-4:] == ["OFDM", "54", "Mbit/s", "75%"]
    assert table["2412"] == ["2412", "MHz", "60.0%", "20.0%", "5.0%", "10.0%", "5.0%"]
    assert "in 2 s" in answer.stdout
    assert "warning: source down: 7 frames waited" in answer.stdout
    file = Path(answer.stdout.strip().splitlines()[-1].removeprefix("Report: "))
    assert json.loads(file.read_text())["seed"] == 4
    assert json.loads((file.parent / "plan.json").read_text())["warmup_ns"] == 1_000_000_000
    assert sorted(each.name for each in file.parent.iterdir()) == ["plan.json", "report.json"]


def test_the_report_as_json(airtcp, scenario_file):
    answer = airtcp("air", str(scenario_file(SCENE)), "--json")
    assert [source["name"] for source in json.loads(answer.stdout)["sources"]] == ["sta1-ap1", "down"]


def test_explain_a_scenario(airtcp, scenario_file, tmp_path):
    answer = airtcp("explain", str(scenario_file(SCENE)))
    assert answer.returncode == 0, answer.stderr
    assert (
        "ap1 to sta1, sta1 to ap1, ap1 to sta2 and 1 more: frames of 1514 B, DCF with AIFS 28 us"
        in answer.stdout
    )
    table = rows(answer)
    assert table["OFDM"] == ["OFDM", "54", "Mbit/s", "54.0", "1", "298", "393.5", "29.926"]
    assert table["data"] == ["data", "OFDM", "54", "Mbit/s", "1536", "20", "228", "57", "6", "254"]
    assert table["ack"] == ["ack", "OFDM", "24", "Mbit/s", "14", "20", "8", "2", "6", "34"]
    assert "explain the folder of a run" in answer.stdout
    assert written(tmp_path) == []


def test_explain_runs_of_both_kinds(airtcp, scenario_file, run_folder):
    made = airtcp("air", str(scenario_file(SCENE)))
    scene = Path(made.stdout.strip().splitlines()[-1].removeprefix("Report: ")).parent
    # Relative to where the command ran.
    for folder in (scene, run_folder):
        answer = airtcp("explain", str(folder))
        assert answer.returncode == 0, answer.stderr
        assert rows(answer)["2412"] == ["2412", "MHz", "60.0%", "20.0%", "5.0%", "10.0%", "5.0%"]
    both = json.loads(airtcp("explain", str(run_folder), "--json").stdout)
    assert both["airtime"][0]["frequency_mhz"] == 2412
    assert both["explanation"]["links"][0]["modes"][0]["mode"] == "OFDM 54 Mbit/s"
    scenario = json.loads(airtcp("explain", str(scenario_file(BASE + FLOW)), "--json").stdout)
    assert scenario["airtime"] is None


def test_the_other_kind_of_scenario_is_refused(airtcp, scenario_file, tmp_path):
    file = str(scenario_file(SCENE))
    assert_one_message(airtcp("run", file), "source: sources are for runs without a guest", "airtcp air")
    file = str(scenario_file(BASE + FLOW))
    assert_one_message(airtcp("air", file), "no [[source]]", "airtcp run")
    assert written(tmp_path) == []


@pytest.mark.parametrize("command", ["air", "explain"])
@pytest.mark.parametrize(
    ("mode", "status", "part"),
    [
        ("plan", 2, "programs[0]: the program 'nosuch' was not found"),
        ("silent", 3, "ended with status 101: thread 'main' panicked"),
        ("garbage", 3, "printed 'Segmentation fault'"),
    ],
)
def test_a_runner_that_fails(airtcp, scenario_file, command, mode, status, part):
    answer = airtcp(command, str(scenario_file(SCENE)), FAKE_RUNNER=mode)
    assert answer.returncode == status
    assert part in answer.stderr
    assert "Traceback" not in answer.stderr


def test_folders_that_are_no_runs(airtcp, tmp_path):
    (tmp_path / "empty").mkdir()
    assert_one_message(
        airtcp("explain", str(tmp_path / "empty")),
        "is not a run folder",
        "Name a folder that airtcp run made",
    )
    assert_one_message(airtcp("explain", str(tmp_path / "none")), "there is no such file")


def test_show_plan_of_a_scene(airtcp, scenario_file):
    plan = json.loads(airtcp("show-plan", str(scenario_file(SCENE))).stdout)
    assert [source["name"] for source in plan["sources"]] == ["sta1-ap1", "down"]
