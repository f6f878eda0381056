"""What a radio of another standard has of the settings of its cell.

A cell's settings are meant for radios of the cell's standard. A radio of another one has them as far as its
standard does; what is written for the radio itself must fit it.
"""

from typing import Any

from airtcp.scenario.keys.aggregation import Aggregation
from airtcp.scenario.keys.cell import WifiCell
from airtcp.wifi.standard import Standard, phy_options

# Standards whose PPDUs have a packet extension, and the longest padding that their receivers can ask for.
LONGEST_PADDING_US = {"11ax": 16, "11be": 20}


def fitting(cell: WifiCell, standard: Standard, band: str) -> dict[str, Any]:
    """The settings of a cell that a radio of this standard does not have as they are, as it has them."""
    format_ = standard.format
    return {
        **{name: None for name in phy_options() if not _has_option(standard, name, getattr(cell, name))},
        "streams": cell.streams and min(cell.streams, format_.max_streams),
        "guard_interval": cell.guard_interval if cell.guard_interval in format_.guards_ns else None,
        "nominal_packet_padding": _padding(cell.nominal_packet_padding, standard),
        "aggregation": _aggregation(cell.aggregation, standard.by_band[band]["aggregation"]),
    }


def _has_option(standard: Standard, name: str, value: str | None) -> bool:
    return value is None or value in standard.format.phy_options[name]["values"]


def _padding(asked: str | None, standard: Standard) -> str | None:
    most_us = LONGEST_PADDING_US.get(standard.name, 0)
    return asked if asked is None or int(asked.removesuffix(" us")) <= most_us else None


def _aggregation(settings: Aggregation | None, limits: dict[str, Any] | None) -> Aggregation | None:
    """Limits of a cell, but no more than the standard's."""
    if settings is None or limits is None:
        return None
    most = {
        "ampdu": limits["ampdu_bytes"],
        "ampdu_time": limits["ampdu_us"],
        "window": limits["block_ack_window"],
        "amsdu": limits["amsdu_bytes"],
    }
    given = {name: getattr(settings, name) for name in most}
    kept = {name: min(value, most[name]) for name, value in given.items() if value is not None}
    return settings.model_copy(update=kept)
