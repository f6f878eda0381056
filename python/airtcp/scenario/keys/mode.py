"""Modes written as text: `"54 Mbit/s"`, `"HT-MCS 15 40 MHz SGI"`, `"VHT-MCS 9 x2 80 MHz"`, `"MCS 7"`."""

import re
from typing import Any, Literal, get_args

from airtcp.scenario.errors import Refused
from airtcp.scenario.values.units import RATE
from airtcp.wifi.mode import HT_MCS_PER_STREAM, LEGACY_FORMATS, Mode
from airtcp.wifi.standard import (
    Standard,
    hr_dsss_rates_bps,
    why_no_guard,
    why_no_mcs,
    why_no_streams,
)

McsFormat = Literal["HT", "VHT", "HE", "EHT", "DMG"]
MCS_FORMATS: tuple[McsFormat, ...] = get_args(McsFormat)

_MCS = re.compile(rf"(?:({'|'.join(MCS_FORMATS)})[\s-]*)?MCS[\s-]*(\d+)", re.IGNORECASE)
_LEGACY = re.compile(rf"(?:{'|'.join(LEGACY_FORMATS)})\s+", re.IGNORECASE)
_STREAMS = re.compile(r"(?:x\s*(\d+)|(\d+)\s*x|(\d+)\s*streams?)(?=[\s,]|$)", re.IGNORECASE)
_WIDTH = re.compile(r"(\d+)\s*MHz", re.IGNORECASE)
_GUARD = re.compile(r"(?:GI\s*)?(\d+(?:\.\d+)?)\s*(ns|us|µs)(?:\s*GI)?", re.IGNORECASE)
_NAMED_GUARDS = {"SGI": "400 ns", "LGI": "800 ns"}

EXAMPLES = ("54 Mbit/s", "MCS 7", "HT-MCS 15 40 MHz SGI", "VHT-MCS 9 x2 80 MHz")


def examples(mark: str = '"') -> str:
    """How modes are written, for people."""
    *most, last = (f"{mark}{one}{mark}" for one in EXAMPLES)
    return f"{', '.join(most)} or {last}"


def read_mode_text(text: str) -> dict[str, Any]:
    """The keys of a mode's table that the text means; `ValueError` says what is wrong with it."""
    mcs = _MCS.match(text.strip())
    if mcs is None:
        rate = _LEGACY.sub("", text.strip(), count=1)
        RATE.read(rate)
        return {"rate": rate}
    table: dict[str, Any] = {"mcs": int(mcs.group(2))}
    if mcs.group(1):
        table["format"] = mcs.group(1).upper()
    rest = text.strip()[mcs.end() :].strip(" ,")
    while rest:
        key, value, end = _option(rest, text)
        if key in table:
            raise ValueError(f'"{text}" says two things about {key.replace("_", " ")}')
        table[key] = value
        rest = rest[end:].strip(" ,")
    return table


def _option(rest: str, text: str) -> tuple[str, Any, int]:
    if found := _STREAMS.match(rest):
        return "streams", int(next(group for group in found.groups() if group)), found.end()
    if found := _WIDTH.match(rest):
        return "width", f"{found.group(1)} MHz", found.end()
    if found := _GUARD.match(rest):
        return "guard_interval", f"{found.group(1)} {found.group(2).lower()}", found.end()
    word = rest.replace(",", " ").split()[0]
    if word.upper() in _NAMED_GUARDS:
        return "guard_interval", _NAMED_GUARDS[word.upper()], len(word)
    raise ValueError(
        f'"{word}" in "{text}" is no part of a mode; write for example "VHT-MCS 9 x2 80 MHz SGI" '
        "(streams as x2, width, SGI, LGI or GI 800 ns)"
    )


def mode_plan(mode: Mode) -> dict[str, Any]:
    """The mode in the plan."""
    if mode.format in LEGACY_FORMATS:
        return {"kind": "legacy", "rate_bps": mode.rate_bps}
    return {
        "kind": "mcs",
        "format": mode.format.lower(),
        "mcs": mode.mcs,
        "streams": mode.streams,
        "width_mhz": mode.width_mhz,
        "guard_ns": mode.guard_ns,
    }


def legacy_mode(standard: Standard, rate_bps: int, hr_dsss: bool) -> Mode:
    """The mode with this bit rate; `Refused` if there is none. `hr_dsss`: the cell has 11b's rates too."""
    if standard.has_mcs:
        what = f"{RATE.text(rate_bps)} is not a rate of {standard.name}, whose modes are numbered"
        raise Refused(what, f'Write for example "{standard.format.name}-MCS 7"')
    rates = standard.rates_bps
    if hr_dsss and standard.name == "11g":
        rates = (*hr_dsss_rates_bps(), *rates)
    if rate_bps not in rates:
        what = f"{RATE.text(rate_bps)} is not a rate of {standard.name}"
        known = f"Known: {', '.join(RATE.text(rate) for rate in rates)}"
        if standard.name == "11g" and rate_bps in hr_dsss_rates_bps():
            known += ". Those of 11b need one of them among basic_rates, or protection"
        raise Refused(what, known)
    return Mode("HR/DSSS" if rate_bps in hr_dsss_rates_bps() else "OFDM", rate_bps=rate_bps)


def _other_generation(standard: Standard, format_name: str | None, number: int) -> Refused:
    own = standard.format.name
    mcs = number % HT_MCS_PER_STREAM if format_name == "HT" else number
    return Refused(
        f"radios of {standard.name} send {own} to each other, not {format_name}",
        f'Write "{own}-MCS {mcs}", or give a station of another standard its own: '
        "[wifi.NAME.radio.NODE] standard",
    )


def mcs_mode(
    standard: Standard, named: tuple[str | None, int, int | None], width_mhz: int, guard_ns: int
) -> Mode:
    """The mode of a format (`None`: the standard's), MCS and streams; `Refused` if there is none."""
    format_name, number, streams = named
    own = standard.format
    if not own.mcs:
        known = ", ".join(RATE.text(rate) for rate in standard.rates_bps)
        raise Refused(f"{standard.name} has rates and no MCS", f"Known: {known}")
    if format_name not in (None, own.name):
        raise _other_generation(standard, format_name, number)
    mcs, streams = ht_streams(number, streams) if own.name == "HT" else (number, streams or 1)
    reasons = (
        why_no_streams(own, streams),
        why_no_guard(own, guard_ns),
        why_no_mcs(own, mcs, streams, width_mhz),
    )
    for reason in reasons:
        if reason is not None:
            raise Refused(reason, "Choose a mode that the standard has")
    return Mode(own.name, 0, mcs, streams, width_mhz, guard_ns)


def ht_streams(number: int, streams: int | None) -> tuple[int, int]:
    """MCS of one stream, and streams, of an HT MCS; `Refused` if the streams given are others."""
    counted = number // HT_MCS_PER_STREAM + 1
    if streams is not None and streams != counted:
        meant = number % HT_MCS_PER_STREAM + HT_MCS_PER_STREAM * (streams - 1)
        what = f"HT MCS {number} has {counted} spatial stream{'s' if counted > 1 else ''}, not {streams}"
        raise Refused(f"{what} (IEEE 802.11-2020, 19.5)", f'Write "HT-MCS {meant}"')
    return number % HT_MCS_PER_STREAM, counted
