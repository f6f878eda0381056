"""Quantities of stations that roam, of a made-up run: by hand from what mac80211 and the air would have recorded.

sta1 is with ap1 until 3 s, with nobody at 4 s, with ap2 from 5 s on; sta2 is with ap1 until 5 s. ap1 keeps its
entry of sta1. A sample is taken each second of 8 s.
"""

import math
from types import SimpleNamespace

import airtcp
import numpy as np
import polars as pl
import pytest
from airtcp.data.read_once import NotRecorded
from airtcp.data.run_folder import Run, open_run
from airtcp.metrics.survival import statistic
from airtcp.quantities.forms import values
from airtcp.quantities.metric_file import MetricFile
from airtcp.quantities.named_number import number_named
from airtcp.quantities.registry import QUANTITIES
from airtcp.quantities.roaming import NOBODY, Association, Handover, gaps, handovers_of, with_gaps
from airtcp.quantities.run_view import RunView
from airtcp.report.run.figure import run_chart
from support.recorded_series import zeros
from support.run_folder import write_run_folder
from support.wifi_scenarios import plan_of

S, MS = 1_000_000_000, 1_000_000
AP1, STA1, STA2, AP2 = range(4)
CELL = '[wifi.{name}]\nmac = "linux"\nssid = "campus"\nstandard = "11n"\nchannel = {channel}\nstations = {some}\n'
SCENARIO = (
    'name = "walk"\nduration = "8 s"\n'
    + CELL.format(name="east", channel=36, some='["sta1", "sta2"]')
    + CELL.format(name="west", channel=149, some="[]")
    + '[[wire]]\nbetween = ["ap1", "sw"]\n[[wire]]\nbetween = ["ap2", "sw"]\n'
    + '[sampling]\nstations = "1 s"\n'
)
# Radio, its peer, from and to in s.
SEEN = (
    (STA1, AP1, 1, 3),
    (STA1, AP2, 5, 8),
    (STA2, AP1, 1, 5),
    (AP1, STA1, 1, 8),
    (AP1, STA2, 1, 5),
    (AP2, STA1, 5, 8),
)


def rows(name, made):
    return pl.DataFrame([{**zeros(name), **row} for row in made])


def stations():
    made = []
    for nic, peer, begin, end in SEEN:
        for second in range(begin, end + 1):
            joined = int(nic in (STA1, STA2))
            made.append(
                {"time_ns": second * S, "nic": nic, "interface": 1, "peer": peer, "access_point": joined}
            )
    return rows("stations", sorted(made, key=lambda row: row["time_ns"]))


@pytest.fixture
def folder(tmp_path):
    folder = write_run_folder(tmp_path, dict(plan_of(SCENARIO)))
    stations().write_parquet(folder / "series" / "stations.parquet")
    return folder


def drawn(folder, name):
    (panel,) = run_chart(RunView(open_run(folder)), [name]).panels
    return panel


def why_not(folder, name):
    """The sentence in place of a number."""
    return number_named(name, "").of(RunView.while_flows_ran(open_run(folder))).why


class Samples:
    """A run of 8 s with a sample each second."""

    run = SimpleNamespace(end_ns=8 * S)

    def interval_ns(self, _):
        return S


def with_nobody(*times_s):
    times = (np.array(times_s) * S).astype(np.int64)
    found = with_gaps(Samples(), times, np.zeros(times.size, np.int64), NOBODY)
    return dict(zip((found[0] / S).tolist(), found[1].tolist(), strict=True))


def test_a_sample_without_an_entry_is_no_association():
    assert with_nobody(1, 2, 3, 5, 6) == {1: 0, 2: 0, 3: 0, 4: NOBODY, 5: 0, 6: 0, 7: NOBODY}
    # Programs on real machines are late now and then.
    assert NOBODY not in with_nobody(1, 2.4, 3.4, 4.6, 5.6, 6.8).values()
    assert with_nobody() == {1: NOBODY}


def test_to_lose_an_access_point_and_find_it_again_is_no_handover():
    own = Association(1, np.array([1, 2, 3, 4, 5]) * S, np.array([0, NOBODY, 0, NOBODY, 3]))
    assert handovers_of(own) == [Handover(3 * S, 5 * S, 0, 3)]
    assert own.at(np.array([0, S, 2 * S + 1, 9 * S])).tolist() == [NOBODY, 0, NOBODY, 3]


def test_association_is_the_share_of_time_with_an_access_point(folder):
    # sta1 has one for 6 of 7 s from the first sample on, sta2 for 5.
    assert airtcp.number(folder, "associated_to") == pytest.approx((6 / 7 + 5 / 7) / 2)
    assert airtcp.number(folder, "associated_to", peer="ap2", node="sta1") == pytest.approx(3 / 7)
    assert airtcp.number(folder, "associated_to", peer="ap2", node="sta2") == 0
    assert airtcp.number(folder, "associated_to", across="least") == pytest.approx(5 / 7)


def test_the_figure_of_association_has_the_names_of_access_points(folder):
    panel = drawn(folder, "associated_to")
    assert panel.names == ("ap1", "ap2")
    first, second = panel.lines
    assert (first.label, first.times_s) == ("sta1", (1, 2, 3, 4, 5, 6, 7, 8))
    assert [value for value in first.values if not math.isnan(value)] == [0, 0, 0, 1, 1, 1, 1]
    assert math.isnan(first.values[3])
    assert (second.label, second.values[:5]) == ("sta2", (0, 0, 0, 0, 0))
    assert math.isnan(second.values[-1])


def test_a_station_that_never_had_an_access_point_counts(folder):
    file = folder / "series" / "stations.parquet"
    stations().filter(pl.col("nic") != STA2).write_parquet(file)
    assert airtcp.number(folder, "associated_to") == pytest.approx(6 / 7 / 2)
    assert airtcp.number(folder, "associated_to", node="sta2") == 0


def test_handovers_are_counted(folder):
    assert airtcp.number(folder, "handovers") == 1
    assert airtcp.number(folder, "handovers", node="sta2") == 0
    assert airtcp.number(folder, "handovers", skip="5.5 s") == 0
    first, second = drawn(folder, "handovers").lines
    assert first.values == (0, 0, 0, 0, 1, 1, 1, 1)
    assert set(second.values) == {0}


# End in ms, sender, receiver, kind, outcome.
PPDUS = (
    (2900, AP1, STA1, 0, 0),
    (3400, AP1, STA1, 0, 0),
    (3450, STA1, AP1, 0, 0),
    (3500, AP1, STA2, 0, 0),
    # Lost, and a frame of management.
    (3700, AP1, STA1, 0, 2),
    (4200, AP2, STA1, 7, 0),
    (4900, AP2, STA1, 0, 0),
    # What the old access point still has, on the same channel.
    (4950, AP1, STA1, 0, 0),
    (5100, AP2, STA1, 0, 0),
)


def write_ppdus(folder, ppdus=PPDUS):
    names = ("end_ns", "nic", "to", "kind", "outcome")
    made = [dict(zip(names, (row[0] * MS, *row[1:]), strict=True)) for row in ppdus]
    rows("ppdus", made).write_parquet(folder / "series" / "ppdus.parquet")


def test_the_gap_of_a_handover_is_from_the_last_arrival_to_the_first(folder):
    write_ppdus(folder)
    assert airtcp.number(folder, "handover_gap") == 1500
    assert airtcp.number(folder, "handover_gap", statistic="median") == 1500
    (points,) = drawn(folder, "handover_gap").lines
    assert (points.label, points.times_s, points.values) == ("sta1", (3.4,), (1500,))
    found = values(QUANTITIES["handover_gap"], RunView.of_metric(open_run(folder), MetricFile()))
    assert statistic(found["sta1"], "most").value == 1500


def test_a_handover_has_only_what_arrived_until_the_next_one():
    there_and_back = [Handover(2, 3, AP1, AP2), Handover(5, 6, AP2, AP1)]
    ends, senders = np.array([1, 4, 7]), np.array([AP1, AP2, AP1])
    assert [part.tolist() for part in gaps(there_and_back, ends, senders)] == [[1, 4], [3, 3]]
    # Nothing came from ap2.
    ends, senders = np.array([1, 7]), np.array([AP1, AP1])
    assert [part.tolist() for part in gaps(there_and_back, ends, senders)] == [[], []]


def test_no_handover_or_no_traffic_has_no_gap_and_says_so(folder):
    assert 'recorded no series "ppdus"; set ppdus = true in [sampling]' in why_not(folder, "handover_gap")
    write_ppdus(folder, PPDUS[:2])
    assert math.isnan(airtcp.number(folder, "handover_gap"))
    assert why_not(folder, "handover_gap") == "nothing in the run has it"
    with pytest.raises(NotRecorded, match='the run has no samples of "handover_gap"'):
        drawn(folder, "handover_gap")


def test_signal_is_of_each_radio_by_its_peer_while_it_is_there(folder):
    file = folder / "series" / "stations.parquet"
    # 0 before the first PPDU, then 10 dB weaker with each second.
    fading = pl.when(pl.col("time_ns") == S).then(0).otherwise(-10 * (pl.col("time_ns") // S))
    stations().with_columns(signal_dbm=fading).write_parquet(file)
    lines = {line.label: line for line in drawn(folder, "signal").lines}
    assert set(lines) == {
        "ap1 from sta1",
        "ap1 from sta2",
        "ap2 from sta1",
        "sta1 from ap1",
        "sta1 from ap2",
        "sta2 from ap1",
    }
    # sta1 is known to be with ap2 from 5 s on.
    at_ap1 = lines["ap1 from sta1"].values
    assert at_ap1[1:4] == (-20, -30, -40)
    assert len(at_ap1) == 5
    assert all(math.isnan(at_ap1[n]) for n in (0, 4))
    assert lines["sta1 from ap2"].values[-4:] == (-50, -60, -70, -80)
    # For a second each: -20, -30 by ap1, whose entry is gone after 3 s, and -50, -60, -70 by ap2.
    assert airtcp.number(folder, "signal", node="sta1") == pytest.approx(-230 / 5)
    assert airtcp.number(folder, "signal", node="ap2") == pytest.approx((-50 - 60 - 70) / 3)
    assert airtcp.number(folder, "signal", node="ap2", statistic="least") == -70


def test_the_phy_rate_of_a_real_network_is_that_of_station_dumps(folder, monkeypatch):
    file = folder / "series" / "stations.parquet"
    frame = stations().filter(pl.col("nic") != AP2)
    rates = frame.with_columns(tx_rate_bps=pl.lit(65_000_000), rx_rate_bps=pl.lit(26_000_000))
    rates.write_parquet(file)
    monkeypatch.setattr(Run, "measured", True)
    found = {line.label: set(line.values) for line in drawn(folder, "phy_rate").lines}
    # Nobody asked ap2: what it sent is known from its receiver.
    sent = ("ap1 to sta1", "ap1 to sta2", "sta1 to ap1", "sta1 to ap2", "sta2 to ap1")
    assert found == {**{name: {65.0} for name in sent}, "ap2 to sta1": {26.0}}


def test_runs_that_do_not_say_who_is_an_access_point_know_it_from_the_plan(folder):
    """Those of older versions, and real networks."""
    file = folder / "series" / "stations.parquet"
    said = [airtcp.number(folder, name) for name in ("associated_to", "handovers")]
    stations().drop("access_point").write_parquet(file)
    assert [airtcp.number(folder, name) for name in ("associated_to", "handovers")] == said


def test_radios_of_programs_say_themselves_with_which_access_point_they_are(tmp_path):
    """The plan calls all of them stations: ap1 and ap2 are access points because stations are with them, and
    the third radio, which is with nobody, is no station.
    """
    plan = dict(plan_of(SCENARIO))
    for nic in plan["air"]["nics"]:
        nic["role"] = "station"
    for cell in plan["air"]["cells"]:
        cell["linux"]["setup"] = "programs"
    folder = write_run_folder(tmp_path, plan)
    stations().filter(pl.col("nic") != STA2).write_parquet(folder / "series" / "stations.parquet")
    assert airtcp.number(folder, "associated_to") == pytest.approx(6 / 7)
    assert airtcp.number(folder, "associated_to", peer="ap2") == pytest.approx(3 / 7)
    assert airtcp.number(folder, "handovers") == 1
    assert drawn(folder, "associated_to").names == ("ap1", "ap2")


def write_peers(folder, name, **columns):
    """What ap1 has of sta1 in a series each second, to the end: it keeps the entry after 5 s."""
    made = [{"time_ns": s * S, "nic": AP1, "interface": 1, "peer": STA1, **columns} for s in range(1, 9)]
    rows(name, made).write_parquet(folder / "series" / f"{name}.parquet")


def test_the_queue_of_a_station_that_has_roamed_is_empty(folder):
    write_peers(folder, "station_queues", ac=1, backlog_packets=12, pending_us=3000)
    # From 1 s to 5 s of 7 s: afterwards the entry tells of nobody.
    assert airtcp.number(folder, "station_queue") == pytest.approx(12 * 4 / 7)
    assert airtcp.number(folder, "aql") == pytest.approx(3 * 4 / 7)
    (line,) = drawn(folder, "station_queue").lines
    assert line.values == (12, 12, 12, 12, 0)
    assert line.times_s[-1] == 5


def test_minstrels_best_rate_is_not_known_of_a_station_that_has_roamed(folder):
    write_peers(folder, "station_rates", chosen=1, rate_bps=65_000_000, probability_ppm=900_000)
    (line,) = drawn(folder, "minstrel_rate").lines
    assert line.values[:4] == (65, 65, 65, 65)
    assert all(math.isnan(value) for value in line.values[4:])
    assert airtcp.number(folder, "minstrel_rate") == 65
