"""The values of runs by the names that files have for them."""

from airtcp.quantities.registry import QUANTITIES
from airtcp.report.html.record import Record

# What is compared if nothing else is asked for and there are several cases.
USUAL = ("throughput", "rtt")
# In place of values: all that both sides have.
ALL_VALUES = "all"

# Other names of the same things, in files.
SAME = {
    "goodput_mbps": "throughput",
    "throughput_mbps": "throughput",
    "throughput_mean_mbps": "throughput",
    "goodput_mean_mbps": "throughput",
    "rtt_ms": "rtt",
    "rtt_mean_ms": "rtt",
    "ping_rtt_ms": "rtt",
    "srtt_ms": "srtt",
    "queueing_ms": "queueing_delay",
    "in_flight_segments": "inflight",
    "airtime_jain_index": "airtime_jain",
    "clients": "stations",
}
# Quantities that columns of files may be named by; a queue is rather a key.
IN_FILES = frozenset(QUANTITIES) - {"queue"}
# Values of predictions, which no report has.
BESIDE = {"rtt_p50_ms": "Ping RTT, median [ms]", "rtt_p95_ms": "Ping RTT, 95 % [ms]"}
# Of a value that is not a quantity of runs.
DIGITS = 3


def values_of(record: Record) -> dict[str, float]:
    """The numbers that a run has."""
    # nan is what a run has no number for.
    return {name: value for name, value in record.numbers.items() if value == value}


def label_of(value: str) -> str:
    """Name and unit for a table."""
    return QUANTITIES[value].label_with_unit if value in QUANTITIES else BESIDE.get(value, value)


def digits_of(value: str) -> int:
    """Digits after the point for a table."""
    return QUANTITIES[value].digits if value in QUANTITIES else DIGITS
