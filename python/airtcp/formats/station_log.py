"""Statistics of stations that a program printed again and again: from dumps to what changed between them.

Each dump is of one instant. Its time is a line with seconds before it, as `date +%s.%N` prints them, or the
dumps have a fixed interval. Power and rates are of that instant, and hold until the next dump; counters say
what happened until then.
"""

import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from airtcp.errors import AirtcpError
from airtcp.formats.columns import STATIONS
from airtcp.formats.measurement import Measurement, damaged, frame_of
from airtcp.formats.text_file import damaged_line, text_of

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


def read_dumps(file: Path, content: bytes, begins: re.Pattern[str], read: DumpReader) -> list[Dump]:
    """All dumps of a log.

    `begins` matches the line with which a station begins, by which dumps without times are told apart: a dump
    ends before a station that it already has.
    """
    return [_read_dump(file, part, read) for part in _parts(file, content, begins)]


def told(dumps: list[Dump]) -> list[Dump]:
    """The dumps that say something: what stations there are, or a time at which there was none."""
    return [dump for dump in dumps if dump.stations or dump.time_s is not None]


def station_log(file: Path, name: str, dumps: list[Dump]) -> Measurement:
    """The frame `stations`; where dumps have no times these are null, and a warning says so."""
    known = told(dumps)
    untimed = all(dump.time_s is None for dump in known)
    if not untimed:
        set_times(file, known, None)
    first_s = 0.0 if untimed or not known else float(known[0].time_s or 0)
    rows = [
        {
            "time_ns": None if dump.time_s is None else round((dump.time_s - first_s) * 1e9),
            "dump": number,
            "station": address,
            **asdict(station),
        }
        for number, dump in enumerate(known)
        for address, station in dump.stations.items()
    ]
    if not rows:
        raise damaged(file, "it has no station")
    warnings = ("dumps have no times: print a line of seconds before each (date +%s.%N)",) if untimed else ()
    about = {"dumps": len(known), "unix_s": None if untimed else first_s}
    return Measurement(file, name, {"stations": frame_of(STATIONS, rows)}, about, warnings)


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


def set_times(file: Path, dumps: list[Dump], every_s: float | None) -> None:
    """Gives each dump its time; `every_s` is the interval of those without.

    Raises:
        AirtcpError: some have none, or times do not rise.
    """
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
