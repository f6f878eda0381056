"""Cards and hosts as they are: interrupts, queues of the hardware, delays of the host; presets of drivers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import Field, model_validator

from airtcp.scenario.keys.parts import Part, written
from airtcp.scenario.plan_types.air_plan import PlanCard, PlanHardwareQueue, PlanHostDelay, PlanRxInterrupt
from airtcp.scenario.values.units import TimeNs
from airtcp.scenario.values.variate import Span
from airtcp.scenario.wifi_rules.standard import Standard

CardName = Literal["none", "ath9k", "ath9k_ar9002", "ath10k", "ath11k", "mt76", "iwlwifi", "rtw89"]
_Delivery = Literal["ppdu_end", "mpdu_end"]


class RxInterrupt(Part):
    """Interrupt moderation on reception: the interrupt comes when the first of these conditions holds."""

    after_first: TimeNs | None = None
    """Time since the first frame that waits."""
    after_last: TimeNs | None = None
    """Time since the last frame that waits."""
    frames: int | None = Field(None, ge=1, le=65_536)
    """Frames that wait."""

    @model_validator(mode="after")
    def _has_a_timer(self) -> "RxInterrupt":
        if self.after_first is None and self.after_last is None:
            raise ValueError("without a timer the last frames never reach the host; give after_first")
        return self


class HardwareQueue(Part):
    """What leaves the queues above before the medium is won, for each access category."""

    ppdus: int | None = Field(None, ge=1, le=64)
    """What fills this many PPDUs beside the one on the air."""
    frames: int | None = Field(None, ge=1, le=65_536)
    """This many frames."""

    @model_validator(mode="after")
    def _has_one_unit(self) -> "HardwareQueue":
        if (self.ppdus is None) == (self.frames is None):
            raise ValueError("has either ppdus or frames; write for example { frames = 224 }")
        return self


class HostDelay(Part):
    """Time between an interrupt and the poll that hands the frames to the network stack."""

    fixed: TimeNs = written("0 us")
    """The part that is always the same."""
    jitter: Span | None = None
    """The part that is drawn for each poll: a time, or a distribution such as
    `{ lognormal = "50 us", sigma = 1, most = "3 ms" }`.
    """


@dataclass(frozen=True)
class Card:
    """What a card does; sources in docs/models/delivery.md."""

    rx_interrupt: PlanRxInterrupt | None = None
    hardware_queue: PlanHardwareQueue | None = None
    gro: bool = False
    delivery: _Delivery = "ppdu_end"


def _us(after_first: int, after_last: int | None = None, frames: int | None = None) -> PlanRxInterrupt:
    last = None if after_last is None else after_last * 1000
    return {"after_first_ns": after_first * 1000, "after_last_ns": last, "frames": frames}


def _frames(count: int) -> PlanHardwareQueue:
    return {"kind": "frames", "count": count}


_ONE_PPDU: PlanHardwareQueue = {"kind": "ppdus", "count": 1}
# drivers/net/wireless of Linux 6.12: the lines are named in docs/models/delivery.md.
_CARDS: Mapping[str, Card] = {
    "none": Card(),
    # ath/ath9k/hw.c: the timers of AR9300 and later, and of older chips; ath9k.h: ATH_AGGR_MIN_QDEPTH 2, one
    # of them on the air.
    "ath9k": Card(_us(2000, 500), _ONE_PPDU, delivery="mpdu_end"),
    "ath9k_ar9002": Card(_us(700, 250), _ONE_PPDU, delivery="mpdu_end"),
    # ath/ath10k/hw.h: 1424 MSDUs. How the firmware batches is not known.
    "ath10k": Card(None, _frames(1424), gro=True),
    # ath/ath11k/hal.h: HAL_SRNG_INT_BATCH_THRESHOLD_RX 128, ..._TIMER_THRESHOLD_RX 500; hw.h: 2500 MSDUs.
    "ath11k": Card(_us(500, frames=128), _frames(2500), gro=True),
    # mediatek/mt76/mt7915/mt7915.h: 8192 tokens; moderation is switched off (mt7915/dma.c).
    "mt76": Card(None, _frames(8192), gro=True),
    # intel/iwlwifi/pcie/tx.c: a queue of 256 entries stops with 32 free. The interrupt's timer is at most
    # 2048 us, and else unknown.
    "iwlwifi": Card(None, _frames(224), gro=True),
    # realtek/rtw89/pci.c, pci.h: above 50 Mbit/s; 512 descriptors for each channel.
    "rtw89": Card(_us(2048, frames=128), _frames(512), gro=True),
}
# Entries of a queue of iwlwifi with HE and EHT, less an eighth (fw/api/txq.h, pcie/tx.c).
_IWLWIFI_FRAMES = {"11ax": 896, "11be": 1792}


def card_of(name: CardName, standard: Standard) -> Card:
    """The preset of this name in a radio of this standard."""
    card = _CARDS[name]
    if name == "iwlwifi" and standard.name in _IWLWIFI_FRAMES:
        return Card(None, _frames(_IWLWIFI_FRAMES[standard.name]), gro=True)
    return card


@dataclass(frozen=True)
class CardSettings:
    """What a scenario says of a card; `None`: as its preset has it."""

    rx_interrupt: RxInterrupt | Literal["off"] | None
    hardware_queue: HardwareQueue | Literal["off"] | None
    host_delay: HostDelay | None


def card_plan(card: Card, given: CardSettings) -> PlanCard:
    """A card as the plan has it."""
    interrupt, queue, delay = card.rx_interrupt, card.hardware_queue, given.host_delay
    if given.rx_interrupt is not None:
        interrupt = None if given.rx_interrupt == "off" else _interrupt_plan(given.rx_interrupt)
    if given.hardware_queue is not None:
        queue = None if given.hardware_queue == "off" else _queue_plan(given.hardware_queue)
    planned: PlanHostDelay | None = None
    if delay is not None:
        planned = {"fixed_ns": delay.fixed, "jitter_ns": delay.jitter.plan if delay.jitter else None}
    return {"rx_interrupt": interrupt, "hardware_queue": queue, "host_delay": planned}


def _interrupt_plan(given: RxInterrupt) -> PlanRxInterrupt:
    return {
        "after_first_ns": given.after_first,
        "after_last_ns": given.after_last,
        "frames": given.frames,
    }


def _queue_plan(given: HardwareQueue) -> PlanHardwareQueue:
    if given.frames is not None:
        return _frames(given.frames)
    assert given.ppdus is not None, "it has one unit"
    return {"kind": "ppdus", "count": given.ppdus}
