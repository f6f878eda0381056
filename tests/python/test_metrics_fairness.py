"""Rates in windows and Jain's index against cases computed by hand."""

import math

import numpy as np
import polars as pl
import pytest
from airtcp.metrics.counter import count_at, increase
from airtcp.metrics.fairness import (
    fairness_windows,
    jain_in_windows,
    jain_index,
    rates_from_counters,
    rates_from_packets,
)
from airtcp.metrics.throughput import packet_rate_mbps, sliding_rate_mbps
from airtcp.metrics.windows import Windows
from hypothesis import given, settings
from hypothesis import strategies as st

MS = 1_000_000
S = 1_000 * MS


def test_windows_lie_wholly_in_the_span():
    windows = Windows(0, 1000, 400, 200)
    assert windows.starts_ns.tolist() == [0, 200, 400, 600]
    assert windows.stops_ns.tolist() == [400, 600, 800, 1000]
    assert Windows(0, 999, 400, 200).starts_ns.tolist() == [0, 200, 400]
    assert Windows(0, 399, 400, 200).starts_ns.tolist() == []
    with pytest.raises(ValueError, match="0 ns"):
        Windows(0, 1000, 400, 0)


def test_the_papers_windows_overlap_by_half():
    # "up to 0.4 s after the start", "next between 0.2 and 0.6 s"
    windows = fairness_windows(S, 2 * S)
    assert (windows.starts_ns[:2] - S).tolist() == [0, 200 * MS]
    assert (windows.stops_ns[:2] - S).tolist() == [400 * MS, 600 * MS]


def test_a_counter_stands_at_its_last_sample():
    times, counts = np.array([10, 20, 30]), np.array([5, 7, 7])
    assert count_at(times, counts, np.array([0, 10, 19, 20, 99])).tolist() == [0, 5, 5, 7, 7]
    assert increase(times, counts, 10, 30) == 2
    assert increase(np.array([], np.int64), np.array([], np.int64), 0, 9) == 0


@pytest.mark.parametrize(
    ("times", "counts", "what"),
    [([1, 2], [5, 4], "falls"), ([2, 1], [1, 2], "order"), ([1], [1, 2], "1 times")],
)
def test_a_damaged_counter_is_refused(times, counts, what):
    # unsigned, as the series are: 4 - 5 must not become 2^64 - 1
    with pytest.raises(ValueError, match=what):
        count_at(np.array(times), np.array(counts, np.uint64), np.array([0]))
    with pytest.raises(ValueError, match=what):
        sliding_rate_mbps(np.array(times), np.array(counts, np.uint64), Windows(0, 5, 5, 5))


def test_packets_in_sliding_windows():
    # 1250 bytes = 10^4 bit; in windows of 10 ms that is 1 Mbit/s
    times = np.array([0, 9, 10, 25]) * MS
    rates = packet_rate_mbps(times, np.full(4, 1250), Windows(0, 30 * MS, 10 * MS, 5 * MS))
    # [0,10): 2 packets (that at 10 is the next window's); [5,15): 2; [10,20): 1; [15,25): 0; [20,30): 1
    assert rates.tolist() == [2.0, 2.0, 1.0, 0.0, 1.0]


def test_packets_need_no_order_and_may_be_none():
    windows = Windows(0, 30 * MS, 10 * MS, 10 * MS)
    assert packet_rate_mbps(np.array([25, 0]) * MS, np.array([1250, 2500]), windows).tolist() == [
        2.0,
        0.0,
        1.0,
    ]
    nothing = np.array([], np.int64)
    assert packet_rate_mbps(nothing, nothing, windows).tolist() == [0.0, 0.0, 0.0]
    with pytest.raises(ValueError, match="fewer than 0"):
        packet_rate_mbps(np.array([0]), np.array([-1]), windows)


def test_a_counter_in_sliding_windows():
    # 100 kB every 0.1 s up to 0.5 s, then nothing: 8 Mbit/s, then 4, then 0
    times = np.arange(11) * 100 * MS
    counts = np.minimum(np.arange(11), 5) * 100_000
    rates = sliding_rate_mbps(times, counts, Windows(0, S, 400 * MS, 200 * MS))
    # [0.2, 0.6) holds 0.3, [0.4, 0.8) holds 0.1 of the 0.5 s with traffic
    assert rates.tolist() == pytest.approx([8.0, 6.0, 2.0, 0.0])


packets = st.lists(st.tuples(st.integers(0, 999), st.integers(1, 1500)), max_size=60)


@given(packets)
def test_bins_add_up_to_the_total(some):
    times = np.array([time for time, _ in some], np.int64)
    sizes = np.array([size for _, size in some], np.int64)
    rates = packet_rate_mbps(times, sizes, Windows(0, 1000, 100, 100))
    assert rates.sum() * 100 / 8e3 == pytest.approx(sizes.sum())


@given(packets)
def test_counters_and_packets_agree_where_the_counter_is_read_at_the_edges(some):
    edges = np.arange(0, 1001, 100)
    sizes = np.array([sum(size for time, size in some if time < edge) for edge in edges])
    times = np.array([time for time, _ in some], np.int64)
    windows = Windows(0, 1000, 300, 100)
    from_packets = packet_rate_mbps(times, np.array([size for _, size in some], np.int64), windows)
    assert sliding_rate_mbps(edges, sizes, windows) == pytest.approx(from_packets)


def test_jains_index_by_hand():
    assert jain_index([3.0, 3.0, 3.0]) == 1.0
    assert jain_index([1.0, 0.0, 0.0, 0.0]) == 0.25
    # (1+2+3)^2 / (3 * 14)
    assert jain_index([1.0, 2.0, 3.0]) == pytest.approx(36 / 42)
    # two flows with the shares (1 +- d)/2: 1 / (1 + d^2)
    assert jain_index([0.55, 0.45]) == pytest.approx(1 / 1.01)


def test_the_index_of_nothing_is_no_number():
    assert math.isnan(jain_index([]))
    assert math.isnan(jain_index([0.0, 0.0]))
    assert math.isnan(jain_index([1.0, math.nan]))
    with pytest.raises(ValueError, match="negative"):
        jain_index([1.0, -1.0])


rates = st.lists(st.floats(0, 1e12, allow_subnormal=False), min_size=1, max_size=20).filter(any)


@given(rates, st.floats(1e-6, 1e6))
def test_the_index_is_in_its_range_and_knows_no_unit(values, factor):
    index = jain_index(values)
    assert 1 / len(values) - 1e-12 <= index <= 1 + 1e-12
    assert jain_index([value * factor for value in values]) == pytest.approx(index)
    assert jain_index(sorted(values)) == pytest.approx(index)


def two_flows():
    """Flow 7 sends 1250 bytes every 10 ms from 0 to 390 ms; flow 3 from 200 ms to 290 ms at half the rate."""
    first = [(time * MS, 7, 1250) for time in range(0, 400, 10)]
    second = [(time * MS, 3, 1250) for time in range(200, 300, 20)]
    return pl.DataFrame(first + second, schema=["time_ns", "flow", "bytes"], orient="row")


WINDOWS = Windows(0, 400 * MS, 100 * MS, 100 * MS)


def test_rates_of_flows_that_come_and_go():
    frame = rates_from_packets(two_flows(), WINDOWS)
    assert frame.filter(pl.col("flow") == 7)["rate_mbps"].to_list() == [1.0, 1.0, 1.0, 1.0]
    other = frame.filter(pl.col("flow") == 3)
    assert other["rate_mbps"].to_list() == [0.0, 0.0, 0.5, 0.0]
    # first packet at 200 ms, last at 280 ms
    assert other["alive"].to_list() == [False, False, True, False]
    assert other["throughout"].to_list() == [False, False, False, False]


def test_only_flows_that_are_there_count():
    frame = jain_in_windows(rates_from_packets(two_flows(), WINDOWS))
    assert frame["flows"].to_list() == [1, 1, 2, 1]
    # (1 + 0.5)^2 / (2 * 1.25)
    assert frame["jain"].to_list() == pytest.approx([1.0, 1.0, 0.9, 1.0])
    assert frame["total_mbps"].to_list() == pytest.approx([1.0, 1.0, 1.5, 1.0])
    assert frame["start_ns"].to_list() == WINDOWS.starts_ns.tolist()


def test_what_active_means_is_a_choice():
    rates = rates_from_packets(two_flows(), WINDOWS, {7: (0, 400 * MS), 3: (150 * MS, 400 * MS)})
    by = {
        active: jain_in_windows(rates, active)["jain"].to_list()
        for active in ("throughout", "received", "all")
    }
    # alive: flow 3 is there from the second window on, and starves in the second and fourth
    assert jain_in_windows(rates)["jain"].to_list() == pytest.approx([1.0, 0.5, 0.9, 0.5])
    assert by["throughout"] == pytest.approx([1.0, 1.0, 0.9, 0.5])
    assert by["received"] == pytest.approx([1.0, 1.0, 0.9, 1.0])
    assert by["all"] == pytest.approx([0.5, 0.5, 0.9, 0.5])
    with pytest.raises(ValueError, match='"some" is not a rule'):
        jain_in_windows(rates, "some")


def test_a_window_without_flows_has_no_index():
    frame = jain_in_windows(rates_from_packets(two_flows(), Windows(0, 600 * MS, 100 * MS, 100 * MS)))
    assert frame["flows"].to_list() == [1, 1, 2, 1, 0, 0]
    assert frame["jain"].to_list()[4:] == [None, None]


def test_a_flow_without_packets_starves():
    rates = rates_from_packets(two_flows(), WINDOWS, dict.fromkeys((3, 7, 9), (0, 400 * MS)))
    assert jain_in_windows(rates)["flows"].to_list() == [3, 3, 3, 3]
    with pytest.raises(ValueError, match="flow 7"):
        rates_from_packets(two_flows(), WINDOWS, {3: (0, 1)})


def test_no_packets_at_all():
    frame = rates_from_packets(two_flows().clear(), WINDOWS)
    assert frame.height == 0
    assert jain_in_windows(frame).height == 0


def test_counters_give_the_same_index_as_packets():
    times = np.arange(0, 401, 10) * MS
    rows = two_flows()
    samples = pl.concat(
        pl.DataFrame(
            {
                "time_ns": times,
                "flow": flow,
                "bytes_received": [
                    rows.filter((pl.col("flow") == flow) & (pl.col("time_ns") < at))["bytes"].sum()
                    for at in times
                ],
            }
        )
        for flow in (3, 7)
    )
    lives = {3: (150 * MS, 400 * MS), 7: (0, 400 * MS)}
    expected = rates_from_packets(rows, WINDOWS, lives)
    assert rates_from_counters(samples, WINDOWS, lives).equals(expected)
    # without lifetimes: from the first sample to the last increase
    own = rates_from_counters(samples, WINDOWS)
    assert own.filter(pl.col("flow") == 3)["alive"].to_list() == [True, True, True, False]


@settings(max_examples=15)
@given(packets.filter(len), st.lists(st.integers(0, 4), min_size=60, max_size=60))
def test_the_frames_index_is_jains_index(some, flows):
    frame = pl.DataFrame(
        [(t, f, b) for (t, b), f in zip(some, flows, strict=False)],
        schema=["time_ns", "flow", "bytes"],
        orient="row",
    )
    windows = Windows(0, 1000, 400, 200)
    rates = rates_from_packets(frame, windows)
    for row in jain_in_windows(rates, "all").iter_rows(named=True):
        expected = jain_index(rates.filter(pl.col("start_ns") == row["start_ns"])["rate_mbps"].to_numpy())
        assert row["jain"] == pytest.approx(expected) if row["jain"] is not None else math.isnan(expected)
