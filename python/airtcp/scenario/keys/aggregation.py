"""A-MPDU, A-MSDU and the block acknowledgement window of a radio, with the limits of each standard."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from airtcp.scenario.errors import Refused
from airtcp.scenario.keys.parts import Part
from airtcp.scenario.values.units import AMOUNT, MAC_TIME, MacTimeUs
from airtcp.scenario.wifi_rules.standard import GHZ_2_4, Standard


def _octets(value: Any) -> Any:
    return 0 if value == "off" else AMOUNT.read(value)


OctetsOrOff = Annotated[int, BeforeValidator(_octets), AMOUNT]


class Aggregation(Part):
    """Aggregation of a radio. Of two radios the narrower limits hold."""

    enabled: bool = Field(True, description="`false`: none; also written `aggregation = false`.")
    ampdu: OctetsOrOff | None = Field(
        None,
        description='Most octets of an A-MPDU, or `"off"`; default: the most that the standard has (11n '
        "65535, 11ac "
        "1048575, 11ax 6500631, 11be 15523200, 11ad 262143).",
    )
    ampdu_time: MacTimeUs | None = Field(
        None,
        ge=1,
        description="Longest PPDU that carries an A-MPDU; default: aPPDUMaxTime, 5484 us (11ad: 2000 us). "
        "ath9k "
        "stays below 4 ms.",
    )
    window: int | None = Field(
        None,
        ge=1,
        le=1024,
        description="MPDUs in the block acknowledgement window; default: the most that Linux negotiates, "
        "64 (11ax "
        "256, 11be 1024).",
    )
    amsdu: OctetsOrOff | None = Field(
        None,
        description='Most octets of an A-MSDU, or `"off"` (the default: mac80211 builds A-MSDUs only for '
        "drivers that "
        "ask for it). 11n and 11ad have up to 7935, newer ones up to 11454.",
    )
    amsdu_frames: int = Field(0, ge=0, le=1000, description="Most frames in an A-MSDU; 0: as many as fit.")


def _read(value: Any) -> Any:
    if isinstance(value, bool):
        return {"enabled": value}
    if isinstance(value, (dict, Aggregation)):
        return value
    raise ValueError(f"{value!r} is no aggregation; write true, false, or a table with ampdu, window, amsdu")


AggregationSetting = Annotated[Aggregation, BeforeValidator(_read)]


@dataclass(frozen=True)
class _Limits:
    standard: str
    ampdu_bytes: int
    ampdu_us: int
    window: int
    amsdu_bytes: int
    source: str


# A-MPDU: IEEE 802.11-2020, 9.4.2.55.3 (2^16 - 1), 9.4.2.157.2 (2^20 - 1), 9.4.2.127 (2^18 - 1); IEEE
# 802.11ax-2021 and
# 802.11be: longest PSDU (tables 27-54 and 36-70). aPPDUMaxTime: tables 19-25, 21-28, 20-32, 27-54. Window:
# 9.3.1.8;
# IEEE 802.11ax-2021, 9.3.1.8; IEEE 802.11be, 9.3.1.8. A-MSDU: 9.3.2.1, table 9-25.
_LIMITS = {
    "11n": _Limits("11n", 65_535, 5484, 64, 7935, "IEEE 802.11-2020, 9.4.2.55"),
    "11ac": _Limits("11ac", 1_048_575, 5484, 64, 11_454, "IEEE 802.11-2020, 9.4.2.157"),
    "11ax": _Limits("11ax", 6_500_631, 5484, 256, 11_454, "IEEE 802.11ax-2021, table 27-54"),
    "11be": _Limits("11be", 15_523_200, 5484, 1024, 11_454, "IEEE 802.11be, table 36-70"),
    "11ad": _Limits("11ad", 262_143, 2000, 64, 7935, "IEEE 802.11-2020, 9.4.2.127 and table 20-32"),
}


def aggregation_plan(settings: Aggregation | None, standard: Standard, band: str) -> dict[str, int] | None:
    """As the plan has it, `None` for none; a limit beyond the standard's is `Refused`."""
    if settings is not None and not settings.enabled:
        return None
    limits = _LIMITS.get(standard.name)
    if limits is None:
        if settings is None:
            return None
        raise Refused(
            f"{standard.name} has no aggregation: it came with 11n",
            "Leave it out, or choose a newer standard",
        )
    chosen = settings or Aggregation()
    amsdu_most = 7935 if band == GHZ_2_4 else limits.amsdu_bytes
    amsdu = 0 if chosen.amsdu is None else chosen.amsdu
    plan = {
        "ampdu_bytes": _within("ampdu", chosen.ampdu, limits.ampdu_bytes, AMOUNT.text, limits),
        "ampdu_us": _within("ampdu_time", chosen.ampdu_time, limits.ampdu_us, MAC_TIME.text, limits),
        "block_ack_window": _within("window", chosen.window, limits.window, str, limits),
        "amsdu_bytes": _within("amsdu", amsdu, amsdu_most, AMOUNT.text, limits),
        "amsdu_frames": chosen.amsdu_frames,
    }
    return plan if plan["ampdu_bytes"] or plan["amsdu_bytes"] else None


def _within(key: str, value: int | None, most: int, text: Callable[[int], str], limits: _Limits) -> int:
    if value is not None and value > most:
        what = f"{text(value)} is more than {limits.standard} has ({limits.source})"
        raise Refused(what, f"Write at most {text(most)}", key)
    return most if value is None else value
