"""Utilisation, airtime, bufferbloat and ratios against cases computed by hand."""

import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from airtcp.metrics.airtime import airtime_of_senders, airtime_of_stations, airtime_shares
from airtcp.metrics.bufferbloat import Loaded, judge_bufferbloat
from airtcp.metrics.ratios import ratio_ecdf, ratio_table, summarise_ratios
from airtcp.metrics.utilisation import busy_shares, link_utilisation, medium_use
from airtcp.metrics.windows import Windows
from hypothesis import given
from hypothesis import strategies as st

MS = 1_000_000
S = 1_000 * MS


def test_a_links_utilisation_by_hand():
    # 10 Mbit/s carry 1.25 MB in a second
    times, counts = np.array([0, 1, 2]) * S, np.array([0, 1_250_000, 1_875_000])
    windows = Windows(0, 2 * S, S, S)
    assert link_utilisation(times, counts, windows, 10.0).tolist() == pytest.approx([1.0, 0.5])
    assert link_utilisation(times, counts, windows, 5.0).tolist() == pytest.approx([2.0, 1.0])
    with pytest.raises(ValueError, match="0 Mbit/s"):
        link_utilisation(times, counts, windows, 0)


def test_a_mediums_use_adds_up():
    names = ("data_ns", "response_ns", "collision_ns", "contention_ns", "idle_ns")
    use = medium_use(dict(zip(names, (50, 20, 10, 15, 5), strict=True)))
    assert (use.data, use.control, use.collision, use.contention, use.idle) == (0.5, 0.2, 0.1, 0.15, 0.05)
    assert use.busy == pytest.approx(0.8)
    assert medium_use(dict.fromkeys(names, 0)) is None
    with pytest.raises(ValueError, match="negative"):
        medium_use({**dict.fromkeys(names, 0), "idle_ns": -1})


def test_ppdus_that_overlap_count_once():
    starts, ends = np.array([30, 0, 5, 40]), np.array([35, 10, 20, 60])
    # busy 0..20, 30..35, 40..60
    shares = busy_shares(starts, ends, Windows(0, 80, 20, 20))
    assert shares.tolist() == [1.0, 0.25, 1.0, 0.0]
    assert busy_shares(starts, ends, Windows(10, 50, 40, 1)).tolist() == [(10 + 5 + 10) / 40]
    nothing = np.array([], np.int64)
    assert busy_shares(nothing, nothing, Windows(0, 40, 20, 20)).tolist() == [0.0, 0.0]
    with pytest.raises(ValueError, match="before it starts"):
        busy_shares(np.array([2]), np.array([1]), Windows(0, 40, 20, 20))


@given(st.lists(st.tuples(st.integers(0, 199), st.integers(0, 30)), max_size=20), st.integers(0, 150))
def test_busy_time_is_that_of_each_moment(ppdus, begin):
    starts = np.array([start for start, _ in ppdus], np.int64)
    ends = starts + np.array([length for _, length in ppdus], np.int64)
    moments = range(begin, begin + 50)
    busy = sum(any(start <= at < end for start, end in zip(starts, ends, strict=True)) for at in moments)
    assert busy_shares(starts, ends, Windows(begin, begin + 50, 50, 50)).tolist() == [busy / 50]


def links():
    """AP 0; station 1 uploads, station 2 downloads; radio 9 talks to 8 elsewhere."""
    rows = [
        (0, 1, 0, 10),
        (1, 1, 0, 400),
        (2, 1, 0, 700),
        (0, 0, 1, 0),
        (2, 0, 1, 100),
        (1, 0, 2, 100),
        (2, 0, 2, 200),
        (2, 9, 8, 999),
    ]
    return pl.DataFrame(rows, schema=["time_ns", "nic", "peer", "airtime_ns"], orient="row")


def pairs():
    return links().partition_by("nic", "peer", as_dict=True)


def test_a_stations_airtime_is_to_it_and_from_it():
    found = airtime_of_stations(pairs(), 0, 0, 2)
    # station 1: 700 - 10 up, 100 down; station 2: 200 down (nothing before its first sample)
    assert found.airtime_ns == {1: 790, 2: 200}
    assert found.shares == {1: pytest.approx(790 / 990), 2: pytest.approx(200 / 990)}
    assert found.jain == pytest.approx(990**2 / (2 * (790**2 + 200**2)))


def test_airtime_between_two_times():
    assert airtime_of_stations(pairs(), 0, 1, 2).airtime_ns == {1: 300 + 100, 2: 100}
    idle = airtime_of_stations(pairs(), 0, 2, 2)
    assert idle.airtime_ns == {1: 0, 2: 0}
    assert math.isnan(idle.jain)
    assert math.isnan(idle.shares[1])


def test_airtime_of_senders():
    radios = links().filter(pl.col("peer") == 0).select("time_ns", "nic", "airtime_ns")
    found = airtime_of_senders(radios, [1, 5], 0, 2)
    assert found.airtime_ns == {1: 690, 5: 0}
    assert (found.shares[1], found.jain) == (1.0, 0.5)


@given(st.dictionaries(st.integers(0, 50), st.integers(0, 10**12), min_size=1))
def test_shares_of_airtime_add_up(airtime):
    found = airtime_shares(airtime)
    assert list(found.shares) == sorted(airtime)
    if any(airtime.values()):
        assert sum(found.shares.values()) == pytest.approx(1.0)
        assert 1 / len(airtime) - 1e-9 <= found.jain <= 1 + 1e-9


def test_a_loss_based_congestion_control_has_bufferbloat():
    found = judge_bufferbloat(1.3, [Loaded(100, 80.0, 0.95), Loaded(20, 20.0, 0.95)])
    assert found.verdict == "bufferbloat"
    assert found.growth_with_queue == 4.0
    assert found.growth_with_load == pytest.approx(80 / 1.3)
    # four times for five times the queue
    assert found.exponent == pytest.approx(math.log(4) / math.log(5))
    assert found.rtt_ms == {20: 20.0, 100: 80.0}
    assert (
        found.text()
        == "bufferbloat: RTT 61.54 times the base RTT under load, 4.00 times from 20 to 100 packets"
    )


def test_a_queue_of_its_own_is_not_bufferbloat():
    vegas = judge_bufferbloat(1.3, [Loaded(20, 4.0), Loaded(100, 4.0)])
    assert (vegas.verdict, vegas.grows_with_queue, vegas.exponent) == ("no bufferbloat", False, 0.0)
    assert vegas.growth_with_load == pytest.approx(4 / 1.3)


@pytest.mark.parametrize(("rtt_ms", "verdict"), [(8.0, "bufferbloat"), (7.99, "no bufferbloat")])
def test_growth_is_twofold(rtt_ms, verdict):
    assert judge_bufferbloat(1.0, [Loaded(20, 4.0), Loaded(100, rtt_ms)]).verdict == verdict


def test_growth_without_load_is_not_bufferbloat():
    assert judge_bufferbloat(9.0, [Loaded(20, 5.0), Loaded(100, 12.0)]).verdict == "no bufferbloat"


def test_what_cannot_be_told_is_open():
    one = judge_bufferbloat(1.3, [Loaded(100, 80.0)])
    assert (one.verdict, one.growth_with_queue, one.grows_with_queue) == ("open", None, None)
    unused = judge_bufferbloat(1.3, [Loaded(20, 4.0, 0.5), Loaded(100, 4.0, 0.5)])
    assert unused.verdict == "open"
    assert "used 50% only" in unused.reason


@pytest.mark.parametrize(
    "loaded", [[], [Loaded(20, 4.0)] * 2, [Loaded(0, 4.0)], [Loaded(20, math.nan)], [Loaded(20, 0.0)]]
)
def test_bufferbloat_of_no_numbers_is_refused(loaded):
    with pytest.raises(ValueError, match=r"queues of|an RTT"):
        judge_bufferbloat(1.3, loaded)


def results(**values):
    return pl.DataFrame({"cca": ["reno", "bic", "cubic"], **values})


def test_ratios_by_hand():
    ours = results(rtt_ms=[20.0, 30.0, 40.0], mbps=[9, 9, 9])
    theirs = results(rtt_ms=[10.0, 30.0, 50.0], mbps=[9, 10, 8]).reverse()
    ratios = ratio_table(ours, theirs, ["cca"], ["rtt_ms", "mbps"])
    assert ratios.table["cca"].to_list() == ["reno", "bic", "cubic"]
    assert ratios.table["rtt_ms_ratio"].to_list() == [2.0, 1.0, 0.8]
    assert ratios.table["mbps_ratio"].to_list() == pytest.approx([1.0, 0.9, 9 / 8])
    assert ratios.table.columns[1:4] == ["rtt_ms_ours", "rtt_ms_theirs", "rtt_ms_ratio"]
    assert ratios.complete
    curve = ratio_ecdf(ratios, "rtt_ms")
    assert curve.values.tolist() == [0.8, 1.0, 2.0]
    assert curve.shares.tolist() == pytest.approx([1 / 3, 2 / 3, 1.0])


def test_what_has_no_partner_is_reported():
    ratios = ratio_table(
        results(rtt_ms=[1.0, 2.0, 3.0]).head(2), results(rtt_ms=[1.0, 2.0, 3.0]).tail(2), ["cca"], ["rtt_ms"]
    )
    assert ratios.table["cca"].to_list() == ["bic"]
    assert ratios.only_ours["cca"].to_list() == ["reno"]
    assert ratios.only_theirs["cca"].to_list() == ["cubic"]
    assert not ratios.complete


def test_ratios_that_do_not_exist_are_reported():
    ours, theirs = results(rtt_ms=[1.0, math.nan, 3.0]), results(rtt_ms=[0.0, 1.0, None])
    ratios = ratio_table(ours, theirs, ["cca"], ["rtt_ms"])
    assert ratios.undefined == tuple(("rtt_ms", f"cca {cca}") for cca in ("reno", "bic", "cubic"))
    assert ratios.of("rtt_ms").size == 0
    infinite = ratio_table(
        results(rtt_ms=[1.0] * 3), results(rtt_ms=[math.inf, 1.0, 1.0]), ["cca"], ["rtt_ms"]
    )
    assert infinite.undefined == (("rtt_ms", "cca reno"),)


def test_a_key_that_comes_twice_is_refused():
    twice = pl.concat([results(rtt_ms=[1.0] * 3)] * 2)
    with pytest.raises(ValueError, match="theirs: more than one row for cca reno"):
        ratio_table(results(rtt_ms=[1.0] * 3), twice, ["cca"], ["rtt_ms"])
    with pytest.raises(ValueError, match="ours: no column queue"):
        ratio_table(twice, twice, ["cca", "queue"], ["rtt_ms"])
    with pytest.raises(ValueError, match="ours: a row has no cca"):
        ratio_table(pl.DataFrame({"cca": [None], "rtt_ms": [1.0]}), twice, ["cca"], ["rtt_ms"])


def test_table_4_comes_out_of_its_ratios():
    file = Path(__file__).parents[2] / "studies" / "aoyagi2023" / "table4.csv"
    paper = pl.read_csv(file)
    actual = paper.select("cca", rtt_ms=pl.lit(20.0), mbps=pl.lit(9.4))
    emulated = paper.select(
        "cca", rtt_ms=20.0 * pl.col("rtt_ratio_q20"), mbps=9.4 * pl.col("throughput_ratio_q20")
    )
    ratios = ratio_table(emulated, actual, ["cca"], ["rtt_ms", "mbps"])
    assert ratios.of("rtt_ms") == pytest.approx(paper["rtt_ratio_q20"].to_numpy())
    # within a tenth of one: all but reno, htcp, scalable, vegas, nv, cdg, illinois and westwood
    assert summarise_ratios(ratios.of("rtt_ms")).near_one_share == pytest.approx(6 / 14)
    assert summarise_ratios(ratios.of("mbps")).near_one_share == 1.0


def test_ratios_have_a_geometric_mean():
    found = summarise_ratios(np.array([0.5, 2.0]))
    assert (found.count, found.geometric_mean, found.min, found.max) == (2, pytest.approx(1.0), 0.5, 2.0)
    assert math.isnan(summarise_ratios(np.array([])).geometric_mean)
    with pytest.raises(ValueError, match="not above 0"):
        summarise_ratios(np.array([1.0, 0.0]))


@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=30))
def test_the_inverse_ratios_have_the_inverse_mean(ratios):
    there, back = summarise_ratios(np.array(ratios)), summarise_ratios(1 / np.array(ratios))
    assert there.geometric_mean * back.geometric_mean == pytest.approx(1.0)
