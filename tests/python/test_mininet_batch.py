"""Mininet in batch, without a guest: what is said while it goes on."""

import itertools

from airtcp.mininet.batch import LOOK_S, Slowness


def told(virtual_s):
    """What is said if these are the seconds of virtual time after each period."""
    said: list[str] = []
    clock = itertools.count(0, LOOK_S / 2)
    slowness = Slowness(said.append, lambda: next(clock))
    for instant_s in virtual_s:
        slowness.at(round(instant_s * 1e9))
    return said


def test_slow_virtual_time_is_explained_once():
    said = told([1.5 * n for n in range(1, 12)])
    assert len(said) == 1
    assert "through 3.0 s" in said[0]
    assert "--link-rate" in said[0]


def test_nothing_is_said_of_time_that_passes():
    assert told([30 * n for n in range(1, 12)]) == []


def test_time_that_becomes_slow_is_explained():
    assert len(told([100, 200, 300, 301, 302, 303, 304])) == 1
