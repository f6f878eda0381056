"""Whatever measures time does so by clocks that nobody sets: the host's clock may jump while a run goes on."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# What reads the clock that people and NTP set.
SETTABLE = re.compile(
    r"time\.time(_ns)?\(|datetime\.(now|today|utcnow)\(|SystemTime|UNIX_EPOCH|CLOCK_REALTIME"
)
# These tell a date, the age of a folder, or what the clock of a real machine shows beside its other one, and measure nothing by it.
DATES = {
    "crates/agent/src/measure/journal.rs",
    "crates/plan/src/measurement.rs",
    "python/airtcp/cli/store.py",
    "python/airtcp/measurement/experiment.py",
    "python/airtcp/plans/types/messages.py",
    "python/airtcp/store/garbage.py",
}
SOURCES = sorted([*ROOT.glob("python/airtcp/**/*.py"), *ROOT.glob("crates/*/src/**/*.rs")])


def test_there_are_sources():
    assert len(SOURCES) > 400


@pytest.mark.parametrize("text", ["time.time()", "datetime.now(UTC)", "std::time::SystemTime::now()"])
def test_a_settable_clock_is_recognised(text):
    assert SETTABLE.search(text)


def test_nothing_measures_by_a_clock_that_can_be_set():
    found = {
        str(file.relative_to(ROOT)) for file in SOURCES if SETTABLE.search(file.read_text(encoding="utf-8"))
    }
    assert found <= DATES, found - DATES
