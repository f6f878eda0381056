"""Channel access of a cell: DCF, or EDCA with its four access categories."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from airtcp.plans.types.air_plan import PlanAccess
from airtcp.scenario.keys.parts import Part
from airtcp.scenario.values.units import MAC_TIME
from airtcp.wifi.standard import Standard

# In the order of the plan, as ACI + 1 would sort them by urgency (IEEE 802.11-2020, table 10-1).
AccessCategory = Literal["background", "best_effort", "video", "voice"]
ACCESS_CATEGORIES: tuple[AccessCategory, ...] = ("background", "best_effort", "video", "voice")
# The user priority that stands for a category where only the category is given (IEEE 802.11-2020, table
# 10-1).
PRIORITIES = {"background": 1, "best_effort": 0, "video": 5, "voice": 6}

# aCWmin of HR/DSSS and of every newer PHY (IEEE 802.11-2020, tables 16-4, 17-21, 18-5).
CW_MIN_HR_DSSS, CW_MIN = 31, 15
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
# AIFSN that an access point uses itself, and CWmax of best effort there by its CWmin: the defaults of
# hostapd's `tx_queue_data0` to `3` (src/ap/ap_config.c) and of dot11QAPEDCATable (IEEE 802.11-2020, annex C).
_AP_AIFSN = {"background": 7, "best_effort": 3, "video": 1, "voice": 1}


def _ap_best_effort_cw_max(cw_min: int) -> int:
    return 4 * (cw_min + 1) - 1


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


class ApAccessSettings(AccessSettings):
    """What an access point itself uses: `[wifi.NAME.ap_access.CATEGORY]`. Default: what `access` of the cell
    says, else as hostapd's `tx_queue`: like the stations, but AIFSN 1 in video and voice, and 63 as `cw_max`
    of best effort (4 (W + 1) - 1).
    """

    aifsn: int | None = Field(None, ge=1, le=15)
    """Slots after SIFS before backoff; default: 7, 3, 1, 1."""


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
        settings = own.get(category) or AccessSettings()
        aifsn, txop_hr_dsss_us, txop_us = _EDCA[category]
        default_txop_us = txop_hr_dsss_us if standard.name == "11b" else txop_us
        smallest, largest = default_windows[category]
        default: PlanAccess = {
            "aifsn": aifsn,
            "cw_min": smallest,
            "cw_max": largest,
            "txop_us": default_txop_us,
        }
        plan.append(_with_settings(default, settings))
    return plan


def ap_edca_plan(
    announced: list[PlanAccess],
    of_cell: dict[AccessCategory, AccessSettings],
    own: dict[AccessCategory, ApAccessSettings],
    *,
    cw_max_given: bool,
) -> list[PlanAccess]:
    """What the access point itself uses: as hostapd, where neither it nor the cell has settings of its own.

    `announced` is what stations use, with `of_cell`, the cell's settings; `cw_max_given`: the cell has an
    aCWmax of its own.
    """
    plan: list[PlanAccess] = []
    for category, entry in zip(ACCESS_CATEGORIES, announced, strict=True):
        cell = of_cell.get(category) or AccessSettings()
        default = entry.copy()
        if cell.aifsn is None:
            default["aifsn"] = _AP_AIFSN[category]
        if category == "best_effort" and cell.cw_max is None and not cw_max_given:
            default["cw_max"] = min(entry["cw_max"], _ap_best_effort_cw_max(entry["cw_min"]))
        plan.append(_with_settings(default, own.get(category) or ApAccessSettings()))
    return plan


def _with_settings(default: PlanAccess, settings: AccessSettings) -> PlanAccess:
    return {
        "aifsn": chosen(settings.aifsn, default["aifsn"]),
        "cw_min": chosen(settings.cw_min, default["cw_min"]),
        "cw_max": chosen(settings.cw_max, default["cw_max"]),
        "txop_us": chosen(settings.txop, default["txop_us"]),
    }


def chosen(own: int | None, default: int) -> int:
    """What a category has of its own, else the default."""
    return default if own is None else own
