"""Quantities as text."""

import pytest
from airtcp.scenario.keys.queue import read_queue
from airtcp.scenario.values import units
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("dimension", "text", "value"),
    [
        (units.TIME, "0.65 ms", 650_000),
        (units.TIME, "10s", 10_000_000_000),
        (units.TIME, "2 µs", 2_000),
        (units.TIME, "1 h", 3_600_000_000_000),
        (units.RATE, "10 Mbit/s", 10_000_000),
        (units.RATE, "1.5 Gbit/s", 1_500_000_000),
        (units.AMOUNT, "64 KiB", 65_536),
        (units.POWER, "-45 dBm", -45.0),
        (units.DISTANCE, "12.3 m", 12.3),
        (units.TIME, "1e3 ms", 1_000_000_000),
    ],
)
def test_text_is_read_exactly(dimension, text, value):
    assert dimension.read(text) == value


@pytest.mark.parametrize(
    ("dimension", "value", "message"),
    [
        (units.TIME, 10, "has no unit"),
        (units.TIME, "10", "has no unit"),
        (units.TIME, "-1 s", "is negative"),
        (units.TIME, "nan s", "is not a time"),
        (units.TIME, "inf s", "is not a time"),
        (units.TIME, "1e30 s", "out of range"),
        (units.TIME, "1e9999999 s", "is not a unit"),
        (units.TIME, "25 h", "out of range"),
        (units.TIME, "0.5 ns", "finer than 1 ns"),
        (units.TIME, "10 Mbit/s", '"Mbit/s" is not a unit of time'),
        (units.LENGTH_OF_TIME, "0 s", "out of range"),
        (units.RATE, "10 Mb", '"Mb" is not a unit of rate'),
        (units.RATE, "0 Mbit/s", "out of range"),
        (units.RATE, True, "has no unit"),
        (units.POWER, "100 dBm", "out of range"),
        (units.TIME, "", "is not a time"),
        (units.TIME, "s", "is not a time"),
        (units.TIME, "1 2 s", "is not a time"),
    ],
)
def test_nonsense_is_refused_by_name(dimension, value, message):
    with pytest.raises(ValueError, match="^.*" + message.replace("(", r"\(")):
        dimension.read(value)


@given(st.integers(min_value=0, max_value=int(units.TIME.most)))
def test_times_survive_being_written(ns):
    assert units.TIME.read(units.TIME.text(ns)) == ns


@given(st.integers(min_value=1000, max_value=int(units.RATE.most)))
def test_rates_survive_being_written(bps):
    assert units.RATE.read(units.RATE.text(bps)) == bps


@given(st.text(max_size=20))
def test_any_text_is_read_or_refused_never_crashes(text):
    for dimension in (units.TIME, units.RATE, units.POWER):
        try:
            dimension.read(text)
        except ValueError as error:
            assert str(error)  # noqa: PT017


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("100 packets", {"kind": "packets", "limit": 100}),
        ("1 packet", {"kind": "packets", "limit": 1}),
        ("64 kB", {"kind": "bytes", "limit": 64_000}),
        ("none", {"kind": "none"}),
        ("fq_codel target 5ms", {"kind": "tc", "args": ["fq_codel", "target", "5ms"]}),
    ],
)
def test_queues(text, plan):
    assert read_queue(text).plan == plan


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0 packets", "1 to 1000000"),
        ("-5 packets", "1 to 1000000"),
        ("1.5 packets", "1 to 1000000"),
        ("99999999 packets", "1 to 1000000"),
        ("5 GB", "less than 4 GiB"),
        ("fq_code", 'did you mean "fq_codel"'),
        ("frobnicate", "known: netem, tbf"),
        ("pfifo limit 5; reboot", "can't be a word"),
        ("", "is empty"),
        (100, "is not a queue"),
    ],
)
def test_impossible_queues(text, message):
    with pytest.raises(ValueError, match=message):
        read_queue(text)
