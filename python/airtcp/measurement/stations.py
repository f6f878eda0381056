"""The text of `iw dev DEVICE station dump`, as samples of the series `stations`.

The format is that of iw 5.19 (`station.c`): a line `Station MAC (on DEVICE)` for each peer, then indented
keys.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

_STATION = re.compile(r"Station ([0-9a-f:]{17}) \(on ")
_BITRATE = re.compile(r"([\d.]+) MBit/s(.*)")
# Numbers of the series' `tx_format` (docs/reference/columns.md).
_DSSS, _OFDM, _HT, _VHT, _HE, _EHT = range(6)
# Rates of DSSS and HR/DSSS in Mbit/s, and of OFDM, in their order (IEEE 802.11-2020, clauses 15, 16 and 17).
_DSSS_RATES = ("1.0", "2.0", "5.5", "11.0")
_OFDM_RATES = ("6.0", "9.0", "12.0", "18.0", "24.0", "36.0", "48.0", "54.0")
_GUARDS_NS = {"0": 800, "1": 1600, "2": 3200}
_NUMBERS = {
    "rx packets": "rx_packets",
    "rx bytes": "rx_bytes",
    "tx packets": "tx_packets",
    "tx bytes": "tx_bytes",
    "tx retries": "tx_retries",
    "tx failed": "tx_failed",
    "tx duration": "tx_airtime_us",
    "rx duration": "rx_airtime_us",
    "airtime weight": "airtime_weight",
    "signal": "signal_dbm",
    "signal avg": "signal_avg_dbm",
}


def read_samples(
    file: Path, nic: int, peers: Mapping[str, int], other: int | None
) -> Iterator[dict[str, Any]]:
    """The rows of one radio's polls. `peers` are the numbers of radios by MAC address; a peer that is not
    among them is the radio `other`, if there is one."""
    with file.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            try:
                sample = json.loads(line)
                time_ns, output = int(sample["time_ns"]), str(sample["output"])
            except (ValueError, KeyError, TypeError, RecursionError):
                # The file is among those of programs, one of which has written it.
                continue
            for mac, station in _stations(output):
                peer = peers.get(mac, other)
                if peer is not None:
                    yield {"time_ns": time_ns, "nic": nic, "interface": 1, "peer": peer, **station}


def _stations(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    mac, found = "", dict[str, Any]()
    for line in text.splitlines():
        if start := _STATION.match(line):
            if mac:
                yield mac, found
            mac, found = start[1], {}
        elif mac:
            key, _, value = line.strip().partition(":")
            found.update(_values(key.strip(), value.strip()))
    if mac:
        yield mac, found


def _values(key: str, value: str) -> dict[str, Any]:
    if key in _NUMBERS:
        number = re.match(r"-?\d+", value)
        return {_NUMBERS[key]: int(number[0])} if number else {}
    if key == "expected throughput":
        rate = re.match(r"([\d.]+)Mbps", value)
        return {"expected_throughput_kbps": round(1000 * float(rate[1]))} if rate else {}
    if key in ("tx bitrate", "rx bitrate"):
        return {f"{key[:2]}_{name}": one for name, one in _mode(value).items()}
    return {}


def _mode(text: str) -> dict[str, int]:
    """The mode of a bit rate as iw prints it: `144.4 MBit/s MCS 15 short GI`, `866.7 MBit/s VHT-MCS 9 80MHz
    short GI VHT-NSS 2`, `1200.9 MBit/s 80MHz HE-MCS 11 HE-NSS 2 HE-GI 0 HE-DCM 0`, `54.0 MBit/s`."""
    found = _BITRATE.match(text)
    if not found:
        return {}
    rate, rest = found[1], found[2]
    mode = {"rate_bps": round(float(rate) * 1e6), "width_mhz": _number(r"(\d+)MHz", rest, 20)}
    for kind, word in ((_EHT, "EHT"), (_HE, "HE"), (_VHT, "VHT")):
        if f"{word}-MCS" in rest:
            guard = _GUARDS_NS.get(str(_number(rf"{word}-GI (\d)", rest, 0)), 800)
            return mode | {
                "format": kind,
                "mcs": _number(rf"{word}-MCS (\d+)", rest, 0),
                "streams": _number(rf"{word}-NSS (\d+)", rest, 1),
                "guard_ns": _legacy_guard(rest) if kind == _VHT else guard,
            }
    if "MCS" in rest:
        mcs = _number(r"MCS (\d+)", rest, 0)
        # MCS 0 to 7 have one stream, 8 to 15 two, ... (IEEE 802.11-2020, 19.5).
        return mode | {
            "format": _HT,
            "mcs": mcs % 8,
            "streams": mcs // 8 + 1,
            "guard_ns": _legacy_guard(rest),
        }
    if rate in _OFDM_RATES:
        place, kind, guard = _OFDM_RATES.index(rate), _OFDM, 800
    else:
        place, kind, guard = _DSSS_RATES.index(rate) if rate in _DSSS_RATES else 0, _DSSS, 0
    return mode | {"format": kind, "mcs": place, "streams": 1, "guard_ns": guard}


def _legacy_guard(rest: str) -> int:
    return 400 if "short GI" in rest else 800


def _number(pattern: str, text: str, default: int) -> int:
    found = re.search(pattern, text)
    return int(found[1]) if found else default
