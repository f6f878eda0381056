"""The registry of quantities: each name once and with one meaning, in forms that are told apart."""

from pathlib import Path

import pytest
from airtcp.data.series.catalogue import SERIES
from airtcp.errors import AirtcpError
from airtcp.quantities import registry
from airtcp.quantities.metric_file import MetricFile
from airtcp.quantities.reference import quantities_reference
from airtcp.quantities.registry import (
    QUANTITIES,
    drawing_of,
    drawn_quantities,
    metric_quantities,
    quantity_of,
    run_quantities,
)

REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "quantities.md"


def test_the_reference_is_that_of_the_registry():
    text = REFERENCE.read_text(encoding="utf-8")
    assert text == quantities_reference(), (
        "run: python -m airtcp.quantities.reference > docs/reference/quantities.md"
    )


def test_no_name_is_given_twice():
    names = [name for topic in registry._TOPICS for name in topic.QUANTITIES]
    assert sorted(names) == sorted(QUANTITIES)


@pytest.mark.parametrize("name", QUANTITIES)
def test_a_quantity_has_a_form_a_meaning_and_series_that_can_be_recorded(name):
    quantity = QUANTITIES[name]
    assert quantity.is_metric or quantity.of_run or quantity.drawing
    assert quantity.meaning
    assert set(quantity.series) <= set(SERIES)


def test_all_that_is_drawn_is_in_a_figure_of_everything_and_all_values_of_runs_in_tables():
    assert set(drawn_quantities()) == {name for name, one in QUANTITIES.items() if one.drawing}
    assert set(run_quantities()) == {name for name, one in QUANTITIES.items() if one.of_run}
    assert list(drawn_quantities())[:2] == ["rate", "cwnd"]
    assert list(run_quantities())[:2] == ["goodput_mbps", "rtt_ms"]


@pytest.mark.parametrize(("name", "now"), [("queue", "backlog"), ("drops", "drop_rate")])
def test_a_name_that_plots_had_for_something_else_names_the_new_one(name, now):
    assert name in metric_quantities()
    with pytest.raises(AirtcpError, match=f'"{name}" has no lines over time.*"{now}"'):
        drawing_of(name)


def test_what_is_only_drawn_is_no_metric():
    with pytest.raises(AirtcpError, match='"limits" cannot be a metric'):
        quantity_of(MetricFile(of="limits"), "metric x")
