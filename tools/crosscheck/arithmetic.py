"""What two cells get of which one does not hear the other, slot by slot, without either simulator.

A wide cell does not defer to a narrow one in a secondary channel of it, which hears it. The wide cell's
exchanges follow each other; the narrow one counts its backoff down in the gaps (IEEE 802.11-2020, 10.23.2.4).
"""

import random
from dataclasses import dataclass

# 11n and later at 5 GHz, best effort: SIFS, BlockAck at 24 Mbit/s, AIFS of three slots (10.3.7, table 17-21).
SIFS_US, BLOCK_ACK_US, SLOT_US = 16.0, 32.0, 9.0
AIFS_US = SIFS_US + 3 * SLOT_US
CW_MIN = 15


@dataclass(frozen=True)
class Exchange:
    """A PPDU with data that is answered by a BlockAck."""

    data_us: float
    payload_bits: float

    @property
    def whole_us(self) -> float:
        """Its duration with the BlockAck."""
        return self.data_us + SIFS_US + BLOCK_ACK_US


@dataclass(frozen=True)
class Goodput:
    """Mbit/s of both cells."""

    wide: float
    narrow: float


def narrow_beside_wide(narrow: Exchange, wide: Exchange, hears_block_ack: bool) -> Goodput:
    """Both cells saturated, for 60 s; `hears_block_ack`: it hears the wide one's BlockAck as well."""
    end_us = 60e6
    dice = random.Random(1)
    busy = _busy(wide, hears_block_ack, end_us, dice)
    sent = _accesses(narrow, busy, dice)
    exchanges = len(busy) / (2 if hears_block_ack else 1)
    return Goodput(exchanges * wide.payload_bits / end_us, sent * narrow.payload_bits / end_us)


def _busy(
    wide: Exchange, hears_block_ack: bool, end_us: float, dice: random.Random
) -> list[tuple[float, float]]:
    """When the narrow cell senses the wide one."""
    busy = []
    now = 0.0
    while now < end_us:
        now += AIFS_US + SLOT_US * dice.randint(0, CW_MIN)
        busy.append((now, now + wide.data_us))
        if hears_block_ack:
            busy.append((now + wide.data_us + SIFS_US, now + wide.whole_us))
        now += wide.whole_us
    return busy


def _accesses(narrow: Exchange, busy: list[tuple[float, float]], dice: random.Random) -> int:
    """Exchanges that begin in the gaps. Nothing is lost: the cells are far from each other's receivers."""
    count, place, idle = 0, 0, 0.0
    slots = dice.randint(0, CW_MIN)
    while True:
        while place < len(busy) and busy[place][0] <= idle:
            idle = max(idle, busy[place][1])
            place += 1
        if place >= len(busy):
            return count
        start, end = busy[place]
        first = idle + AIFS_US
        access = first + SLOT_US * slots
        # Less than a slot after the start it can't be sensed.
        if access < start + SLOT_US:
            count += 1
            idle = access + narrow.whole_us
            slots = dice.randint(0, CW_MIN)
            continue
        if start >= first:
            slots = max(0, slots - int((start - first) / SLOT_US) - 1)
        idle = end
        place += 1
