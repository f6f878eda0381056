"""One scenario asked of both MACs, as a user would: a campaign over `mac`, and the comparison of its two levels."""

import csv

import pytest
from airtcp.data.run_folder import open_run
from support import command

pytestmark = pytest.mark.guest

SCENARIO = """
name = "home"
duration = "6 s"
[wifi.home]
standard = "11n"
channel = 36
streams = 2
guard_interval = "400 ns"
rate = "HT-MCS 15 SGI"
stations = 2
[[wire]]
between = ["ap1", "h1"]
rate = "1 Gbit/s"
delay = "5 ms"
[[flow]]
from = "h1"
to = "sta*"
start = "1 s"
[[ping]]
from = "h1"
to = "sta*"
"""
CAMPAIGN = """
name = "macs"
scenario = "home.toml"
metrics = ["throughput"]
[factor.mac]
key = "wifi.home.mac"
values = ["airtcp", "linux"]
"""


def airtcp(folder, *arguments):
    answer = command.airtcp(*arguments, cwd=folder)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


def test_both_macs_answer_side_by_side(tmp_path):
    (tmp_path / "home.toml").write_text(SCENARIO)
    (tmp_path / "macs.toml").write_text(CAMPAIGN)
    airtcp(tmp_path, "sweep", "macs.toml", "--jobs", "1")
    told = airtcp(
        tmp_path, "compare", "runs", "--ours", "mac=linux", "--theirs", "mac=airtcp", "--out", "out"
    )
    assert "ours (linux)" in told
    (row,) = csv.DictReader((tmp_path / "out" / "ratios.csv").open())
    values = {name: float(value) for name, value in row.items() if name != "case" and value}
    # Same rates, same air, queues of the same kind: FQ-CoDel by flow and equal airtime. What differs is chance:
    # backoffs, and which packet CoDel drops when, hence where CUBIC's sawteeth are.
    assert values["throughput_ratio"] == pytest.approx(1, abs=0.05)
    assert values["inflight_ratio"] == pytest.approx(1, abs=0.25)
    for side in ("ours", "theirs"):
        assert values[f"jain_index_{side}"] > 0.97
        assert values[f"airtime_jain_{side}"] > 0.97
        assert values[f"queue_{side}"] < 0.2 * values[f"inflight_{side}"]
    # airtcp's queues are in the radio; of mac80211's frames it has the one aggregate on the air (64 at most).
    assert values["radio_packets_ours"] < 64 < values["radio_packets_theirs"]
    # What the radio has not waits in mac80211: together as many as with the other MAC.
    both = values["radio_packets_ours"] + values["mac80211_packets_ours"]
    assert both == pytest.approx(values["radio_packets_theirs"], rel=0.25)


MIXED = """
name = "mixed"
duration = "6 s"
[wifi.home]
standard = "11n"
channel = 36
width = "40 MHz"
stations = ["new", "narrow", "old"]
[wifi.home.radio.new]
standard = "11ax"
[wifi.home.radio.narrow]
width = "20 MHz"
[wifi.home.radio.old]
standard = "11a"
[[wire]]
between = ["ap1", "h1"]
rate = "1 Gbit/s"
delay = "5 ms"
[[flow]]
from = "h1"
to = ["new", "narrow", "old"]
start = "1 s"
"""


def test_generations_share_the_air_alike_with_both_macs(tmp_path):
    """What mac80211 makes of the stations' capabilities is what the plan has of each pair."""
    (tmp_path / "home.toml").write_text(MIXED)
    (tmp_path / "macs.toml").write_text(CAMPAIGN)
    airtcp(tmp_path, "sweep", "macs.toml", "--jobs", "1")
    rates = {}
    for folder in (tmp_path / "runs").glob("*/summary.json"):
        run = open_run(folder.parent)
        mbps = {
            flow["name"].removeprefix("h1-"): flow["bytes_received"] * 8 / 5e6 for flow in run.agent["flows"]
        }
        rates[run.plan["air"]["cells"][0]["linux"] is not None] = mbps
    own, linux = rates[False], rates[True]
    assert own["new"] > 1.5 * own["narrow"] > 2 * own["old"], own
    for station, mbps in own.items():
        assert linux[station] == pytest.approx(mbps, rel=0.06), station
