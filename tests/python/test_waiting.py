"""Where packets wait in a run, from series that are simple enough to compute by hand."""

import math

import polars as pl
import pytest
from airtcp.data.read_once import open_once
from airtcp.quantities.named_number import number_named
from airtcp.quantities.run_view import RunView
from airtcp.report.html.record import record_of
from airtcp.scenario.compile.compiler import compile_file
from conftest import SCENARIOS
from support.recorded_series import add_new_series
from support.run_folder import Shape, write_run_folder

SECOND_NS = 1_000_000_000


@pytest.fixture
def folder(tmp_path):
    shape = Shape(rtt_ms=25.0, idle_ms=2.0, in_flight=20)
    return write_run_folder(tmp_path, dict(compile_file(SCENARIOS / "first.toml")), shape)


def held(view, name):
    """A quantity over the time of a view."""
    return number_named(name, "").of(view).value


def change(folder, name, **columns):
    file = folder / "series" / f"{name}.parquet"
    pl.read_parquet(file).with_columns(**columns).write_parquet(file)


def test_what_samples_of_flows_show(folder):
    whole = RunView(open_once(folder))
    assert held(whole, "queueing_delay") == pytest.approx(23.0)
    assert held(whole, "inflight") == pytest.approx(20.0 * len(whole.run.plan["flows"]))
    for unknown in ("queue", "mac80211_packets", "radio_packets"):
        assert math.isnan(held(whole, unknown))


def test_the_least_rtt_is_that_of_the_span_and_in_flight_is_the_kernels(folder):
    first = (pl.col("time_ns") < SECOND_NS).cast(pl.UInt32)
    change(folder, "flows", min_rtt_us=4000 - 3000 * first, sacked=3, lost=2, retrans=1)
    run = open_once(folder)
    assert held(RunView(run), "queueing_delay") == pytest.approx(24.0)
    late = RunView(run, SECOND_NS)
    assert held(late, "queueing_delay") == pytest.approx(21.0)
    assert held(late, "inflight") == pytest.approx(20 - 3 - 2 + 1)


def test_what_queues_and_radios_hold_is_a_mean_over_time_of_sums(folder):
    add_new_series(folder)
    late = (pl.col("time_ns") >= SECOND_NS).cast(pl.UInt32)
    change(folder, "qdiscs", backlog_packets=8 * late)
    change(folder, "radio_queues", backlog_packets=9 * late)
    change(folder, "air", queue_packets=5 * late * (pl.col("nic") + 1))
    run = open_once(folder)
    radios = len(run.plan["air"]["nics"])
    view = RunView(run, SECOND_NS)
    assert held(view, "queue") == pytest.approx(8.0)
    assert held(view, "mac80211_packets") == pytest.approx(9.0)
    assert held(view, "radio_packets") == pytest.approx(5.0 * radios * (radios + 1) / 2)
    share = 1 - SECOND_NS / run.end_ns
    assert held(RunView(run), "radio_packets") == pytest.approx(share * held(view, "radio_packets"), rel=0.02)
    assert record_of(run).numbers["queue"] == pytest.approx(share * 8.0, rel=0.1)


def test_a_run_without_flows_has_a_record(tmp_path):
    plan = {**dict(compile_file(SCENARIOS / "first.toml")), "flows": []}
    folder = write_run_folder(tmp_path, plan)
    (folder / "series" / "flows.parquet").unlink()
    record = record_of(open_once(folder))
    assert not record.control_known
    assert math.isnan(record.numbers["throughput"])
    assert math.isnan(record.numbers["inflight"])
