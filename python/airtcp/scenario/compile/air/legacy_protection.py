"""What 11b stations ask of their neighbours at 2.4 GHz: slot, protection, basic rates."""

from airtcp.scenario.errors import Refused
from airtcp.scenario.values.units import RATE
from airtcp.wifi.standard import GHZ_2_4, Standard, hr_dsss_rates_bps, sentence, wifi_table

# Mandatory rates of OFDM (IEEE 802.11-2020, 17.2.2.3); hostapd's basic rates at 5 GHz.
OFDM_BASIC_RATES_BPS = (6_000_000, 12_000_000, 24_000_000)
# hostapd's basic rates of 11b.
HR_DSSS_BASIC_RATES_BPS = (1_000_000, 2_000_000)


def default_basic_rates(standard: Standard, band: str) -> tuple[int, ...]:
    """Basic rates of a cell by default, as hostapd has them (`hostapd_prepare_rates`): 1 and 2 Mbit/s in 11b,
    the four of 11b at 2.4 GHz, else 6, 12 and 24.
    """
    if standard.name == "11ad":
        return ()
    if standard.name == "11b":
        return HR_DSSS_BASIC_RATES_BPS
    return hr_dsss_rates_bps() if band == GHZ_2_4 else OFDM_BASIC_RATES_BPS


def check_basic_rates(rates_bps: tuple[int, ...], standard: Standard, band: str) -> None:
    """Refuses what can't be a basic rate there."""
    if standard.name == "11ad":
        raise Refused(
            "11ad has no basic rates: control frames go in MCS 0 to 4 (IEEE 802.11-2020, 10.6.7)",
            "Leave it out",
        )
    legal = standard.by_band[band]["basic_rates_bps"]
    for rate in rates_bps:
        if rate not in legal:
            known = ", ".join(RATE.text(one) for one in legal)
            raise Refused(f"{RATE.text(rate)} is not a rate of {standard.name}", f"Known: {known}")


def default_group_rate(basic_rates_bps: tuple[int, ...]) -> int:
    """The slowest basic rate, as mac80211 sends to groups; in 11ad the control mode."""
    return min(basic_rates_bps, default=wifi_table()["dmg_control_rate_bps"])


def slot_plan(slot: str | None, standard: Standard, band: str, hr_dsss_there: bool) -> str:
    """The slot: 20 us for 11b and where its stations are, 9 us elsewhere at 2.4 GHz (table 18-5)."""
    if band != GHZ_2_4:
        if slot == "long":
            raise Refused(
                f"there is no long slot at {band}: it belongs to 2.4 GHz (IEEE 802.11-2020, table 18-5)",
                "Leave it out",
            )
        return "short"
    if standard.name == "11b":
        if slot == "short":
            raise Refused(
                "11b has only the long slot of 20 us (IEEE 802.11-2020, table 16-4)", "Leave it out"
            )
        return "long"
    return slot or ("long" if hr_dsss_there else "short")


def preamble_plan(preamble: str, band: str) -> bool:
    """Whether HR/DSSS frames have the short preamble."""
    if preamble == "short" and band != GHZ_2_4:
        raise Refused(sentence("short_preamble"), f"Leave it out at {band}")
    return preamble == "short"


def protection_plan(wished: str, standard: Standard, band: str, hr_dsss_there: bool) -> str:
    """Protection of OFDM frames at 2.4 GHz; automatic: CTS-to-self where 11b stations are, as mac80211."""
    if wished in ("cts_to_self", "rts_cts") and (band != GHZ_2_4 or standard.name == "11b"):
        raise Refused(sentence("protection"), "Leave it out")
    if wished == "automatic":
        return "cts_to_self" if hr_dsss_there and standard.name != "11b" and band == GHZ_2_4 else "none"
    return wished
