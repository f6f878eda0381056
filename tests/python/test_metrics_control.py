"""The exact definition of "in control" against cases computed by hand; the one by samples is in test_metrics.py."""

import polars as pl
import pytest
from airtcp.metrics.control import LIMITERS, Sender, has_limited_times, judge_control, limited_shares

MS = 1_000_000
COLUMNS = list(LIMITERS)


def flow(**limited_ms):
    """Two samples, 1 s apart, after 500 ms of slow start limited by the window; the rest is by window too."""
    unknown = set(limited_ms) - {column.removesuffix("_limited_ns") for column in COLUMNS}
    assert not unknown, unknown
    rest = 1000 - sum(limited_ms.values())
    rows = {"time_ns": [500 * MS, 1500 * MS]}
    for column in COLUMNS:
        more = limited_ms.get(column.removesuffix("_limited_ns"), 0)
        before = 500 if column == "cwnd_limited_ns" else 0
        more += rest if column == "cwnd_limited_ns" else 0
        rows[column] = pl.Series([before * MS, (before + more) * MS], dtype=pl.UInt64)
    return pl.DataFrame(rows)


def test_the_shares_are_of_the_time_between_the_samples():
    shares = limited_shares(flow(pacing=100, app=50, small_queue=25))
    assert shares["congestion window"] == 0.825
    assert (shares["pacing"], shares["application"], shares["TCP small queues"]) == (0.1, 0.05, 0.025)
    assert sum(shares.values()) == pytest.approx(1.0)
    assert list(shares) == list(LIMITERS.values())


@pytest.mark.parametrize(("others_ms", "in_control"), [(0, True), (100, True), (101, False)])
def test_others_may_have_a_tenth(others_ms, in_control):
    verdict = judge_control(flow(peer_window=others_ms, pacing=500), "cubic")
    assert verdict.in_control is in_control
    assert verdict.exact


def test_pacing_is_the_congestion_controls():
    assert judge_control(flow(pacing=1000), "cubic").text() == "yes"


def test_a_sender_with_pauses_is_judged_while_it_has_something_to_send():
    pauses = Sender(pauses=True)
    verdict = judge_control(flow(app=800, peer_window=20), "cubic", pauses)
    assert (verdict.in_control, verdict.text()) == (True, "yes (20% judged)")
    # 24 of 200 ms are more than a tenth.
    verdict = judge_control(flow(app=800, peer_window=24), "cubic", pauses)
    assert verdict.text() == "no: receiver's window 12% of the time with data to send (20% judged)"
    idle = judge_control(flow(app=1000), "cubic", pauses)
    assert (idle.in_control, idle.text()) == (None, "not judged: its application limited it 100% of the time")
    # Without pauses, an application that does not write is held against the flow.
    assert not judge_control(flow(app=800), "cubic").in_control


@pytest.mark.parametrize(("app_ms", "in_control"), [(900, False), (901, None)])
def test_less_than_a_tenth_of_the_time_is_not_judged(app_ms, in_control):
    verdict = judge_control(flow(app=app_ms, peer_window=50), "cubic", Sender(pauses=True))
    assert verdict.in_control is in_control
    assert verdict.is_doubtful == (in_control is False)
    if in_control is None:
        assert verdict.text() == "not judged: its application limited it 90% of the time"


def test_a_rate_limit_of_its_own_is_not_the_congestion_controls():
    limited = Sender(rate_limit=True)
    assert judge_control(flow(pacing=200), "bbr", limited).reasons == ("pacing 20% of the time",)
    assert judge_control(flow(pacing=100), "bbr", limited).in_control


def test_the_reasons_name_who_it_was_the_longest_first():
    verdict = judge_control(flow(app=200, send_buffer=300, small_queue=9, other=10), "bbr")
    assert verdict.reasons == (
        "send buffer 30% of the time",
        "application 20% of the time",
        "other 1% of the time",
    )
    assert verdict.shares["congestion window"] == pytest.approx(0.481)


def test_without_time_there_is_no_verdict():
    still = flow().head(1)
    verdict = judge_control(pl.concat([still, still]), "cubic")
    assert verdict.reasons == ("no time between the samples",)
    assert verdict.shares == {}
    later = still.with_columns(time_ns=pl.col("time_ns") * 3)
    assert judge_control(pl.concat([still, later]), "cubic").reasons == (
        "the connection was not established",
    )
    assert judge_control(still, "cubic").reasons == ("fewer than two samples",)


def test_times_that_fall_are_refused():
    with pytest.raises(ValueError, match="limited by congestion window falls"):
        limited_shares(flow().reverse())


def test_older_runs_are_judged_by_samples():
    frame = flow()
    assert has_limited_times(frame)
    assert not has_limited_times(frame.drop("pacing_limited_ns"))
    nothing = pl.Series("pacing_limited_ns", [None, 0], dtype=pl.UInt64)
    assert not has_limited_times(frame.with_columns(nothing))


def test_a_shortage_of_memory_is_no_receivers_window():
    short = Sender(short_of_memory=True)
    verdict = judge_control(flow(peer_window=110, send_buffer=30, small_queue=20), "cubic", short)
    assert verdict.reasons == (
        "shortage of memory for TCP 14% of the time",
        "TCP small queues 2% of the time",
    )
    assert verdict.shares["receiver's window"] == 0.11
    assert judge_control(flow(peer_window=50), "cubic", short).in_control
