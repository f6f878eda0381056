"""What IEEE 802.11 allows: standards, formats, bands, widths, MCS, streams and guard intervals.

The rules and their sentences are those of the model (`phy` of the air crate). `wifi.json` beside this module
is what `airtcp-runner schema --wifi` prints; `make generated` writes it. It is read when it is first needed.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

# The values of the key `band`.
GHZ_2_4, GHZ_5, GHZ_6, GHZ_60 = "2.4 GHz", "5 GHz", "6 GHz", "60 GHz"
BANDS = (GHZ_2_4, GHZ_5, GHZ_6, GHZ_60)

# How messages name the parts of a mode with which a PHY option goes.
_PARTS_OF_MODES = {"guards_ns": "{} ns", "mcs": "MCS {}", "streams": "{} spatial streams"}

WIFI_TABLE = Path(__file__).with_name("wifi.json")


@cache
def wifi_table() -> dict[str, Any]:
    """The table of the model."""
    table: dict[str, Any] = json.loads(WIFI_TABLE.read_text(encoding="utf-8"))
    return table


def sentence(name: str, *asked: str) -> str:
    """A sentence of the table about what was asked for."""
    text: str = wifi_table()["sentences"][name]
    return text.format(*asked)


def hr_dsss_rates_bps() -> tuple[int, ...]:
    """Rates of HR/DSSS (IEEE 802.11-2020, 16.1)."""
    return tuple(wifi_table()["hr_dsss_rates_bps"])


def ofdm_rates_bps() -> tuple[int, ...]:
    """Rates of OFDM (IEEE 802.11-2020, 17.3)."""
    return tuple(wifi_table()["ofdm_rates_bps"])


def bits_per_subcarrier() -> tuple[float, ...]:
    """Data bits of a subcarrier in a symbol of one stream, by MCS of HT, VHT, HE and EHT."""
    return tuple(wifi_table()["bits_per_subcarrier"])


def reach_mhz(width_mhz: int) -> int:
    """How far from the centre of a channel power may be, whatever is sent."""
    reach: int = wifi_table()["reach_mhz"][str(width_mhz)]
    return reach


def phy_options() -> dict[str, dict[str, Any]]:
    """The options of PPDUs that the standard leaves to the sender: `term` in the standard, and `values`."""
    found: dict[str, dict[str, Any]] = wifi_table()["phy_options"]
    return found


@dataclass(frozen=True)
class Format:
    """A format of PPDUs. `mcs`: those of one stream that carry data; empty if its modes are rates.

    `symbol_ns`: a symbol of OFDM without its guard interval; `data_subcarriers`: those of a width in MHz.
    `phy_options`: for each option the sentence of its refusal, and for each value what modes have it.
    """

    name: str
    bands: tuple[str, ...]
    widths_mhz: tuple[int, ...]
    max_streams: int
    mcs: range
    guards_ns: tuple[int, ...]
    symbol_ns: int
    data_subcarriers: dict[int, int]
    phy_options: dict[str, dict[str, Any]]
    sentences: dict[str, str]
    left_out: dict[tuple[int, int, int], str]


@cache
def formats() -> dict[str, Format]:
    """Every format by its name."""
    return {name: _format(name, row) for name, row in wifi_table()["formats"].items()}


def _format(name: str, row: dict[str, Any]) -> Format:
    return Format(
        name,
        tuple(row["bands"]),
        tuple(row["widths_mhz"]),
        row["max_streams"],
        range(row["first_index"], row["last_index"] + 1) if row["has_mcs"] else range(0),
        tuple(row["guards_ns"]),
        row["symbol_ns"],
        {int(width): number for width, number in row["data_subcarriers"].items()},
        row["phy_options"],
        row["sentences"],
        {(one["width_mhz"], one["mcs"], one["streams"]): one["sentence"] for one in row["left_out"]},
    )


@dataclass(frozen=True)
class Standard:
    """A standard by its newest PHY. Its cells are in the first of `bands` if nothing says otherwise."""

    name: str
    format: Format
    bands: tuple[str, ...]
    band_sentence: str
    by_band: dict[str, dict[str, Any]]

    @property
    def has_mcs(self) -> bool:
        """Whether modes of the standard are numbered (11n and newer): QoS and aggregation come with it."""
        return bool(self.format.mcs)

    @property
    def rates_bps(self) -> tuple[int, ...]:
        """Rates of the standard in bit/s, where modes are not numbered."""
        if self.format.name == "OFDM":
            return ofdm_rates_bps()
        return hr_dsss_rates_bps() if self.format.name == "HR/DSSS" else ()

    def width_mhz(self, band: str) -> int:
        """The widest channel that every station of it must support in this band.

        HT: 20 MHz; VHT: 80 MHz; HE and EHT: 80 MHz, at 2.4 GHz 20 MHz (IEEE 802.11-2020, 19.1.1 and 21.1.1;
        IEEE 802.11ax-2021, 27.1.1; IEEE 802.11be, 36.1.1).
        """
        if self.name == "11ad":
            return 2160
        return 80 if self.name in ("11ac", "11ax", "11be") and band != GHZ_2_4 else 20

    def widest_mhz(self, band: str, most_mhz: int) -> int:
        """The widest channel that it has in this band, of those that are not wider than `most_mhz`."""
        widths = (width for width in self.format.widths_mhz if width <= most_mhz)
        return max(width for width in widths if why_no_width(self.format, width, band) is None)


def older(one: Standard, other: Standard) -> Standard:
    """The older of two standards: what a station of one and a station of the other can both use."""
    ages = list(standards())
    return min(one, other, key=lambda standard: ages.index(standard.name))


@cache
def standards() -> dict[str, Standard]:
    """Every standard by its name, the oldest first."""
    return {row["name"]: _standard(row) for row in wifi_table()["standards"]}


def _standard(row: dict[str, Any]) -> Standard:
    # Where a standard is used in several bands, its cells are at 5 GHz if nothing says otherwise.
    bands = sorted((band for band in BANDS if band in row["bands"]), key=lambda band: band != GHZ_5)
    return Standard(row["name"], formats()[row["format"]], tuple(bands), row["band"], row["bands"])


def why_no_width(format_: Format, width_mhz: int, band: str) -> str | None:
    """Why the format has no channel of this width in this band; `None` if it has."""
    if band not in format_.bands:
        return format_.sentences["band"].format(band)
    if width_mhz not in format_.widths_mhz:
        return format_.sentences["width"].format(width_mhz)
    row = wifi_table()["bands"][BANDS.index(band)]
    text: str = row["width"]
    return text.format(width_mhz) if width_mhz > row["max_width_mhz"] else None


def why_no_streams(format_: Format, streams: int) -> str | None:
    """Why the format has no such number of spatial streams; `None` if it has."""
    if 1 <= streams <= format_.max_streams:
        return None
    return format_.sentences["streams"].format(streams)


def why_no_guard(format_: Format, guard_ns: int) -> str | None:
    """Why the format has no such guard interval; `None` if it has."""
    return None if guard_ns in format_.guards_ns else format_.sentences["guard"].format(guard_ns)


def why_no_phy_option(format_: Format, option: str, value: str, mode: dict[str, int]) -> str | None:
    """Why the format has no such value of a PHY option; `None` if it has.

    `mode`: what is known of the mode, of `guards_ns`, `mcs` (in HT that of one stream) and `streams`.
    """
    rules = format_.phy_options[option]
    text: str = rules["sentence"]
    if value not in rules["values"]:
        return text.format(value)
    legal = rules["values"][value]
    wrong = [_PARTS_OF_MODES[part].format(given) for part, given in mode.items() if given not in legal[part]]
    return text.format(f"{value} with {', '.join(wrong)}") if wrong else None


def why_no_mcs(format_: Format, mcs: int, streams: int, width_mhz: int) -> str | None:
    """Why there is no such MCS (in HT that of one stream) with these streams and this width."""
    if mcs not in format_.mcs:
        return format_.sentences["index"].format(mcs)
    return format_.left_out.get((width_mhz, mcs, streams))
