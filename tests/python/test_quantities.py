"""The registry of quantities: each name once and with one meaning, former names, and the nearest of a wrong one."""

from pathlib import Path

import numpy as np
import pytest
from airtcp.data.series.catalogue import SERIES
from airtcp.errors import AirtcpError
from airtcp.quantities import registry
from airtcp.quantities.aliases import ALIASES
from airtcp.quantities.metric_file import MetricFile
from airtcp.quantities.named_number import number, number_named, numbers_named
from airtcp.quantities.quantity import with_unit
from airtcp.quantities.reference import quantities_reference
from airtcp.quantities.registry import COMPARED, QUANTITIES, drawn_together, quantity_named, quantity_of
from airtcp.report.comparison.values import label_of, name_of

REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "quantities.md"


def test_the_reference_is_that_of_the_registry():
    text = REFERENCE.read_text(encoding="utf-8")
    assert text == quantities_reference(), (
        "run: python -m airtcp.quantities.reference > docs/reference/quantities.md"
    )


def test_no_name_is_given_twice():
    names = [name for topic in registry._TOPICS for name in topic.QUANTITIES]
    assert sorted(names) == sorted(QUANTITIES)
    assert not set(ALIASES) & set(QUANTITIES)


@pytest.mark.parametrize("name", QUANTITIES)
def test_a_quantity_has_a_meaning_and_what_does_not_follow_has_a_reason(name):
    quantity = QUANTITIES[name]
    own = quantity.override
    overrides = any((own.number, own.mean, own.values, own.drawn))
    assert bool(own.reason) == overrides
    assert quantity.entities is not None or own.number is not None
    assert quantity.meaning
    assert set(quantity.series) <= set(SERIES)


@pytest.mark.parametrize("former", ALIASES)
def test_a_former_name_stands_for_a_present_one(former):
    metric = MetricFile(of=former)
    now = ALIASES[former]
    assert metric.of == now.name
    assert {key: getattr(metric, key) for key in now.implied} == now.implied
    assert quantity_of(metric, "metric x") is quantity_named(former, "--what") is QUANTITIES[now.name]


def test_what_a_metric_says_itself_stands_before_what_a_former_name_implied():
    metric = MetricFile(of="rtt_least", statistic="p5")
    assert (metric.of, metric.statistic) == ("rtt", "p5")


def test_figures_of_everything_and_tables_of_runs_begin_with_what_applications_see():
    assert drawn_together()[:2] == ("throughput", "cwnd")
    assert COMPARED[:2] == ("throughput", "rtt")


@pytest.mark.parametrize(
    ("wrong", "nearest"),
    [
        ("thruput", "throughput"),
        ("goodputs", "throughput"),
        ("backlogs", "backlog"),
        ("in_flight", "inflight"),
        ("qdisc_packet", "queue"),
    ],
)
def test_a_wrong_name_is_answered_with_the_present_name_of_the_nearest(wrong, nearest):
    with pytest.raises(AirtcpError, match=f'there is no quantity "{wrong}". Did you mean "{nearest}"'):
        quantity_of(MetricFile(of=wrong), "metric x")
    with pytest.raises(AirtcpError, match=f'there is no quantity "{wrong}". Did you mean "{nearest}"'):
        quantity_named(wrong, "--what")


def test_a_label_is_of_one_quantity_and_stands_at_an_axis_as_in_a_table():
    labels = [one.label for one in QUANTITIES.values()]
    assert len(set(labels)) == len(labels)
    for one in QUANTITIES.values():
        assert one.label[0].isupper()
        lines = one.axis_label.split("\n")
        # As long as a panel of a figure is high.
        assert max(map(len, lines)) <= 18
        assert len(lines) <= 4
        assert " ".join(lines) == (with_unit(one.label, "%") if one.in_percent else one.label_with_unit)


@pytest.mark.parametrize("name", QUANTITIES)
def test_comparisons_and_predictions_pages_and_metrics_have_the_label_of_the_quantity(name):
    label = QUANTITIES[name].label_with_unit
    assert label_of(name) == number_named(name, "--values").label_with_unit == label
    assert name_of(name) == QUANTITIES[name].label


@pytest.mark.parametrize(
    ("name", "now", "label"),
    [
        ("goodput", "throughput", "Throughput [Mbit/s]"),
        ("rtt_p95_ms", "rtt_p95_ms", "p95 of RTT (ping) [ms]"),
        ("queue_most", "queue_most", "most of Waiting in qdiscs, most of flows [packets]"),
    ],
)
def test_a_former_name_with_more_than_a_quantity_stays_what_it_was(name, now, label):
    named = number_named(name, "--values")
    assert (named.name, named.label_with_unit) == (now, label)


def test_a_list_of_names_has_each_once_and_all_stands_for_those_of_reports():
    names = [one.name for one in numbers_named(["goodput", "throughput", "queue"], "--values")]
    assert names == ["throughput", "queue"]
    assert tuple(one.name for one in numbers_named(["all"], "--values")) == COMPARED
    with pytest.raises(AirtcpError, match=r'--values: there is no quantity "drop". Did you mean "drop_rate"'):
        numbers_named(["rtt", "drop"], "--values")


def test_of_one_flow_there_is_no_fairness(run_folder):
    """Neither in windows nor of the means; 1.000 would say that it is shared well."""
    assert np.isnan(number(run_folder, "jain", flows="sta1-h1"))
    assert np.isnan(number(run_folder, "jain_index", flows="sta1-h1"))
