"""Metrics against cases computed by hand."""

import math

import numpy as np
import polars as pl
import pytest
from airtcp.metrics.control import judge_control
from airtcp.metrics.rtt import round_trips
from airtcp.metrics.throughput import goodput_bps, sliding_rate_mbps
from airtcp.metrics.windows import Windows

S = 1_000_000_000


def test_throughput_counts_every_byte_once():
    time_ns = np.array([0, S // 2, S, 3 * S // 2, 2 * S])
    received = np.array([0, 125_000, 250_000, 250_000, 375_000])
    # 250 kB in the first second are 2 Mbit/s, 125 kB in the second 1 Mbit/s
    assert sliding_rate_mbps(time_ns, received, Windows(0, 2 * S, S, S)).tolist() == [2.0, 1.0]


def test_an_edge_stands_for_the_last_sample_before_it():
    # The last sample is at 1.9 s: the second bin is 125 kB in 0.9 s.
    time_ns = np.array([0, S, 19 * S // 10])
    rates = sliding_rate_mbps(time_ns, np.array([0, 125_000, 250_000]), Windows(0, 2 * S, S, S))
    assert rates.tolist() == pytest.approx([1.0, 1.0 / 0.9])


def test_before_the_first_sample_nothing_was_received():
    time_ns = np.array([S // 2, S])
    assert sliding_rate_mbps(time_ns, np.array([0, 125_000]), Windows(0, S, S, S)).tolist() == [1.0]


@pytest.mark.parametrize("time_ns", [[], [0], [0, S]])
def test_a_bin_without_a_sample_is_refused(time_ns):
    times = np.array(time_ns, dtype=np.int64)
    with pytest.raises(ValueError, match="no sample"):
        sliding_rate_mbps(times, np.zeros_like(times), Windows(0, 2 * S, S, S))


def test_round_trips_of_a_span():
    time_ns = np.array([0, 1, 2, 3, 4]) * S
    rtt_ns = np.array([99, 2, 4, -1, 77]) * 1_000_000
    trips = round_trips(time_ns, rtt_ns, S, 4 * S)
    # the lost one counts as -1 ms of no one's mean
    assert (trips.mean_ms, trips.min_ms, trips.max_ms) == (3.0, 2.0, 4.0)
    assert (trips.answered, trips.lost) == (2, 1)


def test_no_answer_is_no_number():
    trips = round_trips(np.array([0]), np.array([-1]), 0, S)
    assert math.isnan(trips.mean_ms)
    assert trips.lost == 1


def samples(count=11, **changes):
    """A flow over one second whose window of 10 segments is always full."""
    base = {
        "time_ns": [i * S // 10 for i in range(count)],
        "busy_us": [i * 100_000 for i in range(count)],
        "bytes_acked": [i * 125_000 for i in range(count)],
        "cwnd": [10] * count,
        "unacked": [10] * count,
        "pacing_rate_bps": [10_000_000] * count,
    }
    zeros = ("sacked", "lost", "retrans", "rwnd_limited_us", "sndbuf_limited_us", "delivery_app_limited")
    return pl.DataFrame({**{name: [0] * count for name in zeros}, **base, **changes})


def test_a_full_window_is_control():
    verdict = judge_control(samples(), "cubic")
    assert verdict.in_control
    assert verdict.shares["window used"] == 1.0
    assert verdict.text() == "yes"


def test_lost_and_sacked_segments_are_not_in_flight():
    # 10 out, 2 sacked, 1 lost, 1 of them sent again: 8 in flight, within two of the window
    assert judge_control(samples(sacked=[2] * 11, lost=[1] * 11, retrans=[1] * 11), "reno").in_control
    verdict = judge_control(samples(sacked=[2] * 11, lost=[1] * 11), "reno")
    assert verdict.reasons == ("window used in 0% of samples only",)


@pytest.mark.parametrize(
    ("share", "in_control"),
    [(4_900, True), (5_100, False)],  # us per 100 ms: just inside and just outside of 5 %
)
def test_the_send_buffer_may_limit_little(share, in_control):
    verdict = judge_control(samples(sndbuf_limited_us=[i * share for i in range(11)]), "cubic")
    assert verdict.in_control is in_control
    assert in_control or "send buffer 5%" in verdict.reasons[0]


def test_both_windows_together_count():
    half = [i * 3_000 for i in range(11)]
    verdict = judge_control(samples(sndbuf_limited_us=half, rwnd_limited_us=half), "cubic")
    assert not verdict.in_control
    assert verdict.shares["receiver's window"] == pytest.approx(0.03)


def test_an_idle_application_is_not_control():
    verdict = judge_control(samples(busy_us=[i * 90_000 for i in range(11)]), "cubic")
    assert verdict.reasons == ("nothing to send 10% of the time",)
    limited = judge_control(samples(delivery_app_limited=[1] + [0] * 10), "cubic")
    assert limited.reasons == ("limited by the application in 9% of samples",)


def test_a_flow_held_back_below_tcp_is_not_in_control():
    # the window says 100, the queues below take 10: TCP small queues, not the congestion control
    verdict = judge_control(samples(cwnd=[100] * 11), "cubic")
    assert verdict.reasons == ("window used in 0% of samples only",)


@pytest.mark.parametrize(("pacing_mbps", "in_control"), [(13, True), (14, False)])
def test_bbr_is_in_control_when_it_sends_at_its_pace(pacing_mbps, in_control):
    # 125 kB per 0.1 s are 10 Mbit/s; three quarters of 13.3 Mbit/s
    frame = samples(cwnd=[100] * 11, pacing_rate_bps=[pacing_mbps * 1_000_000] * 11)
    assert judge_control(frame, "bbr").in_control is in_control
    assert not judge_control(frame, "cubic").in_control


def test_too_few_samples_are_no_verdict():
    assert judge_control(samples(count=1), "cubic").reasons == ("fewer than two samples",)


def test_goodput_of_several_flows_is_in_bits_per_second():
    times = np.array([0, S, 2 * S])
    one, other = np.array([0, 1_250_000, 2_500_000]), np.array([0, 0, 250_000])
    assert goodput_bps([(times, one), (times, other)], times).tolist() == [10_000_000, 12_000_000]
    assert goodput_bps([], times).tolist() == [0, 0]
