"""The values of runs by the names that files have for them."""

from airtcp.report.html.groups import MEASURES, Measure
from airtcp.report.html.record import Record

MEASURED: dict[str, Measure] = {measure.key: measure for measure in MEASURES}
# What is compared if nothing else is asked for and there are several cases.
USUAL = ("goodput_mbps", "rtt_ms")
# In place of values: all that both sides have.
ALL_VALUES = "all"

# Other names of the same things, in files.
SAME = {
    "throughput_mbps": "goodput_mbps",
    "throughput_mean_mbps": "goodput_mbps",
    "goodput_mean_mbps": "goodput_mbps",
    "rtt_mean_ms": "rtt_ms",
    "ping_rtt_ms": "rtt_ms",
    "clients": "stations",
}
# Values of predictions, which no report has.
BESIDE = {"rtt_p50_ms": "Ping RTT, median [ms]", "rtt_p95_ms": "Ping RTT, 95 % [ms]"}
# Of a value that is not a quantity of runs.
DIGITS = 3


def values_of(record: Record) -> dict[str, float]:
    """The numbers that a run has."""
    found = {name: measure.value(record) for name, measure in MEASURED.items()}
    # nan is what a run has no number for.
    return {name: value for name, value in found.items() if value == value}


def label_of(value: str) -> str:
    """Name and unit for a table."""
    return MEASURED[value].label if value in MEASURED else BESIDE.get(value, value)


def digits_of(value: str) -> int:
    """Digits after the point for a table."""
    return MEASURED[value].quantity.digits if value in MEASURED else DIGITS
