"""Kinds of recordings: which one a file is, and its reader."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from airtcp.data.foreign.flent import is_flent
from airtcp.data.foreign.iperf2 import is_iperf2
from airtcp.data.foreign.iperf3 import is_iperf3
from airtcp.data.foreign.ping_text import is_ping
from airtcp.data.foreign.recognition import content_of
from airtcp.errors import AirtcpError, remedy_for
from airtcp.traces.hostapd_sta import is_hostapd_sta, read_hostapd_sta
from airtcp.traces.iw_station import is_iw_station, read_iw_station
from airtcp.traces.iwinfo_assoclist import is_iwinfo, read_iwinfo
from airtcp.traces.mahimahi import is_mahimahi, read_mahimahi
from airtcp.traces.measurements import read_flent, read_iperf, read_ping
from airtcp.traces.mininet_wifi import is_rssi, read_conditions, read_mobility, read_rssi
from airtcp.traces.monitor import STEP_S, is_monitor, read_monitor
from airtcp.traces.recording import Recording
from airtcp.traces.setdest import is_setdest, read_setdest
from airtcp.traces.spark import is_hairpin, is_rates, read_hairpin, read_rates
from airtcp.traces.ubus_clients import is_ubus_clients, read_ubus_clients


@dataclass(frozen=True)
class Options:
    """What a file may leave open: the time between its rows or dumps, and the length of a step."""

    every_s: float | None = None
    step_s: float = STEP_S


def _never(_content: bytes) -> bool:
    return False


@dataclass(frozen=True)
class Kind:
    """A format: what it is, how it is recognised, and its reader."""

    about: str
    read: Callable[[Path, bytes, Options], list[Recording]]
    recognised: Callable[[bytes], bool] = _never


KINDS = {
    "monitor": Kind(
        "pcap or pcapng of a monitor, with radiotap headers",
        lambda file, content, options: read_monitor(file, content, options.step_s),
        is_monitor,
    ),
    "iw": Kind(
        "iw dev ... station dump, repeatedly",
        lambda file, content, options: read_iw_station(file, content, options.every_s),
        is_iw_station,
    ),
    "hostapd": Kind(
        "hostapd_cli all_sta, repeatedly",
        lambda file, content, options: read_hostapd_sta(file, content, options.every_s),
        is_hostapd_sta,
    ),
    "iwinfo": Kind(
        "iwinfo ... assoclist of OpenWrt, repeatedly",
        lambda file, content, options: read_iwinfo(file, content, options.every_s),
        is_iwinfo,
    ),
    "ubus": Kind(
        "ubus call hostapd... get_clients of OpenWrt, repeatedly",
        lambda file, content, options: read_ubus_clients(file, content, options.every_s),
        is_ubus_clients,
    ),
    "ping": Kind("text of ping", lambda file, content, _: read_ping(file, content), is_ping),
    "iperf2": Kind("iperf2 -y C", lambda file, content, _: read_iperf(file, content), is_iperf2),
    "iperf3": Kind("iperf3 -J", lambda file, content, _: read_iperf(file, content), is_iperf3),
    "flent": Kind("Flent's data", lambda file, content, _: read_flent(file, content), is_flent),
    "setdest": Kind(
        "movements for ns-2 and ns-3", lambda file, content, _: read_setdest(file, content), is_setdest
    ),
    "hairpin": Kind(
        "SparkTraces, Hairpin: time, Mbit/s, RTT, loss",
        lambda file, content, _: read_hairpin(file, content),
        is_hairpin,
    ),
    "mahimahi": Kind(
        "mahimahi: a millisecond a line", lambda file, content, _: [read_mahimahi(file, content)], is_mahimahi
    ),
    "rates": Kind(
        "time and Mbit/s: SparkTraces (Zhuge, PiTree), bandwidth of Mininet-WiFi",
        lambda file, content, _: read_rates(file, content),
        is_rates,
    ),
    "rssi": Kind(
        "time and dBm: RSSI of Mininet-WiFi", lambda file, content, _: read_rssi(file, content), is_rssi
    ),
    "conditions": Kind(
        "time, bit/s, loss in %, latency in ms: network conditions of Mininet-WiFi",
        lambda file, content, _: read_conditions(file, content),
    ),
    "places": Kind(
        "x and y: mobility of Mininet-WiFi",
        lambda file, content, options: read_mobility(file, content, options.every_s or 1.0),
    ),
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
