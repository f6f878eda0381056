"""`iwinfo wlan0 assoclist` of OpenWrt, again and again.

68:2F:67:8B:98:ED  -49 dBm / -95 dBm (SNR 46)  210 ms ago
        RX: 72.2 MBit/s, MCS 7, 20MHz                  1200 Pkts.
        TX: 135.0 MBit/s, MCS 6, 40MHz                  900 Pkts.
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
)
from airtcp.formats.text_file import damaged_line

FORMAT = "iwinfo assoclist"

_BEGINS = re.compile(rf"(?P<mac>{MAC}) +(?P<signal>-?\d+ dBm|unknown) / (-?\d+ dBm|unknown) \(SNR [^)]*\)")
_RATE = re.compile(r"(?P<way>RX|TX): +(?P<rate>\S+)( MBit/s)?")
_NOTHING = ("No station connected", "expected throughput:", "no information available")


def is_iwinfo(content: bytes) -> bool:
    """Whether a line of iwinfo about a station is among the first."""
    return _BEGINS.search(first_lines(content)) is not None


def iwinfo_dumps(file: Path, content: bytes) -> list[Dump]:
    """What each dump says of each station."""
    return read_dumps(file, content, _BEGINS, _dump)


def read_iwinfo(file: Path, content: bytes) -> Measurement:
    """The frame `stations`: rate to and from each station, power from it."""
    return station_log(file, FORMAT, iwinfo_dumps(file, content))


def _dump(file: Path, lines: list[NumberedLine]) -> dict[str, Station]:
    stations: dict[str, Station] = {}
    own: Station | None = None
    for line in lines:
        if begins := _BEGINS.match(line[1]):
            own = stations[begins["mac"].lower()] = Station()
            if begins["signal"] != "unknown":
                own.signal_dbm = number(file, line, begins["signal"].split(" ")[0])
        elif line[1].startswith(_NOTHING):
            continue
        elif own is not None and (rate := _RATE.match(line[1])):
            if rate["rate"] != "unknown":
                mbps = number(file, line, rate["rate"].rstrip(","))
                setattr(own, "tx_mbps" if rate["way"] == "TX" else "rx_mbps", mbps)
        else:
            raise damaged_line(file, line[0], "is not a line of iwinfo about a station")
    return stations
