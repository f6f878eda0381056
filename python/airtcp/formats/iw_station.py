"""The text of `iw dev DEVICE station dump`: a line `Station MAC (on DEVICE)` for each peer, then its keys.

The format is that of iw 5.19 (`station.c`). What a driver does not know is "(unknown)" there, and left out
here.
"""

import re
from dataclasses import asdict

from airtcp.wifi.mode import FORMATS, HT_MCS_PER_STREAM, Mode
from airtcp.wifi.standard import hr_dsss_rates_bps, ofdm_rates_bps

MAC = r"[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}"
BEGINS = re.compile(rf"Station (?P<mac>{MAC}) \(on [^)]+\)")
_BITRATE = re.compile(r"(\d{1,9}(?:\.\d{1,9})?) MBit/s(.*)")
_GUARDS_NS = (800, 1600, 3200)
# Keys of iw, and columns of the series `stations`.
_COUNTS = {
    "rx packets": "rx_packets",
    "rx bytes": "rx_bytes",
    "tx packets": "tx_packets",
    "tx bytes": "tx_bytes",
    "tx retries": "tx_retries",
    "tx failed": "tx_failed",
    "tx duration": "tx_airtime_us",
    "rx duration": "rx_airtime_us",
    "airtime weight": "airtime_weight",
}
_LEVELS = {"signal": "signal_dbm", "signal avg": "signal_avg_dbm"}


def values_of(line: str) -> dict[str, int]:
    """What a line says of a station, by columns of the series `stations`; empty if the series lacks it.

    A value of another form is a `ValueError` that shows it.
    """
    key, _, rest = line.strip().partition(":")
    text = rest.strip()
    if text.startswith("(unknown)"):
        return {}
    if key in _COUNTS:
        return {_COUNTS[key]: int(_first(r"\d{1,20}(?=$|\s)", text, "a count"))}
    if key in _LEVELS:
        return {_LEVELS[key]: int(_first(r"-?\d{1,9}(?=$|\s)", text, "a number"))}
    if key == "expected throughput":
        return {"expected_throughput_kbps": round(1000 * float(_first(r"[\d.]+(?=Mbps)", text, "a rate")))}
    if key in ("tx bitrate", "rx bitrate") and text:
        mode = asdict(_mode(text))
        return {f"{key[:2]}_{name}": one for name, one in mode.items()} | {
            f"{key[:2]}_format": FORMATS.index(mode["format"])
        }
    return {}


def _first(pattern: str, text: str, expected: str) -> str:
    found = re.match(pattern, text)
    if found is None:
        raise ValueError(f'has "{text.split(maxsplit=1)[0] if text else ""}" where {expected} is expected')
    return found[0]


def _mode(text: str) -> Mode:
    """The mode of a bit rate as iw prints it: `144.4 MBit/s MCS 15 short GI`, `866.7 MBit/s VHT-MCS 9 80MHz
    short GI VHT-NSS 2`, `1200.9 MBit/s 80MHz HE-MCS 11 HE-NSS 2 HE-GI 0 HE-DCM 0`, `54.0 MBit/s`.

    Of a rate, `mcs` is its place among those of the format.
    """
    found = _BITRATE.match(text)
    if found is None:
        raise ValueError(f'has "{text.split(maxsplit=1)[0]}" where a number is expected')
    rate_bps, rest = round(float(found[1]) * 1e6), found[2]
    width_mhz, short_guard = _number(r"(\d+)MHz", rest, 20), 400 if "short GI" in rest else 800
    for name in ("EHT", "HE", "VHT"):
        if f"{name}-MCS" in rest:
            guard = _number(rf"{name}-GI (\d)", rest, 0)
            guard_ns = _GUARDS_NS[guard] if name != "VHT" and guard < len(_GUARDS_NS) else short_guard
            mcs, streams = _number(rf"{name}-MCS (\d+)", rest, 0), _number(rf"{name}-NSS (\d+)", rest, 1)
            return Mode(name, rate_bps, mcs, streams, width_mhz, guard_ns)
    if "MCS" in rest:
        streams, mcs = divmod(_number(r"MCS (\d+)", rest, 0), HT_MCS_PER_STREAM)
        return Mode("HT", rate_bps, mcs, streams + 1, width_mhz, short_guard)
    if rate_bps in ofdm_rates_bps():
        return Mode("OFDM", rate_bps, ofdm_rates_bps().index(rate_bps), 1, width_mhz, 800)
    known = hr_dsss_rates_bps()
    return Mode("HR/DSSS", rate_bps, known.index(rate_bps) if rate_bps in known else 0, 1, width_mhz, 0)


def _number(pattern: str, text: str, default: int) -> int:
    found = re.search(pattern, text)
    return int(found[1]) if found else default
