"""`hostapd_cli all_sta`, again and again.

Each station is a line with its address, then `key=value`. Rates are in 100 kbit/s, with the MCS behind them:
`tx_rate_info=2340 vhtmcs 3 vhtnss 2`. Retries are not counted.
"""

import re
from pathlib import Path

from airtcp.formats.iw_station import MAC
from airtcp.formats.measurement import Measurement
from airtcp.formats.station_log import (
    Dump,
    NumberedLine,
    Station,
    first_lines,
    number,
    read_dumps,
    station_log,
    whole_number,
)
from airtcp.formats.text_file import damaged_line

FORMAT = "hostapd_cli all_sta"

_BEGINS = re.compile(rf"(?P<mac>{MAC})$")
_RATES = {"tx_rate_info": "tx_mbps", "rx_rate_info": "rx_mbps"}
_RATE_UNITS_PER_MBPS = 10


def is_hostapd_sta(content: bytes) -> bool:
    """Whether an address with the flags of hostapd below it is among the first lines."""
    return re.search(rf"^{MAC}\s*\n(flags=\[|aid=|signal=)", first_lines(content), re.MULTILINE) is not None


def hostapd_dumps(file: Path, content: bytes) -> list[Dump]:
    """What each dump says of each station."""
    return read_dumps(file, content, _BEGINS, _dump)


def read_hostapd_sta(file: Path, content: bytes) -> Measurement:
    """The frame `stations`: rate to and from each station, power from it."""
    return station_log(file, FORMAT, hostapd_dumps(file, content))


def _dump(file: Path, lines: list[NumberedLine]) -> dict[str, Station]:
    stations: dict[str, Station] = {}
    own: Station | None = None
    for line in lines:
        if _BEGINS.match(line[1]):
            own = stations[line[1].lower()] = Station()
            continue
        key, equals, value = line[1].partition("=")
        if line[1].startswith("Selected interface"):
            continue
        if not equals or own is None:
            raise damaged_line(file, line[0], "is neither an address nor key=value of a station")
        word = value.split(" ")[0]
        if key in _RATES:
            setattr(own, _RATES[key], number(file, line, word) / _RATE_UNITS_PER_MBPS)
        elif key == "signal":
            own.signal_dbm = number(file, line, word)
        elif key == "tx_packets":
            own.tx_packets = whole_number(file, line, word)
    return stations
