"""Kinds of recordings: which one a file is, and its reader."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from airtcp.errors import AirtcpError, remedy_for
from airtcp.formats.flent import is_flent
from airtcp.formats.hostapd_sta import hostapd_dumps, is_hostapd_sta
from airtcp.formats.iperf2 import is_iperf2
from airtcp.formats.iperf3 import is_iperf3
from airtcp.formats.iw_dumps import is_iw_station, iw_dumps
from airtcp.formats.iwinfo_assoclist import is_iwinfo, iwinfo_dumps
from airtcp.formats.ping_text import is_ping
from airtcp.formats.rates_csv import is_rates_csv
from airtcp.formats.recognition import content_of
from airtcp.formats.station_log import Dump
from airtcp.formats.ubus_clients import is_ubus_clients, ubus_dumps
from airtcp.traces.mahimahi import is_mahimahi, read_mahimahi
from airtcp.traces.measurements import read_flent, read_iperf, read_ping
from airtcp.traces.mininet_wifi import is_rssi, read_conditions, read_mobility, read_rssi
from airtcp.traces.monitor import STEP_S, is_monitor, read_monitor
from airtcp.traces.ns3_courses import is_ns3_courses, read_ns3_courses
from airtcp.traces.recording import Recording
from airtcp.traces.setdest import is_setdest, read_setdest
from airtcp.traces.spark import is_hairpin, is_rates, read_hairpin, read_rates, read_rates_with_units
from airtcp.traces.station_log import recordings


@dataclass(frozen=True)
class Options:
    """What a file may leave open: the time between its rows or dumps, and the length of a step."""

    every_s: float | None = None
    step_s: float = STEP_S


def _never(_content: bytes) -> bool:
    return False


Reader = Callable[[Path, bytes, Options], list[Recording]]


def _whole(read: Callable[[Path, bytes], list[Recording]]) -> Reader:
    """The reader of a format that leaves nothing open."""
    return lambda file, content, _options: read(file, content)


def _stations(read: Callable[[Path, bytes], list[Dump]]) -> Reader:
    """The reader of statistics of stations, whose dumps may have no time."""
    return lambda file, content, options: recordings(file, read(file, content), options.every_s)


def _dumps(read: Callable[[Path, bytes, float | None], list[Recording]]) -> Reader:
    """The reader of a format whose rows may have no time."""
    return lambda file, content, options: read(file, content, options.every_s)


@dataclass(frozen=True)
class Kind:
    """A format: what it is, how it is recognised, and its reader."""

    about: str
    read: Reader
    recognised: Callable[[bytes], bool] = _never


KINDS = {
    "monitor": Kind(
        "pcap or pcapng of a monitor, with radiotap headers",
        lambda file, content, options: read_monitor(file, content, options.step_s),
        is_monitor,
    ),
    "iw": Kind("iw dev ... station dump, repeatedly", _stations(iw_dumps), is_iw_station),
    "hostapd": Kind("hostapd_cli all_sta, repeatedly", _stations(hostapd_dumps), is_hostapd_sta),
    "iwinfo": Kind("iwinfo ... assoclist of OpenWrt, repeatedly", _stations(iwinfo_dumps), is_iwinfo),
    "ubus": Kind(
        "ubus call hostapd... get_clients of OpenWrt, repeatedly", _stations(ubus_dumps), is_ubus_clients
    ),
    "ping": Kind("text of ping", _whole(read_ping), is_ping),
    "iperf2": Kind("iperf2 -y C", _whole(read_iperf), is_iperf2),
    "iperf3": Kind("iperf3 -J", _whole(read_iperf), is_iperf3),
    "flent": Kind("Flent's data", _whole(read_flent), is_flent),
    "setdest": Kind("movements for ns-2 and ns-3", _whole(read_setdest), is_setdest),
    "ns3": Kind("movements that ns-3 wrote (EnableAscii)", _whole(read_ns3_courses), is_ns3_courses),
    "hairpin": Kind("SparkTraces, Hairpin: time, Mbit/s, RTT, loss", _whole(read_hairpin), is_hairpin),
    "mahimahi": Kind("mahimahi: a millisecond a line", _whole(read_mahimahi), is_mahimahi),
    "rates": Kind(
        "time and Mbit/s: SparkTraces (Zhuge, PiTree), bandwidth of Mininet-WiFi",
        _whole(read_rates),
        is_rates,
    ),
    "rates-csv": Kind(
        "CSV whose first line is a time and a rate with its unit: time,bit/s",
        _whole(read_rates_with_units),
        is_rates_csv,
    ),
    "rssi": Kind("time and dBm: RSSI of Mininet-WiFi", _whole(read_rssi), is_rssi),
    "conditions": Kind(
        "time, bit/s, loss in %, latency in ms: network conditions of Mininet-WiFi", _whole(read_conditions)
    ),
    "places": Kind("x and y: mobility of Mininet-WiFi", _dumps(read_mobility)),
}


def open_recordings(
    file: Path, kind: str | None = None, options: Options | None = None
) -> tuple[str, list[Recording]]:
    """The kind of a file, and what it recorded; an unknown kind, or a damaged file, is an `AirtcpError`."""
    content = content_of(file)
    if kind is None:
        kind = next((name for name, each in KINDS.items() if each.recognised(content)), None)
    if kind is None:
        raise AirtcpError("is not recognised by its content", str(file), f"Say what it is: --as {_by_word()}")
    if kind not in KINDS:
        raise AirtcpError(f'there is no kind "{kind}"', "--as", remedy_for(kind, KINDS))
    return kind, KINDS[kind].read(file, content, options or Options())


def _by_word() -> str:
    words = [name for name, each in KINDS.items() if each.recognised is _never]
    return ", ".join(words[:-1]) + f" or {words[-1]} (airtcp trace --kinds lists all)"
