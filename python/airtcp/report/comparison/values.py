"""The values of runs by the names that files have for them."""

from airtcp.quantities.aliases import present_name
from airtcp.quantities.named_number import find_number
from airtcp.quantities.registry import QUANTITIES
from airtcp.report.html.record import Record

# What is compared if nothing else is asked for and there are several cases.
USUAL = ("throughput", "rtt")

# Former names that columns of files may have; others, as `rate` and `buffer`, may be names of keys.
_FORMER = (
    "goodput_mbps",
    "throughput_mbps",
    "rtt_ms",
    "srtt_ms",
    "queueing_ms",
    "in_flight_segments",
    "airtime_jain_index",
)
# Other names of the same things, in files.
SAME = {
    **{name: present_name(name) for name in _FORMER},
    "throughput_mean_mbps": "throughput",
    "goodput_mean_mbps": "throughput",
    "rtt_mean_ms": "rtt",
    "ping_rtt_ms": "rtt",
    "clients": "stations",
}
# Quantities that columns of files may be named by; a queue is rather a key.
IN_FILES = frozenset(QUANTITIES) - {"queue"}
# Of a value that is not a quantity of runs.
DIGITS = 3


def values_of(record: Record) -> dict[str, float]:
    """The numbers that a run has."""
    # nan is what a run has no number for.
    return {name: value for name, value in record.numbers.items() if value == value}


def label_of(value: str) -> str:
    """Name and unit for a table."""
    number = find_number(value)
    return value if number is None else number.label_with_unit


def name_of(value: str) -> str:
    """The name without a unit."""
    number = find_number(value)
    return value if number is None else number.label


def digits_of(value: str) -> int:
    """Digits after the point for a table."""
    number = find_number(value)
    return DIGITS if number is None else number.digits
