"""`iw dev wlan0 station dump`, again and again."""

import re
from pathlib import Path

from airtcp.traces.recording import Recording, damaged_line
from airtcp.traces.station_log import MAC, NumberedLine, Station, first_lines, number, read_log, whole_number

_BEGINS = re.compile(rf"Station (?P<mac>{MAC}) \(on [^)]+\)")
_COUNTS = {"tx packets": "tx_packets", "tx retries": "tx_retries", "tx failed": "tx_failed"}
_RATES = {"tx bitrate": "tx_mbps", "rx bitrate": "rx_mbps"}
_FIRST = re.compile(r"\S+")


def is_iw_station(content: bytes) -> bool:
    """Whether a line of iw about a station is among the first."""
    return _BEGINS.search(first_lines(content)) is not None


def read_iw_station(file: Path, content: bytes, every_s: float | None) -> list[Recording]:
    """Rate and loss to each station, power and rate from it."""
    return read_log(file, content, _BEGINS, _dump, every_s)


def _dump(file: Path, lines: list[NumberedLine]) -> dict[str, Station]:
    stations: dict[str, Station] = {}
    own: Station | None = None
    for line in lines:
        if begins := _BEGINS.match(line[1]):
            own = stations[begins["mac"].lower()] = Station()
        elif own is None:
            raise damaged_line(file, line[0], "is before the first station, and no time")
        elif ":" in line[1]:
            _take(file, line, own)
        elif line[1].startswith("Station"):
            raise damaged_line(file, line[0], "is not a line of iw about a station")
    return stations


def _take(file: Path, line: NumberedLine, own: Station) -> None:
    key, _, rest = line[1].partition(":")
    words = _FIRST.findall(rest)
    if key in _COUNTS:
        setattr(own, _COUNTS[key], whole_number(file, line, words[0] if words else ""))
    elif key in _RATES:
        # Some drivers do not know it: "(unknown)".
        if words and words[0] != "(unknown)":
            setattr(own, _RATES[key], number(file, line, words[0]))
    elif key == "signal":
        own.signal_dbm = number(file, line, words[0] if words else "")
