"""Files that Mininet-WiFi replays (`examples/replaying`): numbers in columns.

Bandwidth: `time Mbit/s`. RSSI: `time dBm`. Network conditions: `time bit/s loss latency delay`, loss in per
cent and times in milliseconds, as `tc` takes them. Mobility: `x y`, a line for each second at a speed of 1.
"""

from pathlib import Path

from airtcp.traces.numbers import check_range, check_rises, first_pairs, rises, rows
from airtcp.traces.recording import DELAY, LOSS, PLACE, RATE, RSSI, Recording

_METRES_MOST = 1e6


def is_rssi(content: bytes) -> bool:
    """Whether the first lines of a file are times that rise, and powers below 0 dBm."""
    pairs = first_pairs(content)
    return rises(pairs) and all(power < 0 for _, power in pairs)


def read_rssi(file: Path, content: bytes) -> list[Recording]:
    """Received power in dBm from each time on."""
    found = rows(file, content, (2,))
    check_rises(file, found)
    powers = [check_range(file, row, 1, -200, 60) for row in found]
    times = [row.numbers[0] - found[0].numbers[0] for row in found]
    return [Recording(file.stem, "link", times, {RSSI: list(powers)}, _end(times))]


def read_conditions(file: Path, content: bytes) -> list[Recording]:
    """Rate, loss and latency of each step; the last column is not replayed by Mininet-WiFi either."""
    found = rows(file, content, (4, 5))
    check_rises(file, found)
    columns = {
        RATE: [check_range(file, row, 1, 0, 1e11) / 1e6 for row in found],
        DELAY: [check_range(file, row, 3, 0, 600_000) for row in found],
        LOSS: [check_range(file, row, 2, 0, 100) / 100 for row in found],
    }
    times = [row.numbers[0] - found[0].numbers[0] for row in found]
    return [Recording(file.stem, "wire", times, {k: list(v) for k, v in columns.items()}, _end(times))]


def read_mobility(file: Path, content: bytes, every_s: float | None) -> list[Recording]:
    """The way of a node: each line is a place, `every_s` after the one before, by default a second."""
    found = rows(file, content, (2, 3))
    places = zip(
        *(
            [check_range(file, row, n, -_METRES_MOST, _METRES_MOST) for n in range(len(row.numbers))]
            for row in found
        ),
        strict=True,
    )
    columns = {name: list(values) for name, values in zip(PLACE, places, strict=False)}
    times = [number * (every_s or 1.0) for number in range(len(found))]
    return [Recording(file.stem, "way", times, dict(columns), times[-1])]


def _end(times: list[float]) -> float:
    """The last row is as long as the one before."""
    return times[-1] + (times[-1] - times[-2] if len(times) > 1 else 1.0)
