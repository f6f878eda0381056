"""Traces of mahimahi (`mm-link`): a line for each opportunity to deliver 1500 bytes, its time in ms.

Format: mm-link(1). Times do not fall, several opportunities may have one time, and the trace starts again at
the time of its last line.
"""

from itertools import pairwise
from pathlib import Path

from airtcp.formats.text_file import damaged_line
from airtcp.traces.numbers import check_range, rows
from airtcp.traces.recording import RATE, Recording

# An opportunity carries a packet of 1500 bytes: 1514 on a wire, whose rate counts Ethernet headers.
_FRAME_BITS = 1514 * 8
_MS_PER_S = 1000
# A day.
_TIME_MOST_MS = 86_400_000.0


def is_mahimahi(content: bytes) -> bool:
    """Whether a file begins with whole numbers, one a line, that do not fall."""
    lines = content[:4_000].split(b"\n")[:-1][:50]
    if not lines or not all(line.strip().isdigit() for line in lines):
        return False
    return all(int(a) <= int(b) for a, b in pairwise(lines))


def read_mahimahi(file: Path, content: bytes) -> list[Recording]:
    """The rate of each millisecond; what was delivered at `t` ms is sent from `t - 1` ms on."""
    found = rows(file, content, (1,))
    counts: dict[int, int] = {}
    before = 0.0
    for row in found:
        time_ms = check_range(file, row, 0, 0, _TIME_MOST_MS)
        if time_ms != int(time_ms):
            raise damaged_line(file, row.line, "is no whole number of milliseconds")
        if time_ms < before:
            raise damaged_line(file, row.line, "has a time that falls")
        before = time_ms
        # An opportunity at 0 is for what waits then; the next one is at least a millisecond away.
        begins = max(0, int(time_ms) - 1)
        counts[begins] = counts.get(begins, 0) + 1
    end_ms = int(found[-1].numbers[0])
    if end_ms == 0:
        raise damaged_line(
            file, found[-1].line, "is the last one, and at 0 ms: the trace would have no length"
        )
    times, rates = _steps(counts)
    name = file.stem
    return [Recording(name, "wire", times, {RATE: rates}, end_ms / _MS_PER_S)]


def _steps(counts: dict[int, int]) -> tuple[list[float], list[float | None]]:
    """Times in seconds and rates, where the rate changes."""
    times: list[float] = []
    rates: list[float | None] = []
    expected = 0
    for begins in sorted(counts):
        if begins > expected or not times:
            _append(times, rates, expected, 0 if begins > expected else counts[begins])
        _append(times, rates, begins, counts[begins])
        expected = begins + 1
    return times, rates


def _append(times: list[float], rates: list[float | None], begins_ms: int, count: int) -> None:
    rate = count * _FRAME_BITS * _MS_PER_S / 1e6
    if rates and rates[-1] == rate:
        return
    times.append(begins_ms / _MS_PER_S)
    rates.append(rate)
