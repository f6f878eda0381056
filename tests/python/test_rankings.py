"""Rankings on the page of a report: what is ranked, by which test, and what is left out of it."""

from dataclasses import replace

import pytest
from airtcp.data.find_runs import find_runs
from airtcp.errors import AirtcpError
from airtcp.report.html.campaign import campaign_page
from airtcp.report.html.ranking_tables import METHOD, TOO_FEW
from airtcp.report.html.record import Record, doubts
from airtcp.report.html.runs import Runs
from airtcp.scenario.compile.compiler import compile_file
from conftest import SCENARIOS
from support.run_folder import Shape, write_run_folder

# Mbit/s of seeds 1 to 3. reno is ahead of cubic by 4, 5, 6, and cubic of vegas by 4, 3, 2.
RATES = {"vegas": (4.0, 5.0, 6.0), "cubic": (8.0, 8.0, 8.0), "reno": (12.0, 13.0, 14.0)}
EMPTY = Record("", "", "", 1, (), {}, {}, True, (), (), (), 1.0, 1.0, "")
KERNELS = ("6.1", "6.12", "6.6", "6.18")


def make_store(store, rates, kernels=("6.12",), **shape):
    plan = dict(compile_file(SCENARIOS / "first.toml"))
    for kernel in kernels:
        for cca, of_seeds in rates.items():
            for seed, rate in enumerate(of_seeds, 1):
                flow = {**plan["flows"][0], "congestion_control": cca}
                own = {**plan, "seed": seed, "flows": [flow], "kernel": kernel}
                write_run_folder(store, own, Shape(rate_mbps=rate, **shape))
    return store


def page_of(store, rank=""):
    with Runs.of(find_runs([store])) as runs:
        return campaign_page(runs, rank=rank)


def table_of(page, start):
    return next(table for table in page.tables if table.title.startswith(start))


def test_the_congestion_control_is_ranked_in_each_case(tmp_path):
    page = page_of(make_store(tmp_path, RATES, KERNELS))
    table = table_of(page, "cca ranked by Throughput [Mbit/s], highest first")
    # The method stands once on the page, not above each table.
    assert [note for note in page.notes if "at 5 %" in note] == [METHOD]
    assert "paired t tests" in METHOD
    assert "Holm's correction" in METHOD
    assert list(table.columns) == ["case", "cca", "rank", "mean", "letters", "seeds"]
    # p of reno and cubic: t = 5 sqrt(3) with 2 degrees of freedom, 0.0131, three times 0.039; of cubic and
    # vegas t = 3 sqrt(3), 0.0351; reno and vegas differ by 8 with every seed.
    assert [row[1:] for row in table.rows[:3]] == [
        ["reno", "1", "13.00", "a", "3"],
        ["cubic", "2", "8.00", "b", "3"],
        ["vegas", "3", "5.00", "c", "3"],
    ]
    assert {row[0] for row in table.rows[::3]} == {f"kernel {kernel}" for kernel in KERNELS}


def test_another_factor_is_ranked_if_asked(tmp_path):
    store = make_store(tmp_path, RATES, ("6.1", "6.12"))
    table = table_of(page_of(store, "kernel"), "kernel ranked by Throughput")
    assert {row[4] for row in table.rows} == {"a"}
    with pytest.raises(AirtcpError, match='the runs do not differ in "queue"'):
        page_of(store, "queue")


def test_seeds_that_not_all_have_are_said(tmp_path):
    page = page_of(make_store(tmp_path, {**RATES, "reno": (12.0, 13.0)}))
    rows = table_of(page, "cca ranked by Throughput").rows
    # Of two seeds no test says much: the order is that of the means.
    assert [row[1] for row in rows] == [row[3] for row in rows] == ["-", "-", "-"]
    assert {row[-1] for row in rows} == {"2"}
    assert TOO_FEW in page.notes
    assert METHOD not in page.notes
    assert "Ranking by Throughput: without seed 3, not run everywhere." in page.notes


def test_without_common_seeds_nothing_is_ranked(tmp_path):
    page = page_of(make_store(tmp_path, {**RATES, "bbr": (9.0,)}))
    assert not any("ranked" in table.title for table in page.tables)
    assert "Ranking by Throughput: none, for fewer than two seeds were run everywhere." in page.notes
    single = page_of(make_store(tmp_path / "single", {"bbr": (9.0,), "reno": (8.0,)}), "cca")
    assert "cca is not ranked: no case was run with two seeds." in single.notes


def test_doubtful_runs_are_marked(tmp_path):
    page = page_of(make_store(tmp_path, RATES, in_flight=5))
    assert [row[0] for row in table_of(page, "cca ranked by Throughput").rows] == [
        "reno *",
        "cubic *",
        "vegas *",
    ]


def test_the_command_takes_the_factor(tmp_path, airtcp):
    store = make_store(tmp_path / "runs", RATES)
    assert airtcp("report", str(store), "--rank", "cca").returncode == 0
    answer = airtcp("report", str(store), "--rank", "place")
    assert answer.returncode == 2
    assert "They differ in cca" in answer.stderr


def test_doubts_of_many_flows_are_put_together():
    """Of thirty stations nobody reads a paragraph; the numbers are in the tables of the run."""
    few = ("a: pacing 30% of the time", "b: send buffer 20% of the time")
    many = (*few, *(f"v{n}: TCP small queues {n}% of the time" for n in range(6)))
    assert doubts(replace(EMPTY, out_of_control=few)) == list(few)
    assert doubts(replace(EMPTY, out_of_control=many)) == [
        "pacing (a)",
        "send buffer (b)",
        "TCP small queues (v0, v1, v2 and 3 more)",
    ]
