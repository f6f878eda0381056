"""Parts of measured runs, settings, and the ratios of a prediction in the form of table 4 of aoyagi2023."""

import math
import re

import airtcp
import pytest
from airtcp.errors import AirtcpError
from airtcp.fitting.measured import measured_of
from airtcp.fitting.parts import parted, parts_of
from airtcp.fitting.prediction import VALUES, Question, _numbered, predict
from airtcp.fitting.settings import settings_of
from airtcp.fitting.statistics import floor_of, is_count, numbers_of
from airtcp.quantities.named_number import numbers_named
from airtcp.report.comparison.comparison import compare_sides
from airtcp.report.comparison.files import file_side
from airtcp.report.comparison.runs import RunSides
from airtcp.report.comparison.tables import ratio_matrix
from test_compare import TABLE_4, make_store


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    rates = {"cubic": (8.0, 9.0), "vegas": (5.0, 5.1), "reno": (7.0,)}
    return make_store(tmp_path_factory.mktemp("measured") / "lab", rates)


def test_runs_of_one_plan_but_for_the_seed_are_repetitions(store):
    settings = settings_of([store])
    assert sorted((setting.label, len(setting.folders)) for setting in settings) == [
        ("cubic", 2),
        ("reno", 1),
        ("vegas", 2),
    ]


def test_a_part_is_chosen_by_the_keys_of_compare(store):
    parts = parts_of([store], {"cca": "cubic"}, "--where")
    assert (len(parts.chosen), len(parts.rest)) == (2, 3)
    assert not set(parts.chosen) & set(parts.rest)


@pytest.mark.parametrize(
    ("keys", "what"), [({"queue": "5"}, 'has no key "queue"'), ({"cca": "bbr"}, "no result has cca bbr")]
)
def test_a_part_that_is_not_there_is_refused(store, keys, what):
    with pytest.raises(AirtcpError, match=what):
        parts_of([store], keys, "--fit-on")


def test_something_must_be_left_to_predict(store):
    parts = parts_of([store], {"cca": "reno"}, "--where")
    with pytest.raises(AirtcpError, match="leaves nothing to predict"):
        parted(parts.chosen, {"cca": "reno"}, "--fit-on")


def test_statistics_are_logarithms_of_what_runs_show(store):
    (folder,) = parts_of([store], {"cca": "reno"}, "--where").chosen
    numbers = numbers_of(folder)
    flow, ping = "sta1-h1", "sta1-h1"
    assert (
        numbers[f"least RTT of {flow}"] <= numbers[f"srtt 10 % of {flow}"] <= numbers[f"srtt 90 % of {flow}"]
    )
    assert numbers[f"retransmissions of {flow}"] == pytest.approx(2 * 0.375**0.5)
    assert floor_of(f"lost pings of {ping}") > floor_of(f"goodput of {flow}")


def test_a_quantity_is_one_more_statistic(store):
    (folder,) = parts_of([store], {"cca": "reno"}, "--where").chosen
    asked = numbers_named(["rtt_p95_ms", "timeouts", "queue"], "--values")
    more = {
        name: value for name, value in numbers_of(folder, asked).items() if name not in numbers_of(folder)
    }
    p95 = airtcp.number(folder, "rtt", statistic="p95")
    # A count as such, what the run did not record not at all.
    assert more == pytest.approx({"p95 of RTT (ping)": math.log(p95), "Timeouts": 2 * 0.375**0.5})
    assert (is_count("Timeouts"), is_count("p95 of RTT (ping)")) == (True, False)
    assert numbers_of(folder, ()) == numbers_of(folder)


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("queue", '"queue" can\'t be compared: the run recorded no series "qdiscs"; set qdiscs = "100 ms"'),
        ("page_time", '"page_time" can\'t be compared: nothing in the run has it'),
        ("jain_index", '"jain_index" can\'t be compared: it is not defined for this run'),
    ],
)
def test_what_no_measured_run_has_is_no_statistic_and_not_predicted(store, value, why):
    with pytest.raises(AirtcpError, match=re.escape(why)):
        measured_of(settings_of([store]), numbers_named([value], "--values"))
    with pytest.raises(AirtcpError, match=re.escape(why)):
        predict(None, [store], None, Question(1, [value]))


def test_repetitions_are_numbered_and_have_quantiles(store):
    sides = RunSides(VALUES)
    side = _numbered(sides.side(store, sides.read(store), made=True), first=7)
    assert [row.seed for row in side.rows] == [7, 8, 9, 10, 11]
    assert {"rtt_p50_ms", "rtt_p95_ms"} <= set(side.values) & set(VALUES)
    for row in side.rows:
        # As every percentile on a screen: what had no answer counts.
        assert row.values["rtt_p95_ms"] == airtcp.number(row.place, "rtt", statistic="p95")


def test_ratios_stand_side_by_side_as_in_table_4():
    side = file_side(TABLE_4)
    found = compare_sides(side, side)
    table = ratio_matrix(found)
    assert table.columns[0] == "cca"
    assert len(table.rows) == 14
    # Two values for each of two queues.
    assert len(table.columns) == 5
    assert set(table.rows[0][1:]) == {"1.000"}
