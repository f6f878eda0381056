"""Cards and hosts as they are: interrupts, queues of the hardware, delays of the host; presets of drivers."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field, model_validator

from airtcp.plans.types.air_plan import (
    PlanCard,
    PlanHardwareQueue,
    PlanHostDelay,
    PlanInterruptModeration,
    PlanModerationLoad,
    PlanTxInterrupt,
)
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.aggregation import AggregationOfCard
from airtcp.scenario.keys.nic_queue import Direct, Fifo, FqCodel
from airtcp.scenario.keys.parts import IS_TABLE, IS_WORD, TABLE_OR_WORD, Part, written
from airtcp.scenario.values.units import LengthNs, RateBps, TimeNs
from airtcp.scenario.values.variate import Span
from airtcp.wifi.standard import GHZ_2_4, Standard

CardName = Literal["none", "ath9k", "ath9k_ar9002", "ath10k", "ath11k", "mt76", "iwlwifi", "rtw89"]
_Delivery = Literal["ppdu_end", "mpdu_end"]


class ModerationLoad(Part):
    """Load from which on interrupts are moderated."""

    above: RateBps
    """Data received or sent, as a moving average of periods in which each counts as much as all before."""
    every: LengthNs = written("2 s")
    """Length of a period, at whose end moderation begins or ends."""


class Moderation(Part):
    """Interrupt moderation: the interrupt comes when the first of these conditions holds."""

    after_first: TimeNs | None = None
    """Time since the first frame that waits."""
    after_last: TimeNs | None = None
    """Time since the last frame that waits."""
    frames: int | None = Field(None, ge=1, le=65_536)
    """Frames that wait."""
    load: ModerationLoad | None = None
    """Load above which there is moderation: `{ above = "50 Mbit/s", every = "2 s" }`. Default: always."""

    @model_validator(mode="after")
    def _has_a_timer(self) -> "Moderation":
        if self.after_first is None and self.after_last is None:
            raise ValueError("without a timer the last frames never raise an interrupt; give after_first")
        if (
            self.after_first is not None
            and self.after_last is not None
            and self.after_first < self.after_last
        ):
            what = "after_last is longer than after_first, so it never counts"
            raise ValueError(f"{what}; make it shorter, or leave it out")
        return self


class HardwareQueue(Part):
    """What leaves the queues above before the medium is won, for each access category."""

    ppdus: int | None = Field(None, ge=1, le=64)
    """What fills this many PPDUs beside the one on the air."""
    frames: int | None = Field(None, ge=1, le=65_536)
    """This many frames."""
    airtime: LengthNs | None = Field(None, le=1_000_000_000)
    """Frames whose octets take this long at the data rate that each has when it enters."""
    aggregates: Literal["at_access", "at_entry"] | None = None
    """When aggregates are formed: `at_access`, out of all that the queue holds for a receiver when the medium
    is won, as firmware does; or `at_entry`, as ath9k does. Default: as `card` has it, else `at_access`.
    """

    @model_validator(mode="after")
    def _has_one_unit(self) -> "HardwareQueue":
        if sum(unit is not None for unit in (self.ppdus, self.frames, self.airtime)) != 1:
            what = "has one of ppdus, frames and airtime"
            raise ValueError(f"{what}; write for example {{ frames = 224 }}")
        return self


class HostDelay(Part):
    """Time between an interrupt and the poll in which the host handles it."""

    fixed: TimeNs = written("0 us")
    """The part that is always the same."""
    jitter: Span | None = None
    """The part that is drawn for each poll: a time, or a distribution such as
    `{ lognormal = "50 us", sigma = 1, most = "3 ms" }`.
    """


@dataclass(frozen=True)
class Card:
    """What a card does; sources in docs/models/delivery.md."""

    rx_interrupt: PlanInterruptModeration | None = None
    tx_interrupt: PlanTxInterrupt | None = None
    hardware_queue: PlanHardwareQueue | None = None
    gro: bool = False
    delivery: _Delivery = "ppdu_end"
    ampdu_us: int | None = None
    """Longest PPDU with an A-MPDU."""
    start_spacing_ns: int | None = None
    """Least time between the starts of two MPDUs in an A-MPDU that it receives, if its driver says one."""
    start_spacing_at_2_4_ghz_ns: int | None = None
    """Value of `start_spacing_ns` at 2.4 GHz, where it differs."""
    aql: bool = True
    """The driver asks mac80211 for airtime queue limits."""
    airtime_fairness: bool = True
    """The driver asks mac80211 for airtime fairness."""


def _us(
    after_first: int, after_last: int | None = None, frames: int | None = None
) -> PlanInterruptModeration:
    last = None if after_last is None else after_last * 1000
    return {"after_first_ns": after_first * 1000, "after_last_ns": last, "frames": frames, "load": None}


def _ppdus(count: int, aggregates: str = "at_access") -> PlanHardwareQueue:
    return {"size": {"kind": "ppdus", "count": count}, "aggregates": aggregates}


def _frames(count: int, aggregates: str = "at_access") -> PlanHardwareQueue:
    return {"size": {"kind": "frames", "count": count}, "aggregates": aggregates}


_WITH_RECEPTION: PlanTxInterrupt = {"kind": "with_reception"}
# rtw89/core.c, rtw89_get_traffic_level: more than 50 whole Mbit/s, which have 2^20 bits there;
# RTW89_TRACK_WORK_PERIOD: 2 s.
_RTW89_LOAD: PlanModerationLoad = {"above_bps": 51 * 2**20, "every_ns": 2_000_000_000}
_ATH9K = Card(
    _us(2000, 500),
    None,
    _ppdus(1, "at_entry"),
    False,
    "mpdu_end",
    ampdu_us=4000,
    start_spacing_ns=8000,
    aql=False,
)
# drivers/net/wireless of Linux 6.12: the lines are named in docs/models/delivery.md, those of `ampdu_density`
# in docs/models/practice.md.
_CARDS: Mapping[str, Card] = {
    "none": Card(),
    # ath/ath9k/hw.c: the timers of AR9300 and later, and of older chips; ath9k.h: ATH_AGGR_MIN_QDEPTH 2, one
    # of them on the air; xmit.c: aggregates of 4 ms, formed when they enter.
    "ath9k": _ATH9K,
    "ath9k_ar9002": replace(_ATH9K, rx_interrupt=_us(700, 250)),
    # ath/ath10k/hw.h: 1424 MSDUs. How the firmware batches is not known.
    "ath10k": Card(hardware_queue=_frames(1424), gro=True, start_spacing_ns=8000),
    # ath/ath11k/hal.h: HAL_SRNG_INT_BATCH_THRESHOLD_RX 128, ..._TIMER_THRESHOLD_RX 500; 256 and 1000 for
    # completions; hw.h: 2500 MSDUs.
    "ath11k": Card(
        _us(500, frames=128),
        {"kind": "own", **_us(1000, frames=256)},
        _frames(2500),
        gro=True,
        start_spacing_ns=0,
        aql=False,
        airtime_fairness=False,
    ),
    # mediatek/mt76/mt7915/mt7915.h: 8192 tokens; moderation is switched off (mt7915/dma.c).
    "mt76": Card(
        hardware_queue=_frames(8192), gro=True, start_spacing_ns=2000, start_spacing_at_2_4_ghz_ns=4000
    ),
    # intel/iwlwifi/pcie/tx.c: a queue of 256 entries stops with 32 free. The interrupt's timer is at most
    # 2048 us, and else unknown.
    "iwlwifi": Card(
        hardware_queue=_frames(224), gro=True, start_spacing_ns=4000, aql=False, airtime_fairness=False
    ),
    # realtek/rtw89/pci.c, pci.h: 512 descriptors for each channel; one poll for both.
    "rtw89": Card(
        {**_us(2048, frames=128), "load": _RTW89_LOAD},
        _WITH_RECEPTION,
        _frames(512),
        gro=True,
        start_spacing_ns=0,
        aql=False,
        airtime_fairness=False,
    ),
}
# Entries of a queue of iwlwifi with HE and EHT, less an eighth (fw/api/txq.h, pcie/tx.c).
_IWLWIFI_FRAMES = {"11ax": 896, "11be": 1792}
# ath/ath9k/ath9k.h: ATH_NON_AGGR_MIN_QDEPTH 8, one of them on the air.
_ATH9K_WITHOUT_AGGREGATION = 7


def card_of(name: CardName, standard: Standard) -> Card:
    """The preset of this name in a radio of this standard."""
    card = _CARDS[name]
    if name == "iwlwifi" and standard.name in _IWLWIFI_FRAMES:
        return replace(card, hardware_queue=_frames(_IWLWIFI_FRAMES[standard.name]))
    if name.startswith("ath9k") and not standard.has_mcs:
        return replace(card, hardware_queue=_ppdus(_ATH9K_WITHOUT_AGGREGATION, "at_entry"))
    return card


_Off = Annotated[Literal["off"], IS_WORD]
RxInterrupt = Annotated[Annotated[Moderation, IS_TABLE] | _Off, TABLE_OR_WORD]
TxInterrupt = Annotated[
    Annotated[Moderation, IS_TABLE] | Annotated[Literal["with_rx", "off"], IS_WORD], TABLE_OR_WORD
]
HardwareQueueSetting = Annotated[Annotated[HardwareQueue, IS_TABLE] | _Off, TABLE_OR_WORD]


@dataclass(frozen=True)
class CardSettings:
    """What a scenario says of a card; `None`: as its preset has it."""

    rx_interrupt: RxInterrupt | None
    tx_interrupt: TxInterrupt | None
    hardware_queue: HardwareQueueSetting | None
    host_delay: HostDelay | None


@dataclass(frozen=True)
class DriverFeatures:
    """What the driver of a radio of mac80211 asks for; `None`: what its cell says."""

    aql: bool | None = None
    airtime_fairness: bool | None = None


def card_plan(card: Card, given: CardSettings, features: DriverFeatures, tx_key: str) -> PlanCard:
    """A card as the plan has it; `tx_key`: where a scenario has `tx_interrupt`."""
    interrupt, queue, delay = card.rx_interrupt, card.hardware_queue, given.host_delay
    if given.rx_interrupt is not None:
        interrupt = None if given.rx_interrupt == "off" else _moderation_plan(given.rx_interrupt)
    if given.hardware_queue is not None:
        queue = None if given.hardware_queue == "off" else _queue_plan(given.hardware_queue, queue)
    planned: PlanHostDelay | None = None
    if delay is not None:
        planned = {"fixed_ns": delay.fixed, "jitter_ns": delay.jitter.plan if delay.jitter else None}
    receives_late = interrupt is not None or planned is not None
    return {
        "rx_interrupt": interrupt,
        "tx_interrupt": _tx_interrupt(card, given, receives_late, tx_key),
        "hardware_queue": queue,
        "host_delay": planned,
        "aql": features.aql,
        "airtime_fairness": features.airtime_fairness,
    }


def aggregation_of(card: Card, band: str) -> AggregationOfCard:
    """What the driver of this card says of aggregation in a band."""
    spacing_ns = card.start_spacing_ns
    if band == GHZ_2_4 and card.start_spacing_at_2_4_ghz_ns is not None:
        spacing_ns = card.start_spacing_at_2_4_ghz_ns
    return AggregationOfCard(card.ampdu_us, spacing_ns)


def queue_of_driver(queue: Fifo | FqCodel | Direct, card: Card) -> Fifo | FqCodel | Direct:
    """mac80211's queue as the driver of this card asks for it; what the scenario says of it holds."""
    if not isinstance(queue, FqCodel):
        return queue
    asked: dict[str, object] = {} if card.aql else {"aql": None}
    if not card.airtime_fairness:
        asked["airtime_fairness"] = False
    return queue.model_copy(update={k: v for k, v in asked.items() if k not in queue.model_fields_set})


def _tx_interrupt(card: Card, given: CardSettings, receives_late: bool, key: str) -> PlanTxInterrupt | None:
    if given.tx_interrupt == "off":
        return None
    if given.tx_interrupt == "with_rx" and not receives_late:
        what = "reception is not moderated, so there is no interrupt to wait for"
        raise ScenarioError(key, what, "Give rx_interrupt or host_delay, or leave it out")
    if given.tx_interrupt == "with_rx":
        return _WITH_RECEPTION
    if given.tx_interrupt is not None:
        return {"kind": "own", **_moderation_plan(given.tx_interrupt)}
    waits = card.tx_interrupt != _WITH_RECEPTION or receives_late
    return card.tx_interrupt if waits else None


def _moderation_plan(given: Moderation) -> PlanInterruptModeration:
    load = given.load
    return {
        "after_first_ns": given.after_first,
        "after_last_ns": given.after_last,
        "frames": given.frames,
        "load": {"above_bps": load.above, "every_ns": load.every} if load else None,
    }


def _queue_plan(given: HardwareQueue, preset: PlanHardwareQueue | None) -> PlanHardwareQueue:
    aggregates = given.aggregates or (preset["aggregates"] if preset else "at_access")
    if given.ppdus is not None:
        return _ppdus(given.ppdus, aggregates)
    if given.frames is not None:
        return _frames(given.frames, aggregates)
    assert given.airtime is not None, "it has one unit"
    return {"size": {"kind": "airtime", "ns": given.airtime}, "aggregates": aggregates}
