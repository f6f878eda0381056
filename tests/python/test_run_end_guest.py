"""Real guests: a run that ends with a flow, and runs without radios whose time moves nonetheless."""

from pathlib import Path

import polars as pl
import pytest
from airtcp.data.read_once import open_once
from airtcp.data.run_folder import open_run
from airtcp.execution.locate import find_kernel, find_runner
from airtcp.execution.runner import Running, Tools, run_plan
from airtcp.execution.store import prepare_store
from airtcp.quantities.flows import flow_time
from airtcp.report.html.record import record_of
from airtcp.report.run.report import run_tables
from airtcp.report.run.warnings import run_warnings
from support.wifi_scenarios import plan_of

pytestmark = pytest.mark.guest

S, MS = 1_000_000_000, 1_000_000
# A program that won't end keeps the guest up for 100 ms after the run's end; what comes later never begins.
SCENARIO = """
name = "ends"
duration = "20 s"
ends_with = "file"
[wifi.home]
stations = ["sta1", "sta2"]
[[wire]]
between = ["ap1", "h1"]
rate = "100 Mbit/s"
delay = "5 ms"
[[flow]]
name = "file"
from = "sta1"
to = "h1"
bytes = "1 MB"
start = "500 ms"
[[flow]]
name = "endless"
from = "sta2"
to = "h1"
[[flow]]
name = "late"
from = "sta2"
to = "h1"
start = "15 s"
[[ping]]
from = "h1"
to = "sta1"
interval = "10 ms"
[[program]]
name = "stubborn"
node = "h1"
command = "trap '' TERM; while :; do sleep 0.01; done"
[[program]]
name = "later"
node = "h1"
command = "true"
start = "15 s"
[sampling]
flows = "10 ms"
qdiscs = "10 ms"
air = "10 ms"
acks = true
delays = true
ppdus = true
"""
WIRES = """
name = "wires"
duration = "24 s"
[[wire]]
between = ["h1", "h2"]
rate = "400 Mbit/s"
delay = "1 ms"
[[flow]]
from = "h1"
to = "h2"
[sampling]
flows = "{flows}"
qdiscs = "0 s"
"""


def execute(folder: Path, text: str):
    plan = plan_of(text)
    tools = Tools(find_runner(), {plan["kernel"]: find_kernel(plan["kernel"])}, prepare_store(folder), False)
    moved = []
    done = run_plan(plan, tools, Running(), moved.append)
    return done, moved


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return tmp_path_factory.mktemp("ends") / "runs"


@pytest.fixture(scope="module")
def ended(store):
    return open_run(execute(store, SCENARIO)[0].folder)


def last_ns(run, name):
    return run.series(name).to_series(0).max()


def test_the_run_ends_when_the_flow_has_ended_at_its_receiver(ended):
    file = ended.agent["flows"][0]
    assert file["bytes_received"] == 1_000_000
    assert ended.end_ns == file["finished_ns"]
    assert 600 * MS < ended.end_ns < 10 * S
    assert ended.manifest["virtual_s"] == ended.end_ns / S
    # The guest was up for longer: the stubborn program had its time to end.
    assert ended.air_report["end_ns"] - ended.plan["epoch_ns"] > ended.end_ns + 100 * MS
    assert ended.agent["programs"][0]["signal"] == 9


def test_every_series_is_complete_and_ends_with_the_run(ended):
    # Reading refuses what has gaps before the end.
    for name in ended.recorded:
        assert 0 < last_ns(ended, name) <= ended.end_ns, name
    endless = ended.flow_samples(1)
    assert endless["time_ns"][-1] == ended.end_ns
    assert endless["bytes_received"][-1] == ended.agent["flows"][1]["bytes_received"]
    assert ended.flow_samples(0)["bytes_received"][-1] == 1_000_000 + 1
    assert endless["time_ns"].is_unique().all()
    assert last_ns(ended, "qdiscs") == ended.end_ns
    for name in ("flows", "qdiscs"):
        assert ended.series(name)["time_ns"].is_sorted()
    count = ended.end_ns // (10 * MS) + 1
    assert ended.series("air").height == count * len(ended.plan["air"]["nics"])
    first_ns = ended.series("pings")["time_ns"][0]
    assert 0 <= first_ns < 10 * MS
    count = (ended.end_ns - first_ns) // (10 * MS) + 1
    assert ended.agent["pings"][0]["sent"] == ended.series("pings").height == count


def test_what_was_to_come_later_is_no_failure(ended):
    assert run_warnings(ended) == []
    assert ended.agent["flows"][2]["connected_ns"] is None
    assert flow_time(ended, 1) == (0, ended.end_ns)
    tables = {table.title.split(" (")[0]: table.rows for table in run_tables(ended)}
    assert [row[1] for row in tables["Programs"]] == ["signal 9", "not started"]
    record = record_of(open_once(ended.folder))
    assert (record.virtual_s, record.failed) == (ended.end_ns / S, ())
    assert record.numbers["throughput"] > 0


def test_a_repetition_is_equal_to_the_byte_and_is_found_with_its_length(ended, store, tmp_path):
    again = open_run(execute(tmp_path / "again", SCENARIO)[0].folder)
    assert again.manifest["sha256"] == ended.manifest["sha256"]
    assert again.manifest["frame_hash"] == ended.manifest["frame_hash"]
    done, _ = execute(store, SCENARIO)
    assert (done.cached, done.virtual_s) == (True, ended.end_ns / S)


def test_until_its_end_the_run_is_the_one_that_goes_on(ended, tmp_path):
    text = SCENARIO.replace('ends_with = "file"', "").replace('duration = "20 s"', 'duration = "16 s"')
    whole = open_run(execute(tmp_path / "whole", text)[0].folder)
    assert whole.end_ns == 16 * S
    for name in ("flows", "qdiscs", "acks", "ppdus", "air", "pings"):
        one, other = (run.series(name) for run in (ended, whole))
        time = one.columns[0]
        # An answer that came after the end is one only of the longer run.
        until = ended.end_ns - (50 * MS if name == "pings" else 0)
        assert one.filter(pl.col(time) < until).equals(other.filter(pl.col(time) < until)), name


@pytest.mark.parametrize("flows", ["100 ms", "0 s"])
def test_time_moves_without_radios(tmp_path, flows):
    done, moved = execute(tmp_path / "runs", WIRES.format(flows=flows))
    seen = [progress.virtual_ns for progress in moved]
    # Looked at ten times a second: the run takes longer than that.
    assert len(set(seen)) > 3
    assert seen == sorted(seen)
    assert done.virtual_s == 24
    run = open_run(done.folder)
    assert run.agent["flows"][0]["bytes_received"] > 1_000_000_000
    assert not (run.folder / "agent-progress").exists()
