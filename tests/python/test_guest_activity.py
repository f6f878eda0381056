"""Whoever waits for a guest counts what that has computed, not how busy the machine is."""

import subprocess
import sys
import time

import pytest
from airtcp.execution.guest_activity import Patience, computed_s


@pytest.fixture
def process():
    """Starts a process by the source of a Python program."""
    started = []

    def start(source):
        started.append(subprocess.Popen([sys.executable, "-c", source]))
        return started[-1].pid

    yield start
    for each in started:
        each.kill()
        each.wait()


def lasts_s(patience, at_most_s):
    begin = time.monotonic()
    while not patience.is_over and time.monotonic() - begin < at_most_s:
        time.sleep(0.02)
    return time.monotonic() - begin


def test_who_computes_all_the_time_is_out_of_time(process):
    pid = process("while True: pass")
    assert lasts_s(Patience(pid, 0.3), 60) < 60
    assert computed_s(pid) >= 0.3


def test_who_gets_little_of_a_core_has_more_time(process):
    pid = process("import time\nwhile True: time.sleep(0.01)")
    time.sleep(1)
    assert lasts_s(Patience(pid, 1.0), 3) >= 3


def test_who_does_nothing_at_all_is_out_of_time(process):
    pid = process("import time; time.sleep(600)")
    time.sleep(2)
    assert lasts_s(Patience(pid, 0.3), 60) < 60


def test_nothing_is_shown_of_what_is_not_there():
    assert computed_s(2**22 + 1) is None
