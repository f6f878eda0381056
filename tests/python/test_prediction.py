"""Parts of measured runs, settings, and the ratios of a prediction in the form of table 4 of aoyagi2023."""

import pytest
from airtcp.errors import AirtcpError
from airtcp.fitting.parts import parted, parts_of
from airtcp.fitting.prediction import VALUES, _prepared
from airtcp.fitting.settings import settings_of
from airtcp.fitting.statistics import floor_of, numbers_of
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


def test_repetitions_are_numbered_and_have_quantiles(store):
    sides = RunSides()
    side = _prepared(sides.side(store, sides.read(store), made=True), first=7)
    assert [row.seed for row in side.rows] == [7, 8, 9, 10, 11]
    assert {"rtt_p50_ms", "rtt_p95_ms"} <= set(side.values) & set(VALUES)


def test_ratios_stand_side_by_side_as_in_table_4():
    side = file_side(TABLE_4)
    found = compare_sides(side, side)
    table = ratio_matrix(found)
    assert table.columns[0] == "cca"
    assert len(table.rows) == 14
    # Two values for each of two queues.
    assert len(table.columns) == 5
    assert set(table.rows[0][1:]) == {"1.000"}
