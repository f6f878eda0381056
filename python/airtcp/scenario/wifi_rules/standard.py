"""Standards, the formats of their PPDUs, and their bands, widths, MCS, streams and guard intervals.

The same rules as in the model (`phy::legality` of the air), told in the words of a scenario.
"""

from dataclasses import dataclass

GHZ_2_4, GHZ_5, GHZ_6, GHZ_60 = "2.4 GHz", "5 GHz", "6 GHz", "60 GHz"
BANDS = (GHZ_2_4, GHZ_5, GHZ_6, GHZ_60)

# IEEE 802.11-2020, 16.1 and table 17-4 (20 MHz).
HR_DSSS_RATES_BPS = (1_000_000, 2_000_000, 5_500_000, 11_000_000)
OFDM_RATES_BPS = tuple(rate * 1_000_000 for rate in (6, 9, 12, 18, 24, 36, 48, 54))
# The control mode of DMG, its MCS 0: 1.76 Gchip/s, 32 chips a bit, code rate 1/2 (IEEE 802.11-2020, 20.4).
DMG_CONTROL_RATE_BPS = 27_500_000


@dataclass(frozen=True)
class Format:
    """A format of PPDUs and its modes. Each `*_clause` says where the standard has it."""

    name: str
    bands: tuple[str, ...]
    bands_clause: str
    widths_mhz: tuple[int, ...]
    widths_clause: str
    streams_most: int = 1
    streams_clause: str = ""
    mcs: range = range(0)
    mcs_clause: str = ""
    guards_ns: tuple[int, ...] = (800,)
    guards_clause: str = ""


_ALL_BUT_60 = (GHZ_2_4, GHZ_5, GHZ_6)
_HR_DSSS = Format(
    "HR/DSSS",
    (GHZ_2_4,),
    "it is used at 2.4 GHz only (IEEE 802.11-2020, 16.1)",
    (20,),
    "its channel is that of 20 MHz (IEEE 802.11-2020, 16.3.6.3)",
    guards_clause="it has none to choose",
)
_OFDM = Format(
    "OFDM",
    _ALL_BUT_60,
    "it is used at 2.4, 5 and 6 GHz (IEEE 802.11-2020, 17.1 and 18.1)",
    (20,),
    "20 MHz (IEEE 802.11-2020, 17.1)",
    guards_clause="800 ns, in 11a and 11g alike (IEEE 802.11-2020, table 17-5); the short one came with HT",
)
_HT = Format(
    "HT",
    (GHZ_2_4, GHZ_5),
    "it is used at 2.4 and 5 GHz (IEEE 802.11-2020, 19.1.1)",
    (20, 40),
    "20 and 40 MHz (IEEE 802.11-2020, 19.1.1)",
    4,
    "1 to 4 (IEEE 802.11-2020, 19.1.1)",
    range(8),
    "0 to 7 with one stream, up to 31 with four (IEEE 802.11-2020, 19.5; unequal modulation is not modelled)",
    (800, 400),
    "800 and 400 ns (IEEE 802.11-2020, table 19-6)",
)
_VHT = Format(
    "VHT",
    (GHZ_5,),
    "it is used at 5 GHz only (IEEE 802.11-2020, 21.1.1)",
    (20, 40, 80, 160),
    "20, 40, 80 and 160 MHz (IEEE 802.11-2020, 21.1.1)",
    8,
    "1 to 8 (IEEE 802.11-2020, 21.1.1)",
    range(10),
    "0 to 9 (IEEE 802.11-2020, 21.5)",
    (800, 400),
    "800 and 400 ns (IEEE 802.11-2020, table 21-5)",
)
_HE = Format(
    "HE",
    _ALL_BUT_60,
    "it is used at 2.4, 5 and 6 GHz (IEEE 802.11ax-2021, 27.1.1)",
    (20, 40, 80, 160),
    "20, 40, 80 and 160 MHz (IEEE 802.11ax-2021, 27.1.1)",
    8,
    "1 to 8 (IEEE 802.11ax-2021, 27.1.1)",
    range(12),
    "0 to 11 (IEEE 802.11ax-2021, 27.5)",
    (800, 1600, 3200),
    "800, 1600 and 3200 ns (IEEE 802.11ax-2021, table 27-12)",
)
_EHT = Format(
    "EHT",
    _ALL_BUT_60,
    "it is used at 2.4, 5 and 6 GHz (IEEE 802.11be, 36.1.1)",
    (20, 40, 80, 160, 320),
    "20, 40, 80, 160 and 320 MHz (IEEE 802.11be, 36.1.1)",
    8,
    "1 to 8 (IEEE 802.11be, 36.1.1)",
    range(14),
    "0 to 13 (IEEE 802.11be, 36.5; MCS 14 and 15 are not modelled)",
    (800, 1600, 3200),
    "800, 1600 and 3200 ns (IEEE 802.11be, table 36-18)",
)
_DMG = Format(
    "DMG",
    (GHZ_60,),
    "it is used at 60 GHz only (IEEE 802.11-2020, 20.1.1)",
    (2160,),
    "2160 MHz (IEEE 802.11-2020, 20.3.1)",
    mcs=range(1, 13),
    mcs_clause="1 to 12 carry data on a single carrier (IEEE 802.11-2020, 20.6)",
    guards_clause="it has none to choose",
)
FORMATS = {one.name: one for one in (_HR_DSSS, _OFDM, _HT, _VHT, _HE, _EHT, _DMG)}

# Widest channel of a band, and why not a wider one.
BAND_WIDTHS = {
    GHZ_2_4: (40, "20 and 40 MHz fit there (IEEE 802.11ax-2021, 27.1.1)"),
    GHZ_5: (160, "320 MHz channels exist at 6 GHz only (IEEE 802.11be, 36.1.1)"),
    GHZ_6: (320, "20 to 320 MHz (IEEE 802.11be, 36.1.1)"),
    GHZ_60: (2160, "2160 MHz (IEEE 802.11-2020, 20.3.1)"),
}


@dataclass(frozen=True)
class Standard:
    """A standard by its newest PHY. Its cells are in the first of `bands` if nothing says otherwise."""

    name: str
    format: Format
    bands: tuple[str, ...]
    channel: int
    rates_bps: tuple[int, ...] = ()

    @property
    def has_mcs(self) -> bool:
        """Whether its modes are numbered (11n and newer): QoS and aggregation come with it."""
        return bool(self.format.mcs)

    def width_mhz(self, band: str) -> int:
        """The widest channel that every station of it must support in this band.

        HT: 20 MHz; VHT: 80 MHz; HE and EHT: 80 MHz, at 2.4 GHz 20 MHz (IEEE 802.11-2020, 19.1.1 and 21.1.1;
        IEEE 802.11ax-2021, 27.1.1; IEEE 802.11be, 36.1.1).
        """
        if self.name == "11ad":
            return 2160
        return 80 if self.name in ("11ac", "11ax", "11be") and band != GHZ_2_4 else 20


STANDARDS = {
    one.name: one
    for one in (
        Standard("11b", _HR_DSSS, (GHZ_2_4,), 1, HR_DSSS_RATES_BPS),
        Standard("11g", _OFDM, (GHZ_2_4,), 1, OFDM_RATES_BPS),
        Standard("11a", _OFDM, (GHZ_5,), 36, OFDM_RATES_BPS),
        Standard("11n", _HT, (GHZ_5, GHZ_2_4), 36),
        Standard("11ac", _VHT, (GHZ_5,), 36),
        Standard("11ax", _HE, (GHZ_5, GHZ_2_4, GHZ_6), 36),
        Standard("11be", _EHT, (GHZ_5, GHZ_2_4, GHZ_6), 36),
        Standard("11ad", _DMG, (GHZ_60,), 2),
    )
}

# The tables of 21.5 leave out what would not share its coded bits evenly among encoders: width, MCS, streams.
_VHT_LEFT_OUT = {
    *((20, 9, streams) for streams in (1, 2, 4, 5, 7, 8)),
    *((80, 6, streams) for streams in (3, 7)),
    (80, 9, 6),
    (160, 9, 3),
}


def why_no_band(format_: Format, band: str) -> str | None:
    """Why the format is not used in the band; `None` if it is."""
    return None if band in format_.bands else f"there is no {format_.name} at {band}: {format_.bands_clause}"


def why_no_width(format_: Format, width_mhz: int, band: str) -> str | None:
    """Why the format has no channel of this width in this band; `None` if it has."""
    if (reason := why_no_band(format_, band)) is not None:
        return reason
    if width_mhz not in format_.widths_mhz:
        return f"{format_.name} has no {width_mhz} MHz: {format_.widths_clause}"
    most, clause = BAND_WIDTHS[band]
    return f"there is no {width_mhz} MHz at {band}: {clause}" if width_mhz > most else None


def why_no_streams(format_: Format, streams: int) -> str | None:
    """Why the format has no such number of spatial streams; `None` if it has."""
    if 1 <= streams <= format_.streams_most:
        return None
    return f"{format_.name} has no {streams} spatial streams: {format_.streams_clause or 'it has one'}"


def why_no_guard(format_: Format, guard_ns: int) -> str | None:
    """Why the format has no such guard interval; `None` if it has."""
    if guard_ns in format_.guards_ns:
        return None
    return f"{format_.name} has no guard interval of {guard_ns} ns: {format_.guards_clause}"


def why_no_mcs(format_: Format, mcs: int, streams: int, width_mhz: int) -> str | None:
    """Why there is no such MCS (in HT that of one stream) with these streams and this width."""
    if mcs not in format_.mcs:
        return f"{format_.name} has no MCS {mcs}: {format_.mcs_clause or 'it has rates'}"
    if format_.name == "VHT" and (width_mhz, mcs, streams) in _VHT_LEFT_OUT:
        what = f"VHT MCS {mcs} at {width_mhz} MHz with {streams} spatial stream{'s' if streams > 1 else ''}"
        return (
            f"{what} is left out: its coded bits do not share evenly among encoders (IEEE 802.11-2020, 21.5)"
        )
    return None
