"""Kleinrock's power against cases computed by hand, and of a run in each form of the quantity."""

import math

import airtcp
import numpy as np
import pytest
from airtcp.data.read_once import open_once
from airtcp.metrics.power import mean_rtt_ms, power, power_in_bins
from airtcp.quantities.drawing import drawn_lines
from airtcp.quantities.named_number import number_named
from airtcp.quantities.registry import QUANTITIES
from airtcp.quantities.run_view import RunView
from airtcp.scenario.compile.compiler import compile_file
from conftest import SCENARIOS
from support.run_folder import Shape, write_run_folder

S = 1_000_000_000


def test_power_is_goodput_over_round_trip_time():
    assert power(20.0, 50.0) == 400.0
    assert math.isnan(power(20.0, math.nan))
    assert math.isnan(power(20.0, 0.0))


@pytest.mark.parametrize("load", [0.25, 0.75])
def test_power_of_an_m_m_1_queue_is_largest_at_half_of_its_load(load):
    """Kleinrock's rule: the load is a, the delay 1 / (1 - a), and a (1 - a) is largest at 1/2."""
    assert power(load, 1 / (1 - load)) < power(0.5, 2.0)


def test_samples_before_the_first_round_trip_do_not_count():
    times = np.array([0, S, 2 * S, 4 * S])
    # 10 ms hold for 1 s, 20 ms for 2 s, 40 ms for 1 s.
    assert mean_rtt_ms(times, np.array([0, 10_000, 20_000, 40_000]), 5 * S) == 22.5
    assert math.isnan(mean_rtt_ms(times, np.zeros(4, np.int64), 5 * S))


def test_a_queue_that_fills_lowers_the_power_of_each_bin():
    times = np.array([0, S, 2 * S, 3 * S])
    received = np.array([0.0, 1e6, 2e6, 2e6])
    edges, values = power_in_bins((times, received), times, np.array([10_000, 20_000, 40_000, 0]), S)
    assert edges.tolist() == times.tolist()
    # 8 Mbit/s at 20 ms and at 40 ms; of the last bin no round trip is known.
    assert values[:2].tolist() == [400.0, 200.0]
    assert math.isnan(values[2])


def test_every_form_has_the_power_of_a_run(tmp_path):
    plan = dict(compile_file(SCENARIOS / "first.toml"))
    run = open_once(write_run_folder(tmp_path, plan, Shape(rate_mbps=8.0, rtt_ms=20.0)))
    assert airtcp.number(run, "power") == pytest.approx(400.0, rel=1e-3)
    assert number_named("power", "").of(RunView.while_flows_ran(run)).value == pytest.approx(400.0, rel=1e-3)
    lines = drawn_lines(QUANTITIES["power"], RunView(run))
    assert len(lines) == len(plan["flows"])
    assert np.array(lines[0].values) == pytest.approx(400.0, rel=1e-3)


def test_a_run_without_flows_has_no_power(tmp_path):
    plan = {**compile_file(SCENARIOS / "first.toml"), "flows": []}
    run = open_once(write_run_folder(tmp_path, plan))
    found = number_named("power", "").of(RunView.while_flows_ran(run))
    assert (math.isnan(found.value), found.why) == (True, "nothing in the run has it")
