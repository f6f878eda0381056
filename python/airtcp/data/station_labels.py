"""Names beside the numbers of what mac80211 knows: access categories, modes, and what minstrel chose."""

from typing import TYPE_CHECKING, Any

from airtcp.data.column import Column

if TYPE_CHECKING:
    import polars

JsonObject = dict[str, Any]

ACCESS_CATEGORIES = ("BK", "BE", "VI", "VO")
_FORMATS = ("DSSS", "OFDM", "HT", "VHT", "HE", "EHT")
# Formats that have no MCS.
_LEGACY = ("DSSS", "OFDM")
# MCS of HT count the streams in, eight for each number of them (IEEE 802.11-2020, 19.5).
_HT_MCS_PER_STREAM = 8
# Letters of `rc_stats` by the bits of `chosen`.
_CHOICES = "ABCDPS"

_NODE = Column("node_name", "text", "", "name of the radio's node")
_PEER = Column("peer_name", "text", "", "name of the peer's node")


def _mode_column(name: str, whose: str) -> Column:
    return Column(name, "text", "", f"{whose}, as a scenario writes modes; null before one")


STATION_LABELS: dict[str, tuple[Column, ...]] = {
    "stations": (
        _NODE,
        _PEER,
        _mode_column("tx_mode", "the last PPDU to it"),
        _mode_column("rx_mode", "the last PPDU from it"),
    ),
    "station_queues": (
        _NODE,
        Column("peer_name", "text", "", "name of the peer's node; null for groups"),
        Column("ac_name", "text", "", "the access category: BK, BE, VI or VO"),
    ),
    "radio_queues": (_NODE,),
    "station_rates": (
        _NODE,
        _PEER,
        Column("mode", "text", "", "the rate, as a scenario writes modes"),
        Column("chosen_name", "text", "", "letters of `rc_stats` for what it is chosen for"),
    ),
}


def mode_name(code: tuple[int, int, int, int, int, int]) -> str | None:
    """A mode as a scenario writes it, from format, MCS, streams, width, guard interval and bit rate."""
    format_code, mcs, streams, width_mhz, guard_ns, rate_bps = code
    if not streams:
        return None
    name = _FORMATS[format_code] if format_code < len(_FORMATS) else ""
    if name in _LEGACY:
        return f"{rate_bps / 1e6:g} Mbit/s"
    guard = " SGI" if guard_ns == 400 else f" GI {guard_ns / 1000:g} us" if guard_ns > 800 else ""
    if name == "HT":
        return f"HT-MCS {mcs + _HT_MCS_PER_STREAM * (streams - 1)} {width_mhz} MHz{guard}"
    return f"{name}-MCS {mcs} x{streams} {width_mhz} MHz{guard}"


def chosen_name(chosen: int) -> str:
    """The letters of `rc_stats`: A to D best throughput, P best probability, S to be tried."""
    return "".join(letter for bit, letter in enumerate(_CHOICES) if chosen >> bit & 1)


def with_modes(frame: "polars.DataFrame", prefix: str, label: str) -> "polars.DataFrame":
    """The frame with a column for the mode that the columns of this prefix tell."""
    import polars

    parts = ("format", "mcs", "streams", "width_mhz", "guard_ns", "rate_bps")
    columns = [f"{prefix}{part}" for part in parts]
    known = frame.select(columns).unique()
    names = polars.Series(label, [mode_name(row) for row in known.rows()], dtype=polars.String)
    return frame.join(known.with_columns(names), on=columns, how="left", maintain_order="left")


def with_choices(frame: "polars.DataFrame") -> "polars.DataFrame":
    """The frame with a column for the letters of `chosen`."""
    import polars

    names = {number: chosen_name(number) for number in frame["chosen"].unique().to_list()}
    letters = polars.Series("chosen_name", [names[number] for number in frame["chosen"]], dtype=polars.String)
    return frame.with_columns(letters)
