"""A stream of which packets were lost and packets were under way at the end: every screen has the same estimate of it."""

import csv
import json
import re

import airtcp
import numpy as np
import pytest
from airtcp.data.run_folder import open_run
from airtcp.metrics.survival import Sample, statistic
from support.command import airtcp as command

pytestmark = pytest.mark.guest

# Ten seconds of TCP at a queue of 0.7 s: what is sent last does not arrive, and slow start loses packets of all.
SCENARIO = """
name = "bloated"
duration = "10 s"
[[wire]]
between = ["h1", "r1"]
[[wire]]
between = ["r1", "h2"]
rate = "5 Mbit/s"
delay = "50 ms"
queue = "300 packets"
[[flow]]
from = "h1"
to = "h2"
[[udp]]
name = "game"
from = "h1"
to = "h2"
rate = "160 kbit/s"
payload = 160
[[ping]]
name = "echo"
from = "h1"
to = "h2"
interval = "50 ms"
"""
CAMPAIGN = """
name = "bloated"
scenario = "base.toml"
metrics = ["p95", "lost", "echo_p95"]
[factor.length]
key = "duration"
values = ["10 s"]
[metric.p95]
of = "datagram_delay"
statistic = "p95"
[metric.lost]
of = "datagram_delay"
statistic = "missing"
[metric.echo_p95]
of = "rtt"
statistic = "p95"
[[figure]]
id = "delay"
title = "Delay"
kind = "cdf"
y = "datagram_delay"
[[figure]]
id = "trips"
title = "Round trips"
kind = "cdf"
y = "rtt"
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("estimate")
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


def packets(sent_ns, times_ns, end_ns):
    """As the definition says, by a loop: what came; what was lost; what was under way, and for how long."""
    last = max(n for n, time in enumerate(times_ns) if time >= 0)
    known = [time / 1e6 for time in times_ns if time >= 0]
    lost = [np.inf for time in times_ns[:last] if time < 0]
    under_way = [(end_ns - sent) / 1e6 for sent in sent_ns[last + 1 :]]
    return Sample(np.array(known), np.array(lost + under_way))


@pytest.fixture(scope="module")
def samples(run):
    game, echo = run.stream_datagrams(0), run.ping_samples(0)
    return {
        "game": packets(game["time_ns"].to_list(), game["delay_ns"].to_list(), run.end_ns),
        "echo": packets(echo["time_ns"].to_list(), echo["rtt_ns"].to_list(), run.end_ns),
    }


@pytest.fixture(scope="module")
def tables(home):
    """The rows of `airtcp run`: by table and first word, the cells."""
    with pytest.MonkeyPatch.context() as patch:
        # Wide enough for every table in one piece.
        patch.setenv("COLUMNS", "200")
        answer = command("run", "base.toml", cwd=home)
    assert answer.returncode == 0, answer.stderr
    found, title, columns = {}, "", []
    for line in answer.stdout.splitlines():
        if line[:1].strip():
            title, columns = line, []
        elif line.strip() and not columns:
            columns = re.split(r"\s{2,}", line.strip())
        elif line.strip():
            cells = re.split(r"\s{2,}", line.strip())
            found[title.partition(" ")[0], cells[0].partition(" ")[0]] = dict(
                zip(columns, cells, strict=False)
            )
    return found


def shown(estimate):
    return f"{'> ' if estimate.at_least else ''}{estimate.value:.2f}"


def test_the_run_has_packets_of_all_kinds(samples):
    assert samples["game"].lost > 0
    assert samples["game"].under_way > 10
    assert samples["echo"].under_way > 5


def test_every_table_has_the_same_percentiles(samples, tables):
    game, echo = samples["game"], samples["echo"]
    datagrams, trips = tables["Applications:", "game"], tables["RTT", "echo"]
    for latency, sample in ((tables["Latency", "game"], game), (tables["Latency", "echo"], echo)):
        for column, name in {"median": "median", "95 %": "p95", "99 %": "p99", "max": "most"}.items():
            assert latency[column] == shown(statistic(sample, name)), column
        assert latency["lost"] == f"{sample.missing:.2%}"
    assert datagrams["95 %"] == tables["Latency", "game"]["95 %"]
    assert datagrams["max"] == tables["Latency", "game"]["max"]
    assert datagrams["loss"] == tables["Latency", "game"]["lost"]
    assert trips["max"] == tables["Latency", "echo"]["max"]
    counts = (game.size, game.known.size, game.lost, game.under_way)
    assert tuple(int(datagrams[name]) for name in ("sent", "received", "lost", "under way")) == counts
    counts = (echo.known.size, echo.lost, echo.under_way)
    assert tuple(int(trips[name]) for name in ("answered", "lost", "under way")) == counts


def test_json_has_the_same_counts(samples, facts):
    (stream,), (ping,) = facts["streams"], facts["pings"]
    game, echo = samples["game"], samples["echo"]
    assert (stream["sent"], stream["received"]) == (game.size, game.known.size)
    assert (stream["lost"], stream["under_way"]) == (game.lost, game.under_way)
    assert stream["lost_share"] == pytest.approx(game.missing)
    assert (ping["answered"], ping["lost"], ping["under_way"]) == (echo.known.size, echo.lost, echo.under_way)
    assert ping["unanswered"] == ping["lost"] + ping["under_way"]


@pytest.fixture(scope="module")
def drawn(home, facts):
    """The CSV of each distribution, and the legend of its picture, by quantity and command."""
    asked = ("plot", facts["folder"], "--kind", "cdf", "--format", "csv,svg", "--what")
    for what in ("datagram_delay", "rtt"):
        answer = command(*asked, what, "--out", f"plot-{what}", cwd=home)
        assert answer.returncode == 0, answer.stderr
    answer = command("sweep", "campaign.toml", "--out", "report", cwd=home)
    assert answer.returncode == 0, answer.stderr
    return home


@pytest.mark.parametrize(
    ("name", "files"),
    [("game", ("plot-datagram_delay", "report/delay")), ("echo", ("plot-rtt", "report/trips"))],
)
def test_the_distribution_of_a_plot_is_that_of_a_campaign(samples, drawn, name, files):
    sample = samples[name]
    expected = sample.survival.distribution()
    for file in files:
        steps = [
            (float(row["value"]), float(row["cumulative_share"]))
            for row in csv.DictReader((drawn / f"{file}.csv").open())
        ]
        values, shares = np.array(steps).T
        assert values == pytest.approx(expected.values), file
        assert shares == pytest.approx(expected.shares), file
        legend = (drawn / f"{file}.svg").read_text()
        assert f"{sample.under_way} under way" in legend, file
        assert ("lost" in legend) == bool(sample.lost), file


def test_statistics_of_a_campaign_are_those_of_the_tables(home, samples):
    row = airtcp.sweep(home / "campaign.toml", store=home / "runs").row(0, named=True)
    assert row["lost"] == pytest.approx(samples["game"].missing)
    assert row["p95"] == pytest.approx(statistic(samples["game"], "p95").value)
    assert row["echo_p95"] == pytest.approx(statistic(samples["echo"], "p95").value)
