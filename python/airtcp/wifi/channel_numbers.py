"""Channels by their numbers, as scenarios name them: their centres, and the wider channels around them."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from airtcp.wifi.standard import BANDS, GHZ_2_4, GHZ_60, wifi_table


@dataclass(frozen=True)
class RadioChannel:
    """A channel: its band, the centre of its primary 20 MHz (60 GHz: its own) and of the whole, its width."""

    band: str
    primary_mhz: int
    centre_mhz: int
    width_mhz: int


@cache
def _channels(band: str, width_mhz: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = wifi_table()["bands"][BANDS.index(band)]["channels"].get(str(width_mhz), [])
    return found


def primary_numbers(band: str, hr_dsss: bool = False) -> tuple[int, ...]:
    """The numbers that a primary channel can have; channel 14 is for HR/DSSS only (annex E)."""
    numbers = (channel["number"] for channel in _channels(band, 2160 if band == GHZ_60 else 20))
    return tuple(number for number in numbers if hr_dsss or (band, number) != (GHZ_2_4, 14))


@cache
def centre_mhz(band: str, number: int) -> int:
    """The centre of the channel with this number; `KeyError` if there is none."""
    widths = wifi_table()["bands"][BANDS.index(band)]["channels"].values()
    centres: dict[int, int] = {one["number"]: one["centre_mhz"] for width in widths for one in width}
    return centres[number]


def number_of(mhz: int) -> tuple[str, int] | None:
    """Band and number of the primary channel with this centre; `None` if there is none."""
    for band in BANDS:
        for number in primary_numbers(band, hr_dsss=True):
            if centre_mhz(band, number) == mhz:
                return band, number
    return None


def centre_numbers(band: str, primary: int, width_mhz: int) -> tuple[int, ...]:
    """The numbers of the channels of this width with this primary channel in them; the default one first.

    At 2.4 GHz that is the one whose secondary channel is above the primary. Channels of 320 MHz overlap by
    half, and those called 320-1 come first (IEEE 802.11be, 36.3.24.2).
    """
    found = [channel["number"] for channel in _channels(band, width_mhz) if primary in channel["primaries"]]
    if band == GHZ_2_4:
        return tuple(sorted(found, reverse=True))
    return tuple(sorted(found, key=lambda number: (width_mhz == 320 and number % 64 != 31, number)))
