"""Beacons of a cell: when they are sent if nothing says otherwise, and how long they are."""

from airtcp.wifi.standard import GHZ_2_4, GHZ_5, GHZ_6, Standard

# Header 24 and FCS 4 (IEEE 802.11-2020, 9.3.3.1); timestamp, beacon interval, capabilities (9.3.3.2).
_FRAME_BYTES = 24 + 4
_FIXED_BYTES = 8 + 2 + 2


def beacon_bytes(name: str, standard: Standard, band: str, edca: bool, mesh: bool) -> int:
    """Length of the beacon of an open network with this name, with header and FCS.

    The elements are those that every access point of the standard sends (IEEE 802.11-2020, 9.4.2, table 9-32;
    IEEE 802.11ax-2021 and 802.11be, 9.4.2), each with two octets of number and length. Security, country and
    vendors add to them.
    """
    elements = _identity(name, mesh) + _rates(standard, band)
    if edca:
        elements += 2 + 24  # WMM parameters
    if standard.has_mcs:
        elements += 2 + 8  # extended capabilities
        elements += _capabilities(standard, band)
    return _FRAME_BYTES + _FIXED_BYTES + elements


def _identity(name: str, mesh: bool) -> int:
    if mesh:
        return 2 + (2 + len(name)) + (2 + 7)  # empty SSID, mesh ID, mesh configuration
    return (2 + len(name)) + (2 + 4)  # SSID, TIM


def _rates(standard: Standard, band: str) -> int:
    if standard.name == "11b":
        return (2 + 4) + (2 + 1)  # four rates, DSSS parameters
    if band == GHZ_2_4:
        return (2 + 8) + (2 + 4) + (2 + 1) + (2 + 1)  # eight rates and four more, DSSS parameters, ERP
    return 2 + 8


def _capabilities(standard: Standard, band: str) -> int:
    """Capabilities and operation of HT, VHT, HE and EHT; at 6 GHz only of the last two."""
    generation = ("11n", "11ac", "11ax", "11be").index(standard.name)
    total = 0
    if band != GHZ_6:
        total += (2 + 26) + (2 + 22)
    if generation >= 1 and band == GHZ_5:
        total += (2 + 12) + (2 + 5)
    if generation >= 2:
        total += (2 + 22) + (2 + 7) + (2 + 14)  # and MU EDCA
    if generation >= 2 and band == GHZ_6:
        total += (2 + 3) + 5  # 6 GHz band capabilities, and what HE operation says of it
    if generation >= 3:
        total += (2 + 15) + (2 + 9)
    return total
