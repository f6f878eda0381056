"""No screen, page or file shows a number that another contradicts: each number of a run, wherever it stands."""

import csv
import json
from pathlib import Path

import airtcp
import numpy as np
import pytest
from airtcp.data.find_runs import find_runs
from airtcp.data.run_folder import open_run
from airtcp.metrics.fairness import jain_index
from airtcp.report.html.campaign import campaign_page
from airtcp.report.html.run_list import run_list
from airtcp.report.html.runs import Runs
from support.command import airtcp as command

pytestmark = pytest.mark.guest

SCENARIO = """
name = "numbers"
duration = "6 s"
[wifi.home]
stations = ["sta1", "sta2"]
[[wire]]
between = ["ap1", "h1"]
rate = "10 Mbit/s"
delay = "10 ms"
queue = "20 packets"
[[flow]]
name = "first"
from = "sta1"
to = "h1"
[[flow]]
name = "second"
from = "sta2"
to = "h1"
start = "2 s"
cca = "bbr"
[[ping]]
name = "echo"
from = "sta1"
to = "h1"
interval = "50 ms"
[[udp]]
name = "voice"
from = "sta2"
to = "h1"
rate = "64 kbit/s"
payload = 160
"""
CAMPAIGN = """
name = "numbers"
scenario = "base.toml"
metrics = ["throughput", "rtt", "jain_index", "retransmits", "lost", "unanswered"]
[factor.length]
key = "duration"
values = ["6 s"]
[metric.lost]
of = "datagram_delay"
statistic = "missing"
[metric.unanswered]
of = "rtt"
statistic = "missing"
"""


class Shown:
    """A number as text with so many digits after the point."""

    def __init__(self, text):
        self.value = float(text.rstrip(" *%"))
        digits = len(text.rstrip(" *%").partition(".")[2])
        self.tolerance = 0.5000001 * 10.0**-digits

    def agrees(self, value):
        return abs(self.value - value) <= self.tolerance


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("numbers")
    (folder / "base.toml").write_text(SCENARIO)
    (folder / "campaign.toml").write_text(CAMPAIGN)
    return folder


@pytest.fixture(scope="module")
def facts(home):
    answer = command("run", "base.toml", "--json", cwd=home)
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


@pytest.fixture(scope="module")
def run(facts):
    return open_run(facts["folder"])


@pytest.fixture(scope="module")
def text(home, facts):
    """The tables of `airtcp run`: words of the first line that begins with a word."""
    answer = command("run", "base.toml", cwd=home)
    assert answer.returncode == 0, answer.stderr
    assert facts["run"] in answer.stdout
    rows = {}
    for line in answer.stdout.splitlines():
        if line.split():
            rows.setdefault(line.split()[0], line.split())
    return rows


@pytest.fixture(scope="module")
def swept(home):
    frame = airtcp.sweep(home / "campaign.toml", store=home / "runs")
    return frame.row(0, named=True)


@pytest.fixture(scope="module")
def page(facts):
    """The row of the run on a report's page, by its columns."""
    with Runs.of(find_runs([Path(facts["folder"])])) as runs:
        listed = run_list(runs, campaign_page(runs).factors)
        (row,) = listed.rows
    return dict(zip(listed.columns[1:], row.cells, strict=True))


def flow(facts, name):
    return next(flow for flow in facts["flows"] if flow["flow"] == name)


@pytest.mark.parametrize(("name", "seconds"), [("first", 6), ("second", 4)])
def test_throughput_of_a_flow(facts, run, text, name, seconds):
    told = flow(facts, name)
    # As anybody would compute it in Python, from the last sample.
    received = run.flow_samples(run.flow_number(name))["bytes_received"][-1]
    assert told["goodput_mbps"] == pytest.approx(received * 8e-6 / seconds, rel=1e-6)
    assert told["bytes_received"] == received
    row = text[name]
    for shown, value in zip(
        row[2:6], ("goodput_mbps", "goodput_least_mbps", "goodput_most_mbps"), strict=False
    ):
        assert Shown(shown).agrees(told[value])
    assert int(row[6]) == told["retransmits"]


def test_throughput_of_all(home, facts, swept, page):
    bytes_received = sum(flow["bytes_received"] for flow in facts["flows"])
    assert facts["goodput_mbps"] == pytest.approx(bytes_received * 8e-6 / 6, rel=1e-6)
    assert swept["throughput"] == pytest.approx(facts["goodput_mbps"], rel=1e-6)
    assert Shown(page["Throughput [Mbit/s]"]).agrees(facts["goodput_mbps"])
    answer = command(
        "plot", facts["folder"], "--what", "throughput", "--format", "csv", "--out", "rate", cwd=home
    )
    assert answer.returncode == 0, answer.stderr
    drawn = {}
    for row in csv.DictReader((home / "rate.csv").open()):
        drawn.setdefault(row["line"].split(" ")[0], []).append((float(row["time_s"]), float(row["value"])))
    total = 0.0
    for steps in drawn.values():
        times, rates = np.array(steps).T
        # Each rate has been since the time before it.
        total += float(np.sum(np.diff(times) * rates[1:]))
    assert total * 1e6 / 8 == pytest.approx(bytes_received, rel=1e-6)


def test_round_trips(facts, run, text, swept, page):
    answered = run.pings["rtt_ns"].filter(run.pings["rtt_ns"] >= 0)
    (ping,) = facts["pings"]
    assert ping["mean_ms"] == pytest.approx(answered.mean() / 1e6)
    assert (ping["answered"], ping["unanswered"]) == (answered.len(), run.pings.height - answered.len())
    assert facts["rtt_ms"] == pytest.approx(ping["mean_ms"])
    assert swept["rtt"] == pytest.approx(facts["rtt_ms"])
    assert Shown(page["RTT (ping) [ms]"]).agrees(facts["rtt_ms"])
    # Of the longest only a bound is known while one is under way.
    row = [cell for cell in text["echo"] if cell != ">"]
    for shown, value in zip(row[1:3], ("mean_ms", "least_ms"), strict=True):
        assert Shown(shown).agrees(ping[value])
    assert (">" in text["echo"]) == bool(ping["unanswered"])
    assert float(row[3]) == pytest.approx(ping["most_ms"], abs=0.006) or ping["unanswered"]
    assert [int(cell) for cell in row[4:7]] == [ping[name] for name in ("answered", "lost", "under_way")]


def test_jains_index(facts, swept):
    rates = [flow["goodput_mbps"] for flow in facts["flows"]]
    assert facts["jain_index"] == pytest.approx(jain_index(rates))
    assert swept["jain_index"] == pytest.approx(facts["jain_index"])


def test_losses(facts, run, text, swept, page):
    assert facts["retransmits"] == sum(flow["retransmits"] for flow in facts["flows"]) > 0
    assert swept["retransmits"] == facts["retransmits"] == int(page["Retransmitted [segments]"])
    (stream,) = facts["streams"]
    delays = run.datagrams["delay_ns"]
    # Those after the last that arrived were on their way when the run ended.
    arrived = [number for number, delay in enumerate(delays) if delay >= 0]
    lost = sum(delay < 0 for delay in delays[: arrived[-1]])
    assert lost > 0
    assert stream["lost_share"] == pytest.approx(lost / (lost + len(arrived)))
    assert stream["lost_share"] == pytest.approx(swept["lost"])
    (ping,) = facts["pings"]
    assert swept["unanswered"] <= ping["unanswered"] / (ping["answered"] + ping["unanswered"])
    row = text["voice"]
    assert str(stream["sent"]) in row
    assert f"{stream['lost_share']:.2%}" in row


def test_comparison_of_a_run_with_itself(home, facts):
    answer = command("compare", facts["folder"], facts["folder"], "--out", "compared", cwd=home)
    assert answer.returncode == 0, answer.stderr
    rows = [line.split() for line in answer.stdout.splitlines()]
    (goodput,) = (row for row in rows if row[:1] == ["Throughput"])
    assert Shown(goodput[2]).agrees(facts["goodput_mbps"])
    (rtt,) = (row for row in rows if row[:2] == ["RTT", "(ping)"])
    assert Shown(rtt[3]).agrees(facts["rtt_ms"])
    (jain,) = (row for row in rows if row[:2] == ["Jain's", "index"] and row[2] != "of")
    assert Shown(jain[2]).agrees(facts["jain_index"])
