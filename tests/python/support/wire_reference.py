"""A second implementation of a wire with a trace, from the rules of docs/models/wires.md, in exact fractions."""

from dataclasses import dataclass
from fractions import Fraction

NS_PER_S = 1_000_000_000
_MASK = (1 << 64) - 1


@dataclass(frozen=True)
class Step:
    """From a time on: bit/s (`None`: no limit), ns, probability."""

    time_ns: int
    rate_bps: int | None
    delay_ns: int
    loss: float = 0.0


@dataclass(frozen=True)
class Carried:
    """When a frame was started, and when it arrives; `None` if it is lost, or never departs."""

    start_ns: int
    arrival_ns: int | None


class ReferenceWire:
    """One direction of a wire: frames in their order, each ready at a time."""

    def __init__(self, steps: list[Step], period_ns: int | None, key: tuple[int, int]) -> None:
        self.steps, self.period_ns, self.key = steps, period_ns, key
        self.free_ns, self.exact, self.frames, self.last_arrival_ns = 0, Fraction(0), 0, 0

    def carry(self, ready_ns: int, octets: int) -> Carried:
        """Sends the next frame."""
        start_ns = max(ready_ns, self.free_ns)
        # A wire that is busy goes on where it was, within the nanosecond.
        begun = self.exact if ready_ns <= self.free_ns else Fraction(start_ns)
        self.exact = self.departure(begun, Fraction(octets * 8))
        self.free_ns = int(self.exact)
        step = self.step(self.free_ns)
        lost = siphash(self.frames, self.key) >> 11 < round(step.loss * (1 << 53))
        self.frames += 1
        if lost:
            return Carried(start_ns, None)
        self.last_arrival_ns = max(self.last_arrival_ns, self.free_ns + step.delay_ns)
        return Carried(start_ns, self.last_arrival_ns)

    def step(self, time_ns: int) -> Step:
        """That of a time."""
        return self.place(Fraction(time_ns))[0]

    def place(self, time: Fraction) -> tuple[Step, Fraction | None]:
        """The step of a time, and when it ends."""
        lap = 0 if self.period_ns is None or time < 0 else int(time // self.period_ns) * self.period_ns
        own = [step for step in self.steps if step.time_ns <= max(time, Fraction(0)) - lap][-1]
        later = [step.time_ns for step in self.steps if step.time_ns > own.time_ns]
        end = later[0] if later else self.period_ns
        return own, None if end is None else Fraction(lap + end)

    def departure(self, time: Fraction, bits: Fraction) -> Fraction:
        """The first time at which the integral of the rate since `time` is `bits`."""
        while True:
            step, end = self.place(time)
            if step.rate_bps is None:
                return time
            per_ns = Fraction(step.rate_bps, NS_PER_S)
            if per_ns and (end is None or bits <= per_ns * (end - time)):
                return time + bits / per_ns
            assert end is not None, "it never departs"
            bits -= per_ns * (end - time)
            time = end


def siphash(message: int, key: tuple[int, int]) -> int:
    """SipHash-2-4 of eight octets (Aumasson and Bernstein, INDOCRYPT 2012)."""
    state = [
        key[0] ^ 0x736F6D6570736575,
        key[1] ^ 0x646F72616E646F6D,
        key[0] ^ 0x6C7967656E657261,
        key[1] ^ 0x7465646279746573,
    ]

    def rotated(value: int, bits: int) -> int:
        return (value << bits | value >> (64 - bits)) & _MASK

    def mix(rounds: int) -> None:
        a, b, c, d = state
        for _ in range(rounds):
            a = (a + b) & _MASK
            b = rotated(b, 13) ^ a
            a = rotated(a, 32)
            c = (c + d) & _MASK
            d = rotated(d, 16) ^ c
            a = (a + d) & _MASK
            d = rotated(d, 21) ^ a
            c = (c + b) & _MASK
            b = rotated(b, 17) ^ c
            c = rotated(c, 32)
        state[:] = a, b, c, d

    for word in (message, 8 << 56):
        state[3] ^= word
        mix(2)
        state[0] ^= word
    state[2] ^= 0xFF
    mix(4)
    return state[0] ^ state[1] ^ state[2] ^ state[3]
