"""Which of a run's series a figure shows: by value, from a made-up run (support/run_folder.py, support/figure_series.py)."""

import math
import tomllib

import numpy as np
import polars as pl
import pytest
from airtcp.data.run_folder import open_run
from airtcp.errors import AirtcpError
from airtcp.metrics.bins import grid_edges_ns
from airtcp.quantities import roaming
from airtcp.quantities.drawing import drawn_samples
from airtcp.quantities.entity import Entity, Kind
from airtcp.quantities.line import Join
from airtcp.quantities.quantity import Quantity
from airtcp.quantities.registry import QUANTITIES, drawn_together
from airtcp.quantities.run_view import RunView, nice_at_least
from airtcp.report.run.cdf import run_cdf
from airtcp.report.run.figure import ALL, run_chart
from airtcp.report.run.gantt import PPDUS_SHOWN, run_gantt
from airtcp.report.run.labels import run_labels
from airtcp.report.run.stacks import run_stack
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.reading.scenario_file import scenario_from_tables
from support import figure_series as made
from support.run_folder import Shape, write_run_folder
from support.wifi_scenarios import plan_of

S, MS = 1_000_000_000, 1_000_000
NOT_MADE = {"transfers", "datagrams", "tins", "dual_queues", "mptcp", "quic"}

SCENARIO = """
name = "made-up"
duration = "10 s"
[wifi.home]
stations = ["sta1"]
[[wire]]
between = ["ap1", "h1"]
rate = "10 Mbit/s"
delay = "5 ms"
[[flow]]
name = "first"
from = "sta1"
to = "h1"
cca = "bbr"
[[flow]]
name = "second"
from = "sta1"
to = "h1"
cca = "vegas"
start = "2 s"
[[flow]]
name = "third"
from = "sta1"
to = "h1"
cca = "dctcp"
start = "4 s"
[[ping]]
from = "sta1"
to = "h1"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A run with every series there is; nobody changes it."""
    plan = dict(plan_of(SCENARIO))
    return made.add_series(write_run_folder(tmp_path_factory.mktemp("runs"), plan))


@pytest.fixture
def view(folder):
    return RunView(open_run(folder))


def panel(view, name):
    (only,) = run_chart(view, [name]).panels
    return only


def lines(view, name):
    return {line.label: line for line in panel(view, name).lines}


def only(series):
    """In place of `RunView.has`: the run has this series and no other."""
    return lambda name, *_: name == series


def level(line):
    """The one value that a line has."""
    assert max(line.values) - min(line.values) < 1e-9
    return line.values[0]


def test_every_quantity_is_shown_at_once(view):
    chart = run_chart(view, [ALL])
    left_out = chart.caption.partition("left out: ")[2].partition(".")[0].split(", ")
    panels = chart.panels
    # The run has no transfers, datagrams, tins, DualPI2, connections of MPTCP or QUIC, and no station of mac80211; limits have a panel for
    # each flow.
    of_others = {name for name in drawn_together() if NOT_MADE & set(QUANTITIES[name].series)}
    # Its PPDUs are those of an older version, which did not count MPDUs.
    of_others.add("aggregate_size")
    assert len(panels) + len(left_out) == len(set(drawn_together()) - of_others - set(roaming.QUANTITIES)) + 2
    assert not any(label in panel.value_label for panel in panels for label in left_out)
    assert all(line.values for each in panels for line in each.lines)


def test_rates_are_means_over_bins(view):
    chart = run_chart(view, ["throughput"])
    first = chart.panels[0].lines[0]
    assert "Rates are means over 100 ms." in chart.caption
    assert (first.join, first.times_s[0], first.times_s[-1]) == (Join.SINCE, 0.0, 10.0)
    assert level(first) == pytest.approx(8.0)
    coarse = run_chart(RunView(view.run, bin_ns=2 * S), ["throughput"]).panels[0].lines[1]
    assert coarse.times_s == (2.0, 4.0, 6.0, 8.0, 10.0)


def test_bins_are_multiples_and_short_ends_join_their_neighbours():
    assert grid_edges_ns(0, 30, 10).tolist() == [0, 10, 20, 30]
    assert grid_edges_ns(3, 34, 10).tolist() == [3, 10, 20, 34]
    assert grid_edges_ns(7, 35, 10).tolist() == [7, 20, 30, 35]
    assert grid_edges_ns(5, 5, 10).tolist() == []
    assert [nice_at_least(number) for number in (0.1, 1, 1.1, 3, 7, 51)] == [1, 1, 2, 5, 10, 100]


def test_cwnd_is_that_of_every_ack_if_acks_were_recorded(view):
    every = panel(view, "cwnd").lines
    assert [line.label.split(" (")[0] for line in every[:2]] == ["first", "first ssthresh"]
    cwnd, threshold = every[:2]
    # what an ACK finds has been there since the one before
    assert (cwnd.join, len(cwnd.values), cwnd.values[:3]) == (Join.SINCE, 2000, (10.0, 11.0, 12.0))
    assert math.isnan(threshold.values[399])
    assert (threshold.values[400], threshold.dashed) == (205.0, True)


def test_cwnd_is_sampled_where_acks_were_not_recorded(run_folder):
    sampled = panel(RunView(open_run(run_folder)), "cwnd").lines
    assert (sampled[0].join, set(sampled[0].values), len(sampled[0].values)) == (Join.STRAIGHT, {20.0}, 100)


def test_queues_that_held_something_are_shown_once(view):
    # sta1's radio, and of netem over tbf over pfifo the innermost
    assert {name: set(line.values) for name, line in lines(view, "backlog").items()} == {
        "sta1 radio": {5.0},
        "ap1 eth0 pfifo": {float(made.BACKLOG)},
    }
    assert set(lines(view, "queue_kb")["ap1 eth0 pfifo"].values) == {1.5 * made.BACKLOG}
    assert level(lines(view, "drop_rate")["ap1 eth0 pfifo"]) == pytest.approx(10 * made.DROPS_PER_STEP)
    assert level(lines(view, "marks")["ap1 eth0 pfifo"]) == pytest.approx(10 * made.MARKS_PER_STEP)


def test_packets_that_wait_for_a_delay_are_no_queue(view, folder):
    frame = pl.read_parquet(folder / "series" / "qdiscs.parquet")
    delayed = (
        pl.when((pl.col("handle") == 1) & (pl.col("time_ns") == 0)).then(99).otherwise("backlog_packets")
    )
    view.run._series["qdiscs"] = frame.with_columns(delayed.cast(pl.UInt32).alias("backlog_packets"))
    assert set(lines(view, "backlog")) == {"sta1 radio", "ap1 eth0 pfifo"}


def test_a_parent_that_says_something_else_is_shown_too(view, folder):
    frame = pl.read_parquet(folder / "series" / "qdiscs.parquet")
    more = pl.when((pl.col("handle") == 1) & (pl.col("time_ns") == 0)).then(99).otherwise("backlog_packets")
    view.run._series["qdiscs"] = frame.with_columns(more.cast(pl.UInt32).alias("backlog_packets"))
    # It also sent packets that were in no class.
    view.run.agent["qdiscs"][0].update(kind="htb", packets=2)
    assert set(lines(view, "backlog")) == {"sta1 radio", "ap1 eth0 pfifo", "ap1 eth0 htb"}


def test_limits_are_shares_of_time_for_each_flow(view):
    panels = run_chart(view, ["limits"]).panels
    assert {each.value_label for each in panels} == {"Limits of the\nsender [%]"}
    assert [each.title for each in panels] == ["first (bbr) *", "second (vegas) *", "third (dctcp) *"]
    shares = {line.label: level(line) for line in panels[1].lines}
    assert shares["congestion window"] == pytest.approx(60.0)
    assert shares["application"] == pytest.approx(40.0)
    assert shares["pacing"] == 0.0


def test_delays_and_lost_packets(view):
    # every fiftieth is lost, and the last of them may have been on its way
    delays = lines(view, "delay")["first (bbr) *"]
    assert delays.values[:3] == pytest.approx((10.0, 11.0, 12.0))
    assert [math.isnan(value) for value in delays.values].count(True) == 9
    assert level(lines(view, "ack_delay")["first (bbr) *"]) == pytest.approx(made.ACK_DELAY_MS)
    (curves,) = run_cdf([view], ["delay"]).panels
    assert [(line.count, line.lost) for line in curves.lines] == [(490, 9), (392, 7), (294, 5)]


def test_a_distribution_has_the_unit_of_the_quantity(view):
    times, ns, open_end = np.array([1, 2]), np.array([2_000_000, 3_000_000]), np.array([False, True])
    read = [Entity("x", times, ns, at_least=open_end)]
    in_ms = Quantity("X", "ms", "x", entities=lambda _: read, kind=Kind.EVENT, scale=1e-6)
    (drawn,) = drawn_samples(in_ms, view)
    sample = drawn.values
    assert (sample.known.tolist(), sample.censored.tolist()) == ([2.0], [3.0])


def test_packets_on_their_way_at_the_end_are_not_lost(view, folder):
    frame = pl.read_parquet(folder / "series" / "delays.parquet")
    late = (pl.col("time_ns") >= 9 * S) & (pl.col("direction") == 0)
    delays = pl.when(late).then(-1).otherwise("delay_ns").alias("delay_ns")
    view.run._series["delays"] = frame.with_columns(delays)
    first = run_cdf([view], ["delay"]).panels[0].lines[0]
    # 450 packets entered before, and every fiftieth was lost; the last one may have been on its way
    assert (first.count, first.lost) == (441, 8)


def test_radios_links_and_internals(view):
    links = lines(view, "phy_rate")
    assert links["ap1 to sta1"].join is Join.UNTIL
    assert set(links["ap1 to sta1"].values) == {24.0, 36.0}
    assert level(lines(view, "link_airtime")["sta1 to ap1"]) == pytest.approx(40.0)
    assert level(lines(view, "retries")["sta1"]) == pytest.approx(20.0)
    assert level(lines(view, "bbr_bw")["first (bbr) *"]) == pytest.approx(made.BBR_MBPS)
    assert level(lines(view, "bbr_min_rtt")["first (bbr) *"]) == pytest.approx(made.BBR_MIN_RTT_MS)
    assert set(lines(view, "bbr_gains")["first cwnd gain"].values) == {2.0}
    assert level(lines(view, "vegas_rtt")["second least"]) == pytest.approx(made.VEGAS_LEAST_MS)
    assert set(lines(view, "dctcp_alpha")["third (dctcp) *"].values) == {made.ALPHA}


def test_without_links_a_radio_has_the_rate_of_its_last_ppdu(view):
    view.has = only("air")
    rates = lines(view, "phy_rate")["sta1"]
    assert math.isnan(rates.values[9])
    assert rates.values[10] == 54.0


def test_a_flow_out_of_control_is_marked(tmp_path):
    plan = dict(plan_of(SCENARIO))
    full = open_run(write_run_folder(tmp_path / "a", plan))
    held = open_run(write_run_folder(tmp_path / "b", plan, Shape(sndbuf_share=0.5)))
    assert not run_chart(RunView(full), ["throughput"]).caption.endswith("limited the flow.")
    chart = run_chart(RunView(held), ["throughput"])
    assert chart.panels[0].lines[0].label == "first (bbr) *"
    assert chart.caption.endswith("* The congestion control was not what limited the flow.")


def test_flows_and_times_are_chosen(view):
    chosen = RunView(view.run, 1 * S, 3 * S, flows=["f*", "third"])
    chart = run_chart(chosen, ["srtt"])
    # the third begins after the window
    assert [line.label for line in chart.panels[0].lines] == ["first (bbr) *"]
    assert (chart.start_s, chart.end_s) == (1.0, 3.0)
    with pytest.raises(AirtcpError, match='no samples of "dctcp_alpha" in this time'):
        run_chart(chosen, ["dctcp_alpha"])
    with pytest.raises(AirtcpError, match=r'no flow "fourth".*The run has first, second, third'):
        RunView(view.run, flows=["fourth"])
    with pytest.raises(AirtcpError, match="nothing is between 3 s and 2 s"):
        RunView(view.run, 3 * S, 2 * S)
    with pytest.raises(AirtcpError, match="150 ms is not a multiple of the 100 ms between samples"):
        run_chart(RunView(view.run, bin_ns=150 * MS), ["throughput"])


def test_rates_of_flows_stand_on_each_other(view):
    chart = run_stack(RunView(view.run, bin_ns=S))
    assert [layer.label for layer in chart.layers] == ["first (bbr) *", "second (vegas) *", "third (dctcp) *"]
    assert chart.edges_s == tuple(float(n) for n in range(11))
    assert chart.total_mbps == pytest.approx((8, 8, 16, 16, 24, 24, 24, 24, 24, 24))
    # before it begins, a flow has nothing
    assert set(run_stack(RunView(view.run, flows=["third"], stop_ns=2 * S)).total_mbps) == {0.0}


def test_ppdus_of_an_interval(view):
    chart = run_gantt(RunView(view.run, 3 * MS, 4 * MS))
    assert chart.lanes == ("ap1", "sta1")
    assert len(chart.ppdus) == len(made.EXCHANGE)
    beacon = chart.ppdus[6]
    assert (beacon.kind, beacon.to, beacon.start_ns) == ("beacon", None, 3 * MS + 720_000)
    lost = [ppdu.outcome for ppdu in chart.ppdus if ppdu.outcome != "received"]
    assert lost == ["collision", "collision", "corrupted"]


def test_without_an_interval_some_ppdus_are_shown(view):
    chart = run_gantt(RunView(view.run, 500 * MS), stop_given=False)
    assert (chart.start_ns, len(chart.ppdus)) == (500 * MS, PPDUS_SHOWN)
    chart = run_gantt(view, stop_given=False)
    assert (chart.start_ns, len(chart.ppdus)) == (5 * S, PPDUS_SHOWN)
    with pytest.raises(AirtcpError, match="no PPDU was on the air"):
        run_gantt(RunView(view.run, 5 * S + 2 * MS, 5 * S + 9 * MS))
    with pytest.raises(AirtcpError, match=r'17100 PPDUs are too many.*--from "0 s" --to "0.150'):
        run_gantt(view)


def test_several_runs_have_a_curve_each(tmp_path):
    runs = []
    for seed, rtt_ms in ((1, 20.0), (2, 30.0)):
        plan = dict(compile_scenario(scenario_from_tables({**tomllib.loads(SCENARIO), "seed": seed})))
        runs.append(RunView(open_run(write_run_folder(tmp_path, plan, Shape(rtt_ms=rtt_ms)))))
    (panel,) = run_cdf(runs, ["rtt"]).panels
    assert [(line.label, line.values, line.count, line.lost) for line in panel.lines] == [
        ("seed 1", (20.0,), 49, 1),
        ("seed 2", (30.0,), 49, 1),
    ]
    with pytest.raises(AirtcpError, match="the same run is given twice"):
        run_cdf([runs[0], runs[0]], ["rtt"])
    with pytest.raises(AirtcpError, match="shares of a whole, which have no distribution"):
        run_cdf(runs, ["limits"])


class Named:
    def __init__(self, name, cca="cubic", seed=1, run="r"):
        flows = [{"congestion_control": cca}]
        self.plan = {"name": name, "seed": seed, "kernel": "6.12", "flows": flows}
        self.name = run


@pytest.mark.parametrize(
    ("runs", "labels"),
    [
        ([Named("a-bbr-q20"), Named("a-reno-q20")], ["bbr", "reno"]),
        ([Named("a-bbr-q20"), Named("a-reno-q100")], ["bbr-q20", "reno-q100"]),
        ([Named("a"), Named("a-b")], ["a", "a-b"]),
        ([Named("a", "bbr"), Named("a", "reno")], ["bbr", "reno"]),
        ([Named("a", seed=1), Named("a", seed=2)], ["seed 1", "seed 2"]),
        (
            [Named("a", "bbr", 1), Named("a", "bbr", 2), Named("a", "reno", 1)],
            ["bbr, seed 1", "bbr, seed 2", "reno, seed 1"],
        ),
        ([Named("a", run="x"), Named("a", run="y")], ["x", "y"]),
    ],
)
def test_labels_say_what_differs(runs, labels):
    assert run_labels(runs) == labels


def test_old_runs_say_what_to_set(run_folder):
    view = RunView(open_run(run_folder))
    missing = {
        "delay": "delays = true",
        "marks": 'qdiscs = "100 ms"',
        "retries": 'air = "100 ms"',
        "link_airtime": 'air = "100 ms"',
    }
    for name, setting in missing.items():
        with pytest.raises(AirtcpError, match=rf"Set {setting} in \[sampling\] and run"):
            run_chart(view, [name])
    with pytest.raises(AirtcpError, match=r'recorded no series "ppdus"\. Set ppdus = true'):
        run_gantt(view)
    for name in ("limits", "bbr_bw"):
        with pytest.raises(AirtcpError, match=r"flows.parquet: has no column .*: an older version"):
            run_chart(view, [name])
    # what there is, is shown
    chart = run_chart(view, [ALL])
    # Fairness needs two flows, and this run has one.
    assert len(chart.panels) == 10
    assert "0 all the time and left out: " in chart.caption


def test_queues_of_a_run_without_samples_of_qdiscs_say_so(view):
    view.has = only("air")
    chart = run_chart(view, ["backlog"])
    assert [line.label for line in chart.panels[0].lines] == ["sta1 radio"]
    assert '"backlog" is without queueing disciplines, which were not sampled.' in chart.caption
