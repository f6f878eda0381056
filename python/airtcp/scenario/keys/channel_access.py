"""Channel access of a cell: DCF, or EDCA with its four access categories."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from airtcp.scenario.keys.parts import Part
from airtcp.scenario.plan_types.air_plan import PlanAccess
from airtcp.scenario.values.units import MAC_TIME
from airtcp.scenario.wifi_rules.standard import Standard

# In the order of the plan, as ACI + 1 would sort them by urgency (IEEE 802.11-2020, table 10-1).
ACCESS_CATEGORIES = ("background", "best_effort", "video", "voice")
AccessCategory = Literal["background", "best_effort", "video", "voice"]
# The user priority that stands for a category where only the category is given (IEEE 802.11-2020, table
# 10-1).
PRIORITIES = {"background": 1, "best_effort": 0, "video": 5, "voice": 6}

# aCWmin of HR/DSSS and of every newer PHY (IEEE 802.11-2020, tables 16-4, 17-21, 18-5).
CW_MIN_HR_DSSS, CW_MIN = 31, 15
CW_MAX = 1023
# DIFS is SIFS and two slots (IEEE 802.11-2020, 10.3.7).
DCF_AIFSN = 2
# AIFSN, and TXOP limit of HR/DSSS and of other PHYs: what hostapd announces (`wmm_ac_*`) and mac80211 assumes
# (`ieee80211_set_wmm_default`); those of IEEE 802.11-2012, table 8-105.
_EDCA = {
    "background": (7, 0, 0),
    "best_effort": (3, 0, 0),
    "video": (2, 6016, 3008),
    "voice": (2, 3264, 1504),
}
# TXOP limits are announced in units of 32 us, in 16 bits (IEEE 802.11-2020, 9.4.2.28).
TXOP_UNIT_US = 32


def _contention_window(value: Any) -> Any:
    if type(value) is int and (value < 1 or value & (value + 1)):
        raise ValueError(f"{value} is not one less than a power of two (15, 31, ... 1023)")
    return value


def _txop(value: Any) -> Any:
    limit_us = int(MAC_TIME.read(value))
    if limit_us % TXOP_UNIT_US:
        below = MAC_TIME.text(limit_us // TXOP_UNIT_US * TXOP_UNIT_US)
        raise ValueError(
            f'"{value}" is no multiple of {TXOP_UNIT_US} us, the unit of TXOP limits (IEEE 802.11-2020, '
            f"9.4.2.28); "
            f'write for example "{below}"'
        )
    if limit_us > TXOP_UNIT_US * 65535:
        raise ValueError(f'"{value}" is out of range: 0 to {MAC_TIME.text(TXOP_UNIT_US * 65535)}')
    return limit_us


ContentionWindow = Annotated[int, BeforeValidator(_contention_window), Field(le=32767)]
TxopUs = Annotated[int, BeforeValidator(_txop), MAC_TIME]


class AccessSettings(Part):
    """What an access category has different: `[wifi.NAME.access.CATEGORY]`."""

    aifsn: int | None = Field(None, ge=2, le=15)
    """Slots after SIFS before backoff; default: 7, 3, 2, 2."""
    cw_min: ContentionWindow | None = None
    """Smallest contention window; default: `cw_min` of the cell W; W; (W + 1) / 2 - 1; (W + 1) / 4 - 1."""
    cw_max: ContentionWindow | None = None
    """Largest contention window; default: `cw_max` of the cell; the same; W; (W + 1) / 2 - 1."""
    txop: TxopUs | None = None
    """TXOP limit, a multiple of 32 us; `0 ms`: one exchange. Default: 0, 0, 3.008 ms, 1.504 ms (11b: 6.016,
    3.264 ms).
    """


def default_cw_min(standard: Standard) -> int:
    """aCWmin of the standard."""
    return CW_MIN_HR_DSSS if standard.name == "11b" else CW_MIN


def dcf_plan(cw_min: int, cw_max: int) -> list[PlanAccess]:
    """One entry, for DCF (IEEE 802.11-2020, 10.3)."""
    return [{"aifsn": DCF_AIFSN, "cw_min": cw_min, "cw_max": cw_max, "txop_us": 0}]


def edca_plan(
    standard: Standard, windows: tuple[int, int], own: dict[AccessCategory, AccessSettings]
) -> list[PlanAccess]:
    """Four entries, for EDCA (IEEE 802.11-2020, 10.23.2); `windows` are the cell's smallest and largest."""
    cw_min, cw_max = windows
    half, quarter = max(1, (cw_min + 1) // 2 - 1), max(1, (cw_min + 1) // 4 - 1)
    # IEEE 802.11-2020, table 9-155.
    default_windows = {
        "background": (cw_min, cw_max),
        "best_effort": (cw_min, cw_max),
        "video": (half, cw_min),
        "voice": (quarter, half),
    }
    plan: list[PlanAccess] = []
    for category in ACCESS_CATEGORIES:
        settings = own.get(category) or AccessSettings()  # type: ignore[call-overload]
        aifsn, txop_hr_dsss_us, txop_us = _EDCA[category]
        default_txop_us = txop_hr_dsss_us if standard.name == "11b" else txop_us
        smallest, largest = default_windows[category]
        plan.append(
            {
                "aifsn": _chosen(settings.aifsn, aifsn),
                "cw_min": _chosen(settings.cw_min, smallest),
                "cw_max": _chosen(settings.cw_max, largest),
                "txop_us": _chosen(settings.txop, default_txop_us),
            }
        )
    return plan


def _chosen(own: int | None, default: int) -> int:
    return default if own is None else own
