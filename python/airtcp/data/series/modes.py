"""Columns of series that describe the mode of a PPDU, and its text."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from airtcp.formats.column import Column
from airtcp.wifi.mode import FORMATS, Mode

if TYPE_CHECKING:
    import polars

# The ends of the names of the columns that describe a mode; `mode_columns` has their meanings.
MODE_PARTS = ("format", "mcs", "streams", "width_mhz", "guard_ns", "rate_bps")


def mode_columns(prefix: str, whose: str, later: bool = False) -> tuple[Column, ...]:
    """The columns of a mode but for its rate, whose source differs between series."""

    def column(name: str, unit: str, meaning: str) -> Column:
        return Column(f"{prefix}{name}", "u32", unit, meaning, later=later)

    formats = ", ".join(f"{number} {'DSSS' if not number else name}" for number, name in enumerate(FORMATS))
    return (
        column("format", "", f"{whose}: {formats}"),
        column("mcs", "", "MCS, of HT that of its number of streams; DSSS, OFDM: place among the rates"),
        column("streams", "", "spatial streams; 0: there was none yet"),
        column("width_mhz", "MHz", "width"),
        column("guard_ns", "ns", "guard interval; 0 in DSSS"),
    )


def mode_name_column(name: str, whose: str) -> Column:
    """The column of the mode's text."""
    return Column(name, "text", "", f"{whose}, as a scenario writes modes; null before one")


def mode_text(parts: Mapping[str, int]) -> str | None:
    """The text of the mode that these columns describe; `None` if there was none yet."""
    if not parts["streams"]:
        return None
    number = parts["format"]
    name = FORMATS[number] if number < len(FORMATS) else ""
    mcs = parts["mcs"], parts["streams"], parts["width_mhz"], parts["guard_ns"]
    return str(Mode(name, parts["rate_bps"], *mcs))


def with_modes(frame: "polars.DataFrame", prefix: str, label: str) -> "polars.DataFrame":
    """The frame with a column for the mode that the columns of this prefix describe; null where none are."""
    import polars

    columns = [f"{prefix}{part}" for part in MODE_PARTS]
    if not set(columns) <= set(frame.columns):
        return frame.with_columns(polars.lit(None, polars.String).alias(label))
    known = frame.select(columns).unique()
    texts = [mode_text(dict(zip(MODE_PARTS, row, strict=True))) for row in known.rows()]
    names = polars.Series(label, texts, dtype=polars.String)
    return frame.join(known.with_columns(names), on=columns, how="left", maintain_order="left")
