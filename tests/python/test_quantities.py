"""The registry of quantities: each name once and with one meaning, former names, and the nearest of a wrong one."""

from pathlib import Path

import pytest
from airtcp.data.series.catalogue import SERIES
from airtcp.errors import AirtcpError
from airtcp.quantities import registry
from airtcp.quantities.aliases import ALIASES
from airtcp.quantities.metric_file import MetricFile
from airtcp.quantities.reference import quantities_reference
from airtcp.quantities.registry import QUANTITIES, compared, drawn_together, quantity_named, quantity_of

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
    assert list(compared())[:2] == ["throughput", "rtt"]


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
