"""Traces of hkust-spark/SparkTraces: a line for each step.

Formats (its README): `time bandwidth` with seconds and Mbit/s (PiTree, Zhuge), and
`time bandwidth RTT loss` with milliseconds and a share (Hairpin), the RTT as `14.0ms`.
"""

import itertools
import re
from itertools import pairwise
from pathlib import Path

from airtcp.formats.rates_csv import read_rates_csv
from airtcp.formats.text_file import damaged_line
from airtcp.traces.numbers import Row, check_range, check_rises, first_pairs, rises, rows
from airtcp.traces.recording import DELAY, LOSS, RATE, Recording, Values

_HAIRPIN = re.compile(rb"\d+(\.\d+)?\s+\d+(\.\d+)?\s+\d+(\.\d+)?ms\s+-?[\d.]+\s*$")
_RATE_MOST_MBPS, _RTT_MOST_MS = 100_000.0, 600_000.0


def is_hairpin(content: bytes) -> bool:
    """Whether the first line of a file has a time, a rate, an RTT with its unit, and a loss."""
    return _HAIRPIN.match(content[:400].split(b"\n")[0].strip()) is not None


def read_hairpin(file: Path, content: bytes) -> list[Recording]:
    """Rate, half of the RTT as delay, and loss of one direction; of the other the other half alone."""
    found = rows(file, content, (4,), units=("ms",))
    check_rises(file, found)
    rates = [check_range(file, row, 1, 0, _RATE_MOST_MBPS) for row in found]
    delays = [check_range(file, row, 2, 0, _RTT_MOST_MS) / 2 for row in found]
    # Packets that come late make up for some that were counted as lost before: then the loss is negative.
    losses = [check_range(file, row, 3, -1, 1) for row in found]
    late = sum(loss < 0 for loss in losses)
    times, end_s = _times(file, found)
    there: dict[str, Values] = {
        RATE: list(rates),
        DELAY: list(delays),
        LOSS: [max(0.0, loss) for loss in losses],
    }
    notes = ["the delay is half of the RTT, which contains what waited in queues"]
    if late:
        notes.append(f"the loss is negative in {late} rows, and 0 here: packets came late")
    return [
        Recording(file.stem, "wire", times, there, end_s, tuple(notes)),
        Recording(f"{file.stem}-back", "wire", times, {DELAY: list(delays)}, end_s),
    ]


def is_rates(content: bytes) -> bool:
    """Whether the first lines of a file are times that rise and rates, which do not only rise or fall."""
    pairs = first_pairs(content)
    changes = [later[1] - before[1] for before, later in pairwise(pairs)]
    return rises(pairs) and all(rate >= 0 for _, rate in pairs) and min(changes, default=0) < 0 < max(changes)


def read_rates(file: Path, content: bytes) -> list[Recording]:
    """The rate of each step, from its time until the next."""
    found = rows(file, content, (2,))
    check_rises(file, found)
    rates = [check_range(file, row, 1, 0, _RATE_MOST_MBPS) for row in found]
    times, end_s = _times(file, found)
    return [Recording(file.stem, "wire", times, {RATE: list(rates)}, end_s)]


def read_rates_with_units(file: Path, content: bytes) -> list[Recording]:
    """The rates of a CSV file whose first line has their unit."""
    frame = read_rates_csv(file, content).frame("rates")
    times = [time_ns / 1e9 for time_ns in frame["time_ns"].to_list()]
    rates: Values = [rate / 1e6 for rate in frame["rate_bps"].to_list()]
    steps = sorted(b - a for a, b in itertools.pairwise(times))
    return [Recording(file.stem, "wire", times, {RATE: rates}, times[-1] + steps[len(steps) // 2])]


def _times(file: Path, found: list[Row]) -> tuple[list[float], float]:
    """Times from the first on, and the end: a usual step after the last."""
    if len(found) < 2:
        raise damaged_line(file, found[0].line, "is the only one: a step has no length")
    first = found[0].numbers[0]
    times = [row.numbers[0] - first for row in found]
    steps = sorted(b - a for a, b in itertools.pairwise(times))
    return times, times[-1] + steps[len(steps) // 2]
