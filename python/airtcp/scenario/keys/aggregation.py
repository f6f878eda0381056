"""A-MPDU, A-MSDU and the block acknowledgement window of a radio, with the limits of each standard."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from airtcp.plans.types.air_plan import PlanAggregation
from airtcp.scenario.errors import Refused
from airtcp.scenario.keys.parts import Part
from airtcp.scenario.values.units import AMOUNT, MAC_TIME, TIME, MacTimeUs, TimeNs
from airtcp.wifi.standard import Standard
from airtcp.wrong_values import in_toml

# What the Minimum MPDU Start Spacing subfield can say (IEEE 802.11-2020, Table 9-185).
START_SPACINGS_NS = (0, 250, 500, 1000, 2000, 4000, 8000, 16_000)
# Of iwlwifi, and of mt7915 at 2.4 GHz; other drivers have 0 to 16 us (docs/models/practice.md).
DEFAULT_START_SPACING_NS = 4000


@dataclass(frozen=True)
class AggregationOfCard:
    """What a driver says of aggregation; `None`: it says nothing."""

    ampdu_us: int | None = None
    """Longest PPDU with an A-MPDU."""
    start_spacing_ns: int | None = None
    """Least time between the starts of MPDUs that it receives."""


def _octets(value: Any) -> Any:
    return 0 if value == "off" else AMOUNT.read(value)


OctetsOrOff = Annotated[int, BeforeValidator(_octets), AMOUNT]


class Aggregation(Part):
    """Aggregation of a radio. Of two radios the narrower limits hold."""

    enabled: bool = True
    """`false`: none; also written `aggregation = false`."""
    ampdu: OctetsOrOff | None = None
    """Most octets of an A-MPDU, or `"off"`. Default: the most that the standard has (11n 65535, 11ac 1048575,
    11ax 6500631, 11be 15523200, 11ad 262143).
    """
    ampdu_time: MacTimeUs | None = Field(None, ge=1)
    """Longest PPDU that carries an A-MPDU. Default: aPPDUMaxTime, 5484 us (11ad: 2000 us); 4 ms with
    `card = "ath9k"`.
    """
    window: int | None = Field(None, ge=1, le=1024)
    """MPDUs in the block acknowledgement window. Default: the most that Linux negotiates, 64 (11ax: 256,
    11be: 1024).
    """
    start_spacing: TimeNs | None = None
    """Least time between the starts of two MPDUs in an A-MPDU that the radio receives: 0, 0.25, 0.5, 1, 2, 4,
    8 or 16 us. Default: that of the driver of `card`, else 4 us (11ad: 0).
    """
    amsdu: OctetsOrOff | None = None
    """Most octets of an A-MSDU, or `"off"`, which is the default: mac80211 builds A-MSDUs only for drivers
    that ask for it. 11n and 11ad have up to 7935 octets, newer standards up to 11454.
    """
    voice: bool = False
    """Whether access category voice (user priorities 6 and 7) is aggregated, too. mac80211 with minstrel_ht
    and most drivers of mt76 leave it out; mt7925 and rtw89 aggregate it.
    """
    amsdu_frames: int = Field(0, ge=0, le=1000)
    """Most frames in an A-MSDU; 0: as many as fit."""


def _read(value: Any) -> Any:
    if isinstance(value, bool):
        return {"enabled": value}
    if isinstance(value, (dict, Aggregation)):
        return value
    raise ValueError(
        f"{in_toml(value)} is no aggregation; write true, false, or a table with ampdu, window, amsdu"
    )


AggregationSetting = Annotated[Aggregation, BeforeValidator(_read)]


def aggregation_plan(
    settings: Aggregation | None,
    standard: Standard,
    band: str,
    card: AggregationOfCard = AggregationOfCard(),
) -> PlanAggregation | None:
    """Aggregation in the plan, `None` for none; a limit beyond the standard's is `Refused`."""
    if settings is not None and not settings.enabled:
        return None
    limits = standard.by_band[band]["aggregation"]
    if limits is None:
        if settings is None:
            return None
        raise Refused(
            f"{standard.name} has no aggregation: it came with 11n",
            "Leave it out, or choose a newer standard",
        )
    chosen = settings or Aggregation()
    source = f"{standard.name} has ({limits['clause']})"

    def within(key: str, value: int | None, most: int, text: Callable[[int], str]) -> int:
        if value is not None and value > most:
            raise Refused(f"{text(value)} is more than {source}", f"Write at most {text(most)}", key)
        return most if value is None else value

    own_us = None if card.ampdu_us is None else min(card.ampdu_us, limits["ampdu_us"])
    plan: PlanAggregation = {
        "ampdu_bytes": within("ampdu", chosen.ampdu, limits["ampdu_bytes"], AMOUNT.text),
        "ampdu_us": within("ampdu_time", chosen.ampdu_time or own_us, limits["ampdu_us"], MAC_TIME.text),
        "block_ack_window": within("window", chosen.window, limits["block_ack_window"], str),
        "start_spacing_ns": _start_spacing_ns(chosen, standard, card),
        "amsdu_bytes": within("amsdu", chosen.amsdu or 0, limits["amsdu_bytes"], AMOUNT.text),
        "amsdu_frames": chosen.amsdu_frames,
        "voice": chosen.voice,
    }
    return plan if plan["ampdu_bytes"] or plan["amsdu_bytes"] else None


def _start_spacing_ns(chosen: Aggregation, standard: Standard, card: AggregationOfCard) -> int:
    if chosen.start_spacing is None:
        if standard.name == "11ad":
            return 0
        return DEFAULT_START_SPACING_NS if card.start_spacing_ns is None else card.start_spacing_ns
    if chosen.start_spacing not in START_SPACINGS_NS:
        what = f"no radio can announce {TIME.text(chosen.start_spacing)}"
        remedy = f"Write one of {', '.join(TIME.text(ns) for ns in START_SPACINGS_NS)}"
        raise Refused(what, remedy, "start_spacing")
    return chosen.start_spacing
