"""The keys of a scenario whose values can be estimated: their kinds, ranges and scales."""

import math
import re
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from airtcp.errors import AirtcpError
from airtcp.scenario.keys.queue import PACKETS_MOST
from airtcp.scenario.values.units import AMOUNT, RATE, RATIO, RECEIVED_POWER, TIME, Dimension

# What a scenario has in place of an unknown value, and of the file of an unknown recording.
MARK = "?"
# Significant digits of a written value: the intervals of a fit are hardly ever narrower than 0.1 %.
DIGITS = 5
# Of the axis of levels in dB: a step of one is as far as a factor of e on a logarithmic axis, roughly.
DB_PER_STEP = 10.0

What = Literal[
    "rate", "delay", "queue", "interrupt", "host delay", "signal", "level", "loss", "load", "frames"
]

_USUAL = ("bit/s", "kbit/s", "Mbit/s", "Gbit/s", "ns", "us", "ms", "s", "B", "kB", "MB")


@dataclass(frozen=True)
class Kind:
    """A kind of key: what it is, its unit, and the range that is searched if the user names none.

    Values are in the base unit (bit/s, ns, packets, bytes, dBm, dB). Times, rates, lengths and probabilities
    are estimated on a logarithmic axis, levels on a linear one.
    """

    what: What
    low: float
    high: float
    dimension: Dimension | None = None
    noun: str = ""
    """The word behind a number without dimension, as `packets`."""

    @property
    def logarithmic(self) -> bool:
        """Whether steps on the axis are factors."""
        return self.dimension not in (RATIO, RECEIVED_POWER)

    @property
    def whole(self) -> bool:
        """Whether values are whole numbers of something large."""
        return bool(self.noun)

    def axis(self, value: float) -> float:
        """The place of a value on the axis on which it is estimated."""
        return math.log(value) if self.logarithmic else value / DB_PER_STEP

    def value(self, axis: float) -> float:
        """The value at a place of the axis."""
        return math.exp(axis) if self.logarithmic else axis * DB_PER_STEP

    def written(self, value: float, digits: int = DIGITS) -> str | float:
        """The value as a scenario has it."""
        if self.noun:
            return f"{max(1, round(value))} {self.noun}"
        if self.dimension is None:
            return float(f"{value:.{digits}g}")
        if not self.logarithmic:
            return self.dimension.text(round(value, 2))
        # The unit in which the number begins before the point: "23.689 Mbit/s", not "23689 kbit/s".
        units = {unit: float(size) for unit, size in self.dimension.units.items() if unit in _USUAL}
        fitting = {unit: size for unit, size in units.items() if size <= value} or {next(iter(units)): 1.0}
        unit = max(fitting, key=lambda unit: fitting[unit])
        short = float(f"{value:.{digits}g}")
        number = Decimal(round(short) if self.dimension.whole else repr(short)) / self.dimension.units[unit]
        return f"{number.normalize():f} {unit}"

    def read(self, text: object) -> float:
        """The value of what a scenario has; `ValueError` says what is wrong with it."""
        if self.noun:
            match = re.fullmatch(rf"\s*(\d+)\s*{self.noun.rstrip('s')}s?\s*", str(text))
            if match is None:
                raise ValueError(f'"{text}" is not a number of {self.noun}')
            return float(match[1])
        if self.dimension is None:
            return float(str(text))
        return float(self.dimension.read(text))


_SECOND_NS = 1e9
_RATE = Kind("rate", 1e5, 1e10, RATE)
# The default of a wire is no delay; a microsecond is 200 m of fibre, less than a lab's cable.
_DELAY = Kind("delay", 1e3, _SECOND_NS, TIME)
_PACKETS = Kind("queue", 1, 1e4, None, "packets")
_BYTES = Kind("queue", 1e3, 1e8, AMOUNT)
_FRAMES = Kind("frames", 1, 1e4, None, "packets")
_INTERRUPT = Kind("interrupt", 1e3, 1e7, TIME)
_HOST_DELAY = Kind("host delay", 1e3, 1e8, TIME)
# From the noise of 20 MHz (-101 dBm with an ideal receiver) up to a radio at arm's length.
_SIGNAL = Kind("signal", -95, -30, RECEIVED_POWER)
_LEVEL = Kind("level", 0, 30, RATIO)
_LOSS = Kind("loss", 1e-4, 0.9)
# A stream of more than this takes long to compute; a range of one's own may go further.
_LOAD = Kind("load", 1e4, 1e8, RATE)

_WIRE = r"wire\[(\d+|\*)\](\.towards\.[^.]+)?"
_CELL = r"wifi\.[^.]+(\.radio\.[^.]+)?"
# What can be unknown; the first pattern that fits a key's path says what it is.
KINDS: tuple[tuple[str, Kind], ...] = (
    (rf"{_WIRE}\.rate", _RATE),
    (rf"{_WIRE}\.delay", _DELAY),
    (rf"({_WIRE}|{_CELL})\.queue", _PACKETS),
    (rf"{_CELL}\.nic_queue", _FRAMES),
    (rf"({_WIRE}|{_CELL})\.[rt]x_interrupt\.(interval|after_first|after_last)", _INTERRUPT),
    (rf"{_CELL}\.host_delay\.(fixed|jitter\.lognormal|jitter\.exponential|jitter\.uniform)", _HOST_DELAY),
    (rf"({_CELL}|channel|channel\.link\[(\d+|\*)\])\.rssi", _SIGNAL),
    (rf"({_CELL}|interferer\[\d+\])\.tx_power", _SIGNAL),
    (r"interferer\[\d+\]\.rssi", _SIGNAL),
    (r"channel\.(noise_figure|fading\.k)", _LEVEL),
    (r"channel\.loss\[(\d+|\*)\]\.probability", _LOSS),
    (r"udp\[(\d+|\*)\]\.rate", _LOAD),
)


def kind_of(path: str, texts: tuple[str, ...]) -> Kind:
    """The kind of the key at a path; `texts` are the limits of its range, whose unit decides about queues."""
    for pattern, kind in KINDS:
        if re.fullmatch(pattern, path):
            if kind is _PACKETS and any(text and "packet" not in text for text in texts):
                return _BYTES
            return kind
    known = (
        "rate, delay, queue and rx_interrupt of wires; nic_queue, host_delay, rx_interrupt, rssi of cells "
        "and radios; rssi, noise_figure, link rssi and loss of [channel]; rate of [[udp]]"
    )
    raise AirtcpError("can't be estimated", path, f"What can be: {known}")


def within(kind: Kind, low: str, high: str, path: str) -> Kind:
    """The kind with the range that a user gave; an empty text leaves that end as it is."""
    try:
        found = replace(
            kind, low=kind.read(low) if low else kind.low, high=kind.read(high) if high else kind.high
        )
    except ValueError as error:
        raise AirtcpError(str(error), path, f'Write "?" or, with its unit, "{_example(kind)}"') from None
    if not found.low < found.high or found.high > PACKETS_MOST * 1e6:
        raise AirtcpError(f'"{low} ? {high}" is no range', path, "Write the smaller value first")
    return found


def _example(kind: Kind) -> str:
    return f"{kind.written(kind.low)} ? {kind.written(kind.high)}"
