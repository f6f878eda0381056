"""`iw dev wlan0 station dump`, again and again."""

from pathlib import Path

from airtcp.formats.iw_station import BEGINS, values_of
from airtcp.formats.measurement import Measurement
from airtcp.formats.station_log import Dump, NumberedLine, Station, first_lines, read_dumps, station_log
from airtcp.formats.text_file import damaged_line

FORMAT = "iw station dump"

_COLUMNS = ("signal_dbm", "tx_packets", "tx_retries", "tx_failed")
_RATES = {"tx_rate_bps": "tx_mbps", "rx_rate_bps": "rx_mbps"}


def is_iw_station(content: bytes) -> bool:
    """Whether a line of iw about a station is among the first."""
    return BEGINS.search(first_lines(content)) is not None


def iw_dumps(file: Path, content: bytes) -> list[Dump]:
    """What each dump says of each station."""
    return read_dumps(file, content, BEGINS, _dump)


def read_iw_station(file: Path, content: bytes) -> Measurement:
    """The frame `stations`: rate to and from each station, power from it."""
    return station_log(file, FORMAT, iw_dumps(file, content))


def _dump(file: Path, lines: list[NumberedLine]) -> dict[str, Station]:
    stations: dict[str, Station] = {}
    own: Station | None = None
    for number, text in lines:
        if begins := BEGINS.match(text):
            own = stations[begins["mac"].lower()] = Station()
        elif own is None:
            raise damaged_line(file, number, "is before the first station, and no time")
        elif ":" in text:
            try:
                _take(own, values_of(text))
            except ValueError as error:
                raise damaged_line(file, number, str(error)) from None
        elif text.startswith("Station"):
            raise damaged_line(file, number, "is not a line of iw about a station")
    return stations


def _take(own: Station, values: dict[str, int]) -> None:
    for name, value in values.items():
        if name in _COLUMNS:
            setattr(own, name, value)
        elif name in _RATES:
            setattr(own, _RATES[name], value / 1e6)
