"""Where channels lie: numbers, centres, widths, and the primary 20 MHz in a wider channel.

IEEE 802.11-2020, 16.3.6.3, 17.3.8.4, 19.3.15, 20.3.1, 21.3.14 and annex E; IEEE 802.11ax-2021, 27.3.23; IEEE
802.11be, 36.3.24. The numbers are all that the standard has.
"""

from dataclasses import dataclass

from airtcp.scenario.wifi_rules.standard import BANDS, GHZ_2_4, GHZ_5, GHZ_6, GHZ_60

# Centre = start of the band + step times the number, in MHz.
_STARTS_MHZ = {GHZ_2_4: (2407, 5), GHZ_5: (5000, 5), GHZ_6: (5950, 5), GHZ_60: (56160, 2160)}
# Numbers that lie elsewhere: 14 at 2.4 GHz (16.3.6.3), 2 at 6 GHz (IEEE 802.11ax-2021, annex E).
_ELSEWHERE_MHZ = {(GHZ_2_4, 14): 2484, (GHZ_6, 2): 5935}

_NUMBERS: dict[tuple[str, int], tuple[int, ...]] = {
    (GHZ_2_4, 20): tuple(range(1, 15)),
    (GHZ_2_4, 40): tuple(range(3, 12)),
    (GHZ_5, 20): (*range(32, 69, 4), *range(96, 145, 4), *range(149, 178, 4)),
    (GHZ_5, 40): (38, 46, 54, 62, 102, 110, 118, 126, 134, 142, 151, 159, 167, 175),
    (GHZ_5, 80): (42, 58, 106, 122, 138, 155, 171),
    (GHZ_5, 160): (50, 114, 163),
    (GHZ_6, 20): (1, 2, *range(5, 234, 4)),
    (GHZ_6, 40): tuple(range(3, 228, 8)),
    (GHZ_6, 80): tuple(range(7, 216, 16)),
    (GHZ_6, 160): tuple(range(15, 208, 32)),
    # 320 MHz channels overlap by half; those called 320-1 come first (IEEE 802.11be, 36.3.24.2).
    (GHZ_6, 320): (31, 95, 159, 63, 127, 191),
    (GHZ_60, 2160): tuple(range(1, 7)),
}


@dataclass(frozen=True)
class RadioChannel:
    """A channel: its band, the centre of its primary 20 MHz (60 GHz: its own) and of the whole, its width."""

    band: str
    primary_mhz: int
    centre_mhz: int
    width_mhz: int


def primary_numbers(band: str, hr_dsss: bool = False) -> tuple[int, ...]:
    """The numbers that a primary channel can have; channel 14 is for HR/DSSS only (annex E)."""
    numbers = _NUMBERS[band, 2160 if band == GHZ_60 else 20]
    return tuple(number for number in numbers if hr_dsss or (band, number) != (GHZ_2_4, 14))


def centre_mhz(band: str, number: int) -> int:
    """The centre of the channel with this number."""
    start, step = _STARTS_MHZ[band]
    return _ELSEWHERE_MHZ.get((band, number), start + step * number)


def number_of(mhz: int) -> tuple[str, int] | None:
    """Band and number of the primary channel with this centre; `None` if there is none."""
    for band in BANDS:
        for number in primary_numbers(band, hr_dsss=True):
            if centre_mhz(band, number) == mhz:
                return band, number
    return None


def centre_numbers(band: str, primary: int, width_mhz: int) -> tuple[int, ...]:
    """The numbers of the channels of this width with this primary channel in them; the usual one first."""
    if width_mhz in (20, 2160):
        return (primary,)
    lowest_part = (width_mhz - 20) // 2
    own_mhz = centre_mhz(band, primary)
    found = []
    for number in _NUMBERS.get((band, width_mhz), ()):
        # 20 MHz channels of 2.4 GHz overlap: only those side by side are parts of a wider one (19.3.15.4).
        above_mhz = own_mhz - (centre_mhz(band, number) - lowest_part)
        if 0 <= above_mhz < width_mhz and above_mhz % 20 == 0:
            found.append(number)
    # At 2.4 GHz the secondary channel is above the primary one where it fits.
    return tuple(sorted(found, reverse=True)) if band == GHZ_2_4 else tuple(found)
