"""Statistics of values in campaigns: percentiles with what never came, own functions, boxes and panels."""

import math

import airtcp
import numpy as np
import polars as pl
import pytest
from airtcp.data.run_folder import open_run
from airtcp.errors import AirtcpError
from support.command import airtcp as command

pytestmark = pytest.mark.guest

SCENARIO = """
name = "applications"
duration = "4 s"
[wifi.home]
stations = ["sta1", "sta2"]
[[wire]]
between = ["ap1", "s1"]
rate = "5 Mbit/s"
delay = "10 ms"
queue = "20 packets"
[[wire]]
between = ["s1", "h1"]
[[flow]]
name = "download"
from = "h1"
to = "sta1"
[[ping]]
name = "echo"
from = "sta2"
to = "h1"
interval = "50 ms"
[[udp]]
name = "voice"
from = "h1"
to = "sta2"
rate = "64 kbit/s"
payload = 160
[[web]]
name = "web"
from = "h1"
to = "sta2"
page = "300 kB"
objects = 2
object = "300 kB"
reading = "100 ms"
"""
OWN = """
import numpy as np
def most_cwnd(run):
    return run.flow_samples(0)["cwnd"].max()
def every_cwnd(run):
    return run.flow_samples(0)["cwnd"].to_numpy()
def text(run):
    return "many"
def wrong(run):
    return run.nothing
"""
CAMPAIGN = """
name = "delays"
scenario = "base.toml"
reps = 2
metrics = ["voice", "voice_lost", "echo", "page", "page_least", "own", "own_median", "queue"]
[factor.queue]
key = "wire[0].queue"
values = ["20 packets", "100 packets"]
[metric.voice]
of = "datagram_delay"
statistic = "p95"
[metric.voice_lost]
of = "datagram_delay"
statistic = "missing"
[metric.echo]
of = "rtt"
statistic = "p75"
[metric.page]
of = "page_time"
statistic = "p99"
[metric.page_least]
of = "page_time"
statistic = "least"
[metric.own]
python = "own.py:most_cwnd"
[metric.own_median]
python = "own.py:every_cwnd"
statistic = "median"
[metric.queue]
of = "queue"
node = "s1"
interface = "eth0"
statistic = "most"
{more}
"""
FIGURES = """
[[figure]]
id = "latency"
title = "Latency"
kind = "boxes"
y = "latency"
series = ["queue"]
log = true
[[figure]]
id = "both"
title = "Both"
kind = "bars"
x = "queue"
y = ["voice", "own"]
whiskers = "interval"
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("campaign")
    (folder / "base.toml").write_text(SCENARIO)
    (folder / "own.py").write_text(OWN)
    (folder / "delays.toml").write_text(CAMPAIGN.format(more=FIGURES))
    return folder


@pytest.fixture(scope="module")
def frame(home):
    return airtcp.sweep(home / "delays.toml", store=home / "runs")


def product_limit(times, share, end_ns):
    """The least time by which this share has come, step by step (Kaplan and Meier 1958); infinite: none is known.

    `times`: when each was sent, and how long it took, in ms; negative if it did not come.
    """
    last = max(number for number, (_, took) in enumerate(times) if took >= 0)
    seen = []
    for number, (sent_ns, took) in enumerate(times):
        watched = took if took >= 0 else math.inf if number < last else (end_ns - sent_ns) / 1e6
        seen.append((watched, took < 0))
    left, surviving = len(seen), 1.0
    for watched, censored in sorted(seen):
        if not censored:
            surviving *= 1 - 1 / left
            if 1 - surviving >= share - 1e-9:
                return watched
        left -= 1
    return math.inf


def packets(frame, column):
    """When each was sent, and how long it took in ms."""
    return [(sent, took / 1e6) for sent, took in frame.select("time_ns", column).rows()]


def test_percentiles_count_what_was_lost(frame):
    for row in frame.iter_rows(named=True):
        run = open_run(row["folder"])
        delays = run.datagrams["delay_ns"]
        known = sorted(delay / 1e6 for delay in delays if delay >= 0)
        last = max(number for number, delay in enumerate(delays) if delay >= 0)
        assert row["voice_lost"] == pytest.approx((delays[:last] < 0).sum() / (last + 1))
        expected = product_limit(packets(run.datagrams, "delay_ns"), 0.95, run.end_ns)
        if math.isfinite(expected):
            assert row["voice"] == pytest.approx(expected)
            assert not row.get("voice_at_least")
        else:
            # All that is known is that it is longer than the longest that was seen.
            assert row["voice"] >= known[-1]
            assert row["voice_at_least"]
    assert frame["voice_lost"].max() > 0


def test_round_trips_queues_and_functions_of_ones_own(frame):
    for row in frame.iter_rows(named=True):
        run = open_run(row["folder"])
        expected = product_limit(packets(run.pings, "rtt_ns"), 0.75, run.end_ns)
        assert row["echo"] == pytest.approx(expected)
        cwnd = run.flow_samples(0)["cwnd"].to_list()
        assert row["own"] == max(cwnd)
        assert row["own_median"] == sorted(cwnd)[(len(cwnd) - 1) // 2]
        # Not of h1, where TCP small queues keep packets out of the queue.
        queue = run.qdiscs.filter(pl.col("node_name") == "s1", pl.col("interface_name") == "eth0")
        assert row["queue"] == queue["backlog_packets"].max() > 10


def test_pages_under_way_at_the_end_are_bounds(frame):
    row = frame.row(0, named=True)
    pages = open_run(row["folder"]).transfers.filter(pl.col("workload") == "web")
    unfinished = pages.filter(pl.col("end_ns") < 0)
    assert unfinished.height == 1
    longest = max(
        4e3 - unfinished["time_ns"][0] / 1e6,
        (pages.filter(pl.col("end_ns") >= 0)["end_ns"] - pages.filter(pl.col("end_ns") >= 0)["time_ns"]).max()
        / 1e6
        if pages.height > 1
        else 0,
    )
    assert row["page"] <= longest + 1e-9
    if row["page"] == pytest.approx(4e3 - unfinished["time_ns"][0] / 1e6):
        assert row["page_at_least"]


@pytest.mark.usefixtures("frame")
def test_figures_of_applications_and_of_several_metrics(home):
    answer = command("sweep", "delays.toml", "--store", "runs", "--out", "report", cwd=home)
    assert answer.returncode == 0, answer.stderr
    latency = (home / "report" / "latency.svg").read_text()
    for name in ("echo", "(ping)", "voice", "(datagrams)", "web", "(pages)", "100 packets"):
        assert name in latency
    both = (home / "report" / "both.svg").read_text()
    assert "p95 of Delay of datagrams [ms]" in both
    assert "most cwnd" in both
    header = (home / "report" / "results.csv").read_text().splitlines()[0]
    # What is only drawn has no number of a run.
    assert "latency" not in header


@pytest.mark.usefixtures("frame")
@pytest.mark.parametrize(
    ("metric", "words"),
    [
        ('of = "rtt"\nstatistic = "p955"', ('no statistic "p955"', 'statistic = "p95"')),
        ('of = "jain_index"\nstatistic = "p95"', ('"jain_index" has no values', "datagram_delay")),
        ('python = "own.py"', ("does not name a function", "FILE.py:FUNCTION")),
        ('python = "none.py:f"', ("can't be read", "FILE.py:FUNCTION")),
        ('python = "own.py:most_cwmd"', ("has no function most_cwmd", 'Did you mean "most_cwnd"?')),
        ('python = "own.py:text"', ("'many', which is not a number", "Return a number")),
        ('python = "own.py:wrong"', ("AttributeError", "Correct the function")),
        ("", ("does not name a quantity", 'of = "..."')),
    ],
)
def test_metrics_that_are_wrong_are_told(home, metric, words):
    more = f"[metric.bad]\n{metric}\n"
    (home / "bad.toml").write_text(CAMPAIGN.format(more=more).replace('"own_median"', '"bad"'))
    with pytest.raises(AirtcpError) as told:
        airtcp.sweep(home / "bad.toml", store=home / "runs")
    assert "metric bad" in str(told.value)
    for word in words:
        assert word in str(told.value)


def test_a_changed_function_is_read_anew(home, frame):
    (home / "own.py").write_text(OWN.replace('["cwnd"].max()', '["cwnd"].min()'))
    again = airtcp.sweep(home / "delays.toml", store=home / "runs")
    assert np.all(again["own"].to_numpy() < frame["own"].to_numpy())
