"""Statistics of stations that a program printed again and again: from dumps to what changed between them.

Each dump is of one instant. Its time is a line with seconds before it, as `date +%s.%N` prints them, or the
dumps have a fixed interval. Power and rates are of that instant, and hold until the next dump; counters say
what happened until then.
"""

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from airtcp.errors import AirtcpError
from airtcp.traces.numbers import text_of
from airtcp.traces.recording import LOSS, RATE, RSSI, Recording, Values, damaged_line

_TIME = re.compile(r"\d{1,12}(\.\d+)?")


@dataclass
class Station:
    """What a dump says of one station: dBm, Mbit/s, counters since it came; `None` where it says nothing."""

    signal_dbm: float | None = None
    tx_mbps: float | None = None
    rx_mbps: float | None = None
    tx_packets: int | None = None
    tx_retries: int | None = None
    tx_failed: int | None = None


@dataclass
class Dump:
    """One instant: stations by their address, and the line in which it begins."""

    line: int
    time_s: float | None = None
    stations: dict[str, Station] = field(default_factory=dict)


NumberedLine = tuple[int, str]
# Reads the lines of one dump.
DumpReader = Callable[[Path, list[NumberedLine]], dict[str, Station]]


# A file is recognised by its first lines.
_RECOGNISED_BYTES = 4_000


def first_lines(content: bytes) -> str:
    """The text by which a log is recognised."""
    return content[:_RECOGNISED_BYTES].decode("utf-8", "replace")


def read_log(
    file: Path, content: bytes, begins: re.Pattern[str], read: DumpReader, every_s: float | None
) -> list[Recording]:
    """Two recordings for each station, from it and to it.

    `begins` matches the line with which a station begins, by which dumps without times are told apart: a dump
    ends before a station that it already has.
    """
    dumps = [_read_dump(file, part, read) for part in _parts(file, content, begins)]
    return recordings(file, dumps, every_s)


def recordings(file: Path, dumps: list[Dump], every_s: float | None) -> list[Recording]:
    """Two recordings for each station of the dumps, from it and to it."""
    dumps = [dump for dump in dumps if dump.stations or dump.time_s is not None]
    if len(dumps) < 2:
        what = "has one dump of stations, and a trace needs several"
        raise AirtcpError(what, str(file), "Print them again and again, each with its time")
    _set_times(file, dumps, every_s)
    addresses = sorted({address for dump in dumps for address in dump.stations})
    return [made for address in addresses for made in _of_station(dumps, address)]


@dataclass
class _Part:
    time_s: float | None
    lines: list[NumberedLine]


def _parts(file: Path, content: bytes, begins: re.Pattern[str]) -> list[_Part]:
    """The lines of each dump."""
    parts = [_Part(None, [])]
    seen: set[str] = set()
    for number, line in enumerate(text_of(file, content).splitlines(), start=1):
        text = line.strip()
        if _TIME.fullmatch(text):
            parts.append(_Part(float(text), []))
            seen.clear()
            continue
        if match := begins.match(text):
            address = match["mac"].lower()
            if address in seen:
                if parts[-1].time_s is not None:
                    raise damaged_line(file, number, f"is the second one about {address} at one time")
                parts.append(_Part(None, []))
                seen.clear()
            seen.add(address)
        parts[-1].lines.append((number, text))
    return parts


def _read_dump(file: Path, part: _Part, read: DumpReader) -> Dump:
    lines = [each for each in part.lines if each[1]]
    return Dump(lines[0][0] if lines else 1, part.time_s, read(file, lines) if lines else {})


def _set_times(file: Path, dumps: list[Dump], every_s: float | None) -> None:
    if all(dump.time_s is None for dump in dumps):
        if every_s is None:
            remedy = "Print a line of seconds before each (date +%s.%N), or give their interval with --every"
            raise AirtcpError("has no times", str(file), remedy)
        for number, dump in enumerate(dumps):
            dump.time_s = number * every_s
        return
    for before, dump in zip([None, *dumps], dumps, strict=False):
        if dump.time_s is None:
            raise damaged_line(file, dump.line, "begins a dump without a time, and others have one")
        if before is not None and before.time_s is not None and dump.time_s <= before.time_s:
            raise damaged_line(file, dump.line, "is after a time that does not rise")


def _of_station(dumps: list[Dump], address: str) -> list[Recording]:
    seen = [(float(dump.time_s or 0), dump.stations.get(address)) for dump in dumps]
    first_s = seen[0][0]
    times = [time_s - first_s for time_s, _ in seen[:-1]]
    end_s = seen[-1][0] - first_s
    pairs = [(now, later) for (_, now), (_, later) in itertools.pairwise(seen)]
    to: dict[str, Values] = {
        RATE: [now.tx_mbps if now else None for now, _ in pairs],
        LOSS: [_loss(now, later) for now, later in pairs],
    }
    from_: dict[str, Values] = {
        RSSI: [now.signal_dbm if now else None for now, _ in pairs],
        RATE: [now.rx_mbps if now else None for now, _ in pairs],
    }
    both = ((f"to {address}", to), (f"from {address}", from_))
    known = (
        (name, {k: v for k, v in columns.items() if any(x is not None for x in v)}) for name, columns in both
    )
    return [Recording(name, "link", times, columns, end_s) for name, columns in known if columns]


def _loss(now: Station | None, later: Station | None) -> float | None:
    """Share of the transmissions of frames that were not acknowledged, between two dumps.

    A frame that was given up had one more unsuccessful transmission than retries. `None` if nothing was sent,
    if it is not counted, or if the counters began again.
    """
    counts = ("tx_packets", "tx_retries", "tx_failed")
    before = [getattr(now, name, None) for name in counts]
    after = [getattr(later, name, None) for name in counts]
    if None in (before[0], before[1], after[0], after[1]):
        return None
    packets, retries, failed = (int(b or 0) - int(a or 0) for a, b in zip(before, after, strict=True))
    if min(packets, retries, failed) < 0 or packets + retries == 0:
        return None
    return min(1.0, (retries + failed) / (packets + retries))


def whole_number(file: Path, line: NumberedLine, text: str) -> int:
    """A counter; anything else is an `AirtcpError` that names the line."""
    if not re.fullmatch(r"\d{1,20}", text):
        raise damaged_line(file, line[0], f'has "{text}" where a count is expected')
    return int(text)


def number(file: Path, line: NumberedLine, text: str) -> float:
    """A number with or without a fraction; anything else is an `AirtcpError` that names the line."""
    if not re.fullmatch(r"-?\d{1,9}(\.\d{1,9})?", text):
        raise damaged_line(file, line[0], f'has "{text}" where a number is expected')
    return float(text)
