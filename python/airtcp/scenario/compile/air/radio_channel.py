"""The channel of a cell: band, primary channel and width, as its keys and its standard say."""

from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.cell import WifiCell
from airtcp.scenario.keys.rate_control import FixedMode
from airtcp.wifi.channel_numbers import (
    RadioChannel,
    centre_mhz,
    centre_numbers,
    number_of,
    primary_numbers,
)
from airtcp.wifi.standard import (
    GHZ_2_4,
    GHZ_5,
    GHZ_6,
    GHZ_60,
    Standard,
    standards,
    why_no_width,
)

_FIRST_CHANNELS = {GHZ_2_4: 1, GHZ_5: 36, GHZ_6: 1, GHZ_60: 2}


def radio_channel(name: str, cell: WifiCell) -> RadioChannel:
    """The channel of a cell; what the standard does not have is an error that names the key."""
    standard = standards()[cell.standard]
    band, number = _primary(name, cell, standard)
    width = _width(name, cell, standard, band)
    centres = centre_numbers(band, number, width)
    if not centres:
        what = f"channel {number} at {band} is not a part of any channel of {width} MHz"
        raise ScenarioError(f"wifi.{name}.width", what, "Choose another channel or width")
    if cell.centre_channel is not None and cell.centre_channel not in centres:
        what = (
            f"{cell.centre_channel} is not the centre of a channel of {width} MHz with channel {number} in it"
        )
        known = f"Known: {', '.join(str(centre) for centre in centres)}"
        raise ScenarioError(f"wifi.{name}.centre_channel", what, known)
    centre = centres[0] if cell.centre_channel is None else cell.centre_channel
    return RadioChannel(band, centre_mhz(band, number), centre_mhz(band, centre), width)


def _primary(name: str, cell: WifiCell, standard: Standard) -> tuple[str, int]:
    key = f"wifi.{name}"
    if cell.band is not None and cell.band not in standard.bands:
        what = standard.band_sentence.format(cell.band)
        raise ScenarioError(f"{key}.band", what, f"Known: {', '.join(standard.bands)}")
    if cell.frequency is not None:
        return _at_frequency(key, cell, standard)
    if cell.channel is None:
        band = cell.band or standard.bands[0]
        return band, _FIRST_CHANNELS[band]
    bands = (cell.band,) if cell.band else standard.bands
    for band in bands:
        if cell.channel in primary_numbers(band, standard.name == "11b"):
            return band, cell.channel
    known = "; ".join(
        ", ".join(str(number) for number in primary_numbers(band, standard.name == "11b"))
        + (f" ({band})" if len(bands) > 1 else "")
        for band in bands
    )
    where = f" at {cell.band}" if cell.band and len(standard.bands) > 1 else ""
    raise ScenarioError(
        f"{key}.channel", f"{cell.channel} is not a channel of {standard.name}{where}", f"Known: {known}"
    )


def _at_frequency(key: str, cell: WifiCell, standard: Standard) -> tuple[str, int]:
    assert cell.frequency is not None, "the caller looked"
    if cell.channel is not None:
        raise ScenarioError(f"{key}.frequency", "channel is given too", "Keep one of them")
    found = number_of(cell.frequency)
    bands = (cell.band,) if cell.band else standard.bands
    if found is None or found[0] not in bands or (found == (GHZ_2_4, 14) and standard.name != "11b"):
        what = f"{cell.frequency} MHz is not the centre of a 20 MHz channel of {standard.name}"
        if standard.name == "11ad":
            what = f"{cell.frequency} MHz is not the centre of a channel of 11ad"
        examples = ", ".join(f"{centre_mhz(band, _FIRST_CHANNELS[band])} MHz" for band in bands)
        raise ScenarioError(f"{key}.frequency", what, f"Write for example {examples}, or channel")
    return found


def _width(name: str, cell: WifiCell, standard: Standard, band: str) -> int:
    modes = fixed_modes(cell)
    own = modes.get(".rate")
    usual = own.width if own and own.width else standard.width_mhz(band)
    widest = max((usual, *(mode.width for mode in modes.values() if mode.width)))
    width = widest if cell.width is None else cell.width
    reason = why_no_width(standard.format, width, band)
    if reason is None:
        return width
    if cell.width is not None:
        key = f"wifi.{name}.width"
    else:
        key = next(f"wifi.{name}{at}" for at, mode in modes.items() if mode.width == width)
    raise ScenarioError(key, reason, "Choose another width")


def fixed_modes(cell: WifiCell) -> dict[str, FixedMode]:
    """The fixed modes that a cell and its radios name, by the rest of their key."""
    given = {".rate": cell.rate, **{f".radio.{node}.rate": own.rate for node, own in cell.radio.items()}}
    return {key: rate for key, rate in given.items() if isinstance(rate, FixedMode)}
