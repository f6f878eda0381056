"""Delays, RTO, transfer times and convergence against cases computed by hand."""

import math

import numpy as np
import polars as pl
import pytest
from airtcp.metrics.convergence import held_from, jain_convergence, settling, share_convergence
from airtcp.metrics.delay import base_rtt_ns, queueing_delay_ns
from airtcp.metrics.distribution import ecdf, quantile
from airtcp.metrics.fairness import jain_in_windows
from airtcp.metrics.means import holding_ns, mean_over_time
from airtcp.metrics.rto import rto_statistics
from airtcp.metrics.transfer import segments_rate_mbps, transfer_time
from hypothesis import given
from hypothesis import strategies as st

MS = 1_000_000
S = 1_000 * MS


def test_the_curve_rises_once_at_each_value():
    curve = ecdf(np.array([3.0, 1.0, 3.0, 2.0]))
    assert curve.values.tolist() == [1.0, 2.0, 3.0]
    assert curve.shares.tolist() == [0.25, 0.5, 1.0]
    assert ecdf(np.array([])).shares.size == 0


def test_quantiles_are_values_of_the_sample():
    values = np.arange(1.0, 101.0)
    assert [quantile(values, p) for p in (0.0, 0.07, 0.5, 0.951, 1.0)] == [1.0, 7.0, 50.0, 96.0, 100.0]
    assert quantile(np.array([5.0]), 0.99) == 5.0
    assert math.isnan(quantile(np.array([]), 0.5))


@pytest.mark.parametrize(("probability", "values"), [(1.1, [1.0]), (-0.1, [1.0]), (0.5, [math.nan])])
def test_what_is_no_number_has_no_quantile(probability, values):
    with pytest.raises(ValueError, match="not a "):
        quantile(np.array(values), probability)


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=50), st.floats(0, 1))
def test_the_quantile_lies_on_the_curve(values, probability):
    curve = ecdf(np.array(values))
    assert quantile(np.array(values), probability) == curve.values[curve.shares >= probability - 1e-9][0]


def test_queueing_delay_is_what_is_above_the_least():
    rtt = np.array([5, -1, 2, 9]) * MS
    assert base_rtt_ns(rtt) == 2 * MS
    assert queueing_delay_ns(rtt, 2 * MS).tolist() == [3 * MS, -1, 0, 7 * MS]
    assert base_rtt_ns(np.array([-1])) is None
    with pytest.raises(ValueError, match="2000000 ns is shorter than the base RTT, 3000000 ns"):
        queueing_delay_ns(rtt, 3 * MS)


def test_a_value_holds_to_the_next_sample():
    times = np.array([0, 10, 40])
    assert holding_ns(times, 50).tolist() == [10, 30, 10]
    # 10*1 + 30*2 + 10*4 over 50
    assert mean_over_time(times, np.array([1.0, 2.0, 4.0]), 50) == pytest.approx(110 / 50)
    assert mean_over_time(times, np.array([1.0, 2.0, 4.0]), 20) == pytest.approx(30 / 20)
    assert math.isnan(mean_over_time(times, np.array([1.0, 2.0, 4.0]), 0))
    with pytest.raises(ValueError, match="order"):
        holding_ns(np.array([1, 0]), 5)


def rto_samples(**more):
    return pl.DataFrame(
        {
            "time_ns": [0, S, 2 * S, 3 * S, 5 * S],
            "rto_us": [1_000_000, 200_000, 400_000, 800_000, 9_000_000],
            "ca_state": [0, 4, 0, 4, 0],
            **more,
        }
    )


def test_rto_by_hand():
    result = rto_statistics(rto_samples(), 5 * S)
    # 1 s each of 1000, 200 and 400 ms, 2 s of 800 ms; the sample at 5 s is after the end
    assert result.mean_ms == pytest.approx((1000 + 200 + 400 + 2 * 800) / 5)
    assert (result.min_ms, result.max_ms) == (200.0, 1000.0)
    assert result.loss_share == pytest.approx(3 / 5)
    assert (result.timeouts, result.timeouts_exact) == (2, False)


def test_the_kernel_counts_timeouts_exactly():
    result = rto_statistics(rto_samples(total_rto=[0, 2, 2, 5, 5]), 5 * S)
    assert (result.timeouts, result.timeouts_exact) == (5, True)
    older = rto_statistics(rto_samples(total_rto=[None, None, 2, 5, 5]), 5 * S)
    assert (older.timeouts, older.timeouts_exact) == (2, False)
    assert rto_statistics(rto_samples(), 0) is None


def test_transfer_time_by_hand():
    times, counts = np.array([1, 2, 3, 4]) * S, np.array([0, 500_000, 1_000_000, 1_000_000])
    result = transfer_time(times, counts, 1_000_000, S)
    # 8 Mbit in 2 s, known to 1 s
    assert (result.seconds, result.late_s, result.goodput_mbps) == (2.0, 1.0, 4.0)
    assert transfer_time(times, counts, 1_000_001, S) is None
    assert transfer_time(times[:0], counts[:0], 1, 0) is None


def test_a_transfer_that_ends_in_its_first_sample_is_late_by_all_of_it():
    result = transfer_time(np.array([S]), np.array([1000]), 1000, 0)
    assert (result.seconds, result.late_s) == (1.0, 1.0)
    with pytest.raises(ValueError, match="before the start"):
        transfer_time(np.array([S]), np.array([1000]), 1000, S)


def test_taank_pengs_throughput():
    # 1000 segments of 1448 bytes in 2 s
    assert segments_rate_mbps(1000, 1448, 2.0) == pytest.approx(1000 * 11_584 / 2 / 1e6)


def test_a_condition_must_hold():
    starts = np.arange(0, 80, 10)
    inside = np.array([True, False, True, True, True, False, True, True])
    assert held_from(starts, starts + 10, inside, 30) == 20
    assert held_from(starts, starts + 10, inside, 31) is None
    # windows that overlap cover 20 to 60 with three
    assert held_from(starts, starts + 20, inside, 40) == 20


def test_a_gap_is_not_held():
    starts = np.array([0, 10, 40, 50])
    assert held_from(starts, starts + 10, np.ones(4, bool), 25) is None


def windows_frame(rates_by_flow, step=S):
    rows = [
        (n * step, (n + 1) * step, flow, float(rate), True, True)
        for flow, rates in rates_by_flow.items()
        for n, rate in enumerate(rates)
        if rate is not None
    ]
    names = ["start_ns", "stop_ns", "flow", "rate_mbps", "alive", "throughout"]
    return pl.DataFrame(rows, schema=names, orient="row")


def test_when_the_index_converges():
    # the second flow comes at 2 s; fair at 3 s for one window only, then from 5 s on
    rates = windows_frame({0: [9, 9, 9, 5, 8, 6, 5, 5, 5], 1: [None, None, 1, 5, 2, 4, 5, 5, 5]})
    found = jain_convergence(jain_in_windows(rates), 2 * S)
    # 6 and 4: 100 / (2 * 52) = 0.96
    assert (found.at_ns, found.after_ns) == (5 * S, 3 * S)
    stricter = jain_convergence(jain_in_windows(rates), 2 * S, least=0.99)
    assert stricter.after_ns == 4 * S
    longer = jain_convergence(jain_in_windows(rates), 2 * S, hold_ns=5 * S)
    assert (longer.at_ns, longer.after_ns) == (None, None)


def test_one_flow_alone_is_not_convergence():
    rates = windows_frame({0: [9, 9, 9, 9]})
    assert jain_convergence(jain_in_windows(rates), 0).after_ns is None
    assert share_convergence(rates, 0).after_ns is None
    assert share_convergence(rates.clear(), 0).after_ns is None


def test_delta_fair_convergence():
    # delta 0.1: 5.5 and 4.5 are just inside, 5.6 and 4.4 are not
    rates = windows_frame({0: [9, 5.6, 5.5, 5, 5], 1: [1, 4.4, 4.5, 5, 5]})
    assert share_convergence(rates, 0).after_ns == 2 * S
    assert share_convergence(rates, 0, delta=0.2).after_ns == S
    assert share_convergence(windows_frame({0: [0, 0, 0], 1: [0, 0, 0]}), 0).after_ns is None


def test_when_a_window_settles():
    times = np.arange(0, 100, 10)
    cwnd = np.array([1.0, 2, 4, 8, 16, 9.5, 10, 10.5, 10, 10])
    # the final value, over 75 to 100: (5*10.5 + 10*10 + 10*10) / 25 = 10.1; 9.5 is inside of 10 %, 16 is not
    assert settling(times, cwnd, 100).at_ns == 50
    assert settling(times, cwnd, 100, band=0.05).at_ns == 60
    assert settling(times + 7, cwnd, 107).after_ns == 50


def test_what_moves_to_the_end_does_not_settle():
    assert settling(np.arange(0, 100, 10), np.arange(10.0), 100).at_ns is None
    assert settling(np.array([0]), np.array([1.0]), 100).at_ns is None
    assert settling(np.arange(0, 100, 10), np.full(10, 5.0), 100).after_ns == 0
