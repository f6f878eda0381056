"""`ubus call hostapd.wlan0 get_clients` of OpenWrt, again and again: JSON objects one after the other.

The format: README of OpenWrt's hostapd. Rates are in kbit/s. Retries are not counted.
"""

import json
import math
from pathlib import Path
from typing import Any

from airtcp.formats.measurement import Measurement
from airtcp.formats.station_log import Dump, Station, station_log
from airtcp.formats.text_file import damaged_line, text_of

FORMAT = "ubus get_clients"

_SPACE = " \t\r\n"
_KBPS_PER_MBPS = 1000


def is_ubus_clients(content: bytes) -> bool:
    """Whether an object with clients, by their addresses, is among the first lines."""
    head = content[:8_000]
    return b'"clients"' in head and b'"freq"' in head


def read_ubus_clients(file: Path, content: bytes) -> Measurement:
    """The frame `stations`: rate to and from each station, power from it."""
    return station_log(file, FORMAT, ubus_dumps(file, content))


def ubus_dumps(file: Path, content: bytes) -> list[Dump]:
    """What each dump says of each station."""
    text, place, line, counted = text_of(file, content), 0, 1, 0
    decoder = json.JSONDecoder()
    dumps: list[Dump] = []
    time_s: float | None = None
    while place < len(text):
        if text[place] in _SPACE:
            place += 1
            continue
        line, counted = line + text.count("\n", counted, place), place
        try:
            value, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError) as error:
            raise damaged_line(file, getattr(error, "lineno", line), "is not JSON") from None
        if isinstance(value, int | float) and not isinstance(value, bool):
            time_s = float(value)
            continue
        dumps.append(Dump(line, time_s, _stations(file, line, value)))
        time_s = None
    return dumps


def _stations(file: Path, line: int, value: Any) -> dict[str, Station]:
    clients = value.get("clients") if isinstance(value, dict) else None
    if not isinstance(clients, dict):
        raise damaged_line(file, line, "begins an object without clients")
    try:
        return {str(address).lower(): _station(client) for address, client in clients.items()}
    except (AttributeError, TypeError, ValueError):
        raise damaged_line(file, line, "begins an object with a client of another form") from None


def _station(client: dict[str, Any]) -> Station:
    rate, packets = client.get("rate") or {}, client.get("packets") or {}
    return Station(
        signal_dbm=_number(client.get("signal")),
        tx_mbps=_per_mega(rate.get("tx")),
        rx_mbps=_per_mega(rate.get("rx")),
        tx_packets=int(_number(packets.get("tx")) or 0),
    )


def _number(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{value!r} is no number")
    return float(value)


def _per_mega(value: Any) -> float | None:
    rate = _number(value)
    return None if rate is None else rate / _KBPS_PER_MBPS
