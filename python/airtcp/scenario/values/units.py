"""Quantities written as text with a unit: `"10 Mbit/s"`, `"0.65 ms"`, `"-45 dBm"`.

Each type is what a plan holds (integer nanoseconds, bits per second, octets; floats for radio quantities);
reading is exact (decimal arithmetic), and a bare number is refused, since its unit would be a guess.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer

from airtcp.wrong_values import in_toml

_NUMBER_AND_UNIT = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)\s*([^\d\s].*?)?\s*")

_COMMA = re.compile(r"\s*([+-]?\d+),(\d+)")


@dataclass(frozen=True, eq=False)
class Dimension:
    """A kind of quantity: its units, its limits in the base unit, an example for messages."""

    name: str
    units: Mapping[str, Decimal]
    least: Decimal
    most: Decimal
    example: str
    whole: bool = True
    exclusive_least: bool = False
    # The unit that a number without one has, where nobody would mean another.
    bare: str | None = None

    def read(self, value: Any) -> int | float:
        """The quantity in the base unit; `ValueError` says what is wrong with the text."""
        if not isinstance(value, str):
            raise ValueError(f'{in_toml(value)} has no unit; write text such as "{self._with_unit(value)}"')
        match = _NUMBER_AND_UNIT.fullmatch(value)
        if match is None:
            raise ValueError(f'"{value}" is not a {self.name}; write text such as "{self.example}"')
        number, unit = match.groups()
        if (decimal := _COMMA.match(value)) is not None:
            point = f"{decimal[1]}.{decimal[2]}{value[decimal.end() :]}"
            raise ValueError(f'"{value}" has a comma; write a point: "{point}"')
        if unit is None:
            raise ValueError(f'"{value}" has no unit; write for example "{self._with_unit(number)}"')
        if unit not in self.units:
            raise ValueError(self._unknown_unit(number, unit))
        return self._checked(Decimal(number) * self.units[unit], value)

    def _with_unit(self, number: Any) -> str:
        """What was probably meant by a number alone, or the example."""
        if self.bare is None or isinstance(number, bool) or not isinstance(number, int | float | str):
            return self.example
        meant = f"{number} {self.bare}"
        try:
            self.read(meant)
        except ValueError:
            return self.example
        return meant

    def _unknown_unit(self, number: str, unit: str) -> str:
        said, known = f'"{unit}" is not a unit of {self.name}', ", ".join(self.units)
        if (near := _nearest_unit(unit, self.units)) is not None:
            return f'{said}; did you mean "{number} {near}"? known: {known}'
        if unit in _OCTETS_PER_S and "Mbit/s" in self.units:
            bits = _plain(Decimal(number) * _OCTETS_PER_S[unit] * 8)
            return f'{said}, which counts bits; did you mean "{bits} Mbit/s"? known: {known}'
        if unit in _MILLIWATTS and "dBm" in self.units and Decimal(number) > 0:
            level = round(10 * (Decimal(number) * _MILLIWATTS[unit]).log10(), 1)
            return f'{said}, which is logarithmic; did you mean "{_plain(level)} dBm"? known: {known}'
        return f"{said}; known: {known}"

    def _checked(self, base: Decimal, text: str) -> int | float:
        if base < 0 and self.least >= 0:
            raise ValueError(f'"{text}" is negative')
        below = base <= self.least if self.exclusive_least else base < self.least
        if below and base == 0:
            raise ValueError(f'"{text}" is out of range: write more than 0, at most {self.text(self.most)}')
        if base > self.most and self.most == 0:
            limit = f"it is {self.text(self.most)} at most"
            raise ValueError(f'"{text}" is no {self.name}: {limit}; did you mean "{self.text(-base)}"?')
        if below or base > self.most:
            raise ValueError(f'"{text}" is out of range: {self.text(self.least)} to {self.text(self.most)}')
        if not self.whole:
            return float(base)
        if base != base.to_integral_value():
            raise ValueError(f'"{text}" is finer than 1 {next(iter(self.units))}')
        return int(base)

    def text(self, base: Decimal | int | float) -> str:
        """The quantity in the largest unit that leaves a short number."""
        exact = Decimal(str(base))
        best = min(self.units, key=lambda unit: len(_plain(exact / self.units[unit])))
        return f"{_plain(exact / self.units[best])} {best}"


# Rates in octets, as some programs show them, in Mbyte/s.
_OCTETS_PER_S = {"B/s": Decimal("1e-6"), "kB/s": Decimal("1e-3"), "MB/s": Decimal(1), "GB/s": Decimal(1000)}
# Powers as data sheets have them, in milliwatts.
_MILLIWATTS = {"W": Decimal(1000), "mW": Decimal(1), "uW": Decimal("1e-3"), "µW": Decimal("1e-3")}


def _nearest_unit(unit: str, known: Mapping[str, Decimal]) -> str | None:
    """The unit that another spelling means, as `Mbps`, `mbit` or `S`; none if two may be meant."""
    spelled = _SPELLINGS.get(unit, unit)
    if spelled in known:
        return spelled
    means = [own for own in known if own.lower() == spelled.lower()]
    return means[0] if len(means) == 1 else None


_BIT_RATES = {"": "", "k": "k", "K": "k", "M": "M", "m": "M", "G": "G", "g": "G"}
_SPELLINGS = {
    **{
        f"{prefix}{bits}": f"{own}bit/s"
        for prefix, own in _BIT_RATES.items()
        for bits in ("bps", "b/s", "bit", "bits", "bits/s", "bit/sec", "Bit/s", "bitps")
    },
    **{prefix: f"{prefix}bit/s" for prefix in "kMG"},
    **{
        f"{prefix}{octets}": f"{prefix}B" for prefix in "kMG" for octets in ("byte", "bytes", "Byte", "Bytes")
    },
    **dict.fromkeys(("sec", "secs", "second", "seconds"), "s"),
    **dict.fromkeys(("msec", "millisecond", "milliseconds"), "ms"),
    **dict.fromkeys(("usec", "microseconds"), "us"),
    **dict.fromkeys(("m", "mins", "minute", "minutes"), "min"),
    **dict.fromkeys(("hour", "hours", "hr"), "h"),
    **dict.fromkeys(("byte", "bytes", "Byte", "Bytes", "octets"), "B"),
    **dict.fromkeys(("meter", "meters", "metre", "metres"), "m"),
}


def _plain(number: Decimal) -> str:
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _units(**factors: str) -> dict[str, Decimal]:
    return {name: Decimal(factor) for name, factor in factors.items()}


# The longest run: a day. A nanosecond count of it stays far below 2^63.
TIME = Dimension(
    "time",
    {**_units(ns="1", us="1e3"), "µs": Decimal("1e3"), **_units(ms="1e6", s="1e9", min="6e10", h="3.6e12")},
    Decimal(0),
    Decimal("8.64e13"),
    "0.65 ms",
)
# A day each way; NTP lets a clock be fast or slow by 500 ppm at most (RFC 5905, section 10).
CLOCK_OFFSET = Dimension("time", TIME.units, Decimal("-8.64e13"), Decimal("8.64e13"), "20 ms")
CLOCK_SKEW = Dimension("skew", _units(ppb="1", ppm="1e3"), Decimal(-500_000), Decimal(500_000), "20 ppm")
LENGTH_OF_TIME = Dimension("time", TIME.units, Decimal(0), TIME.most, "10 s", exclusive_least=True)
# 100 Gbit/s is beyond any link airtcp is meant for.
RATE = Dimension(
    "rate",
    {
        "bit/s": Decimal(1),
        **{f"{prefix}bit/s": Decimal(f"1e{power}") for prefix, power in (("k", 3), ("M", 6), ("G", 9))},
    },
    Decimal("1e3"),
    Decimal("1e11"),
    "10 Mbit/s",
)
AMOUNT = Dimension(
    "amount of data",
    {
        **_units(B="1", kB="1e3", MB="1e6", GB="1e9"),
        **_units(KiB="1024", MiB="1048576", GiB="1073741824"),
    },
    Decimal(0),
    Decimal("1e15"),
    "10 MB",
    exclusive_least=True,
    bare="B",
)
# What is sent: 1 kW is more than any radio of 802.11 has.
POWER = Dimension("power", _units(dBm="1"), Decimal(-200), Decimal(60), "20 dBm", whole=False, bare="dBm")
# What arrives: radios side by side leave some -20 dBm, and cards are destroyed above 0 dBm to 10 dBm. The
# noise in 20 MHz is -101 dBm; what is far below it stands for "not heard".
RECEIVED_POWER = Dimension(
    "received power", POWER.units, Decimal(-200), Decimal(0), "-45 dBm", whole=False, bare="dBm"
)
RATIO = Dimension("ratio", _units(dB="1"), Decimal(-100), Decimal(300), "7 dB", whole=False, bare="dB")
# Whole megahertz: every channel of 802.11 has a centre in them. Up to 70 GHz, beyond the last one.
FREQUENCY = Dimension(
    "frequency",
    _units(MHz="1", GHz="1000"),
    Decimal(1),
    Decimal(70_000),
    "5180 MHz",
    exclusive_least=True,
    bare="MHz",
)
WIDTH = Dimension(
    "width", FREQUENCY.units, Decimal(1), Decimal(10_000), "80 MHz", exclusive_least=True, bare="MHz"
)
BANDWIDTH = Dimension(
    "bandwidth",
    _units(kHz="1", MHz="1e3", GHz="1e6"),
    Decimal(0),
    Decimal("1e7"),
    "20 MHz",
    exclusive_least=True,
)
GUARD = Dimension("time", TIME.units, Decimal(0), Decimal(10_000), "800 ns", exclusive_least=True)
# Delays of paths of a radio channel, up to the longest guard interval.
PATH_DELAY = Dimension("time", TIME.units, Decimal(0), Decimal(3200), "50 ns")
# What the MAC counts in microseconds, and the standard in time units of 1024 us (IEEE 802.11-2020, 3.1).
MAC_TIME = Dimension(
    "time",
    {**_units(us="1"), "µs": Decimal(1), **_units(ms="1e3", s="1e6", TU="1024")},
    Decimal(0),
    Decimal("4e9"),
    "4 ms",
)
_METRES = _units(m="1", cm="0.01", mm="0.001", km="1000")
DISTANCE = Dimension("distance", _METRES, Decimal("1e-2"), Decimal("1e5"), "10 m", whole=False)
THICKNESS = Dimension("thickness", _METRES, Decimal("1e-3"), Decimal(10), "12.5 mm", whole=False)
SPEED = Dimension(
    "speed", {"km/h": Decimal(1), "m/s": Decimal("3.6")}, Decimal(0), Decimal(1000), "1.2 km/h", whole=False
)
COORDINATE = Dimension("coordinate", _METRES, Decimal("-1e5"), Decimal("1e5"), "10 m", whole=False)


def _reader(dimension: Dimension) -> Callable[[Any], Any]:
    def read(value: Any) -> int | float:
        return dimension.read(value)

    return read


def _writer(dimension: Dimension) -> PlainSerializer:
    return PlainSerializer(dimension.text, return_type=str)


DelayNs = Annotated[int, BeforeValidator(_reader(PATH_DELAY)), _writer(PATH_DELAY), PATH_DELAY]
TimeNs = Annotated[int, BeforeValidator(_reader(TIME)), _writer(TIME), TIME]
LengthNs = Annotated[int, BeforeValidator(_reader(LENGTH_OF_TIME)), _writer(TIME), LENGTH_OF_TIME]
OffsetNs = Annotated[int, BeforeValidator(_reader(CLOCK_OFFSET)), _writer(CLOCK_OFFSET), CLOCK_OFFSET]
SkewPpb = Annotated[int, BeforeValidator(_reader(CLOCK_SKEW)), _writer(CLOCK_SKEW), CLOCK_SKEW]
RateBps = Annotated[int, BeforeValidator(_reader(RATE)), _writer(RATE), RATE]
AmountBytes = Annotated[int, BeforeValidator(_reader(AMOUNT)), _writer(AMOUNT), AMOUNT]
FrequencyMhz = Annotated[int, BeforeValidator(_reader(FREQUENCY)), _writer(FREQUENCY), FREQUENCY]
WidthMhz = Annotated[int, BeforeValidator(_reader(WIDTH)), _writer(WIDTH), WIDTH]
BandwidthKhz = Annotated[int, BeforeValidator(_reader(BANDWIDTH)), _writer(BANDWIDTH), BANDWIDTH]
GuardNs = Annotated[int, BeforeValidator(_reader(GUARD)), _writer(GUARD), GUARD]
MacTimeUs = Annotated[int, BeforeValidator(_reader(MAC_TIME)), _writer(MAC_TIME), MAC_TIME]
PowerDbm = Annotated[float, BeforeValidator(_reader(POWER)), _writer(POWER), POWER]
ReceivedDbm = Annotated[
    float, BeforeValidator(_reader(RECEIVED_POWER)), _writer(RECEIVED_POWER), RECEIVED_POWER
]
RatioDb = Annotated[float, BeforeValidator(_reader(RATIO)), _writer(RATIO), RATIO]
ThicknessM = Annotated[float, BeforeValidator(_reader(THICKNESS)), _writer(THICKNESS), THICKNESS]
DistanceM = Annotated[float, BeforeValidator(_reader(DISTANCE)), _writer(DISTANCE), DISTANCE]
CoordinateM = Annotated[float, BeforeValidator(_reader(COORDINATE)), _writer(COORDINATE), COORDINATE]
SpeedKmh = Annotated[float, BeforeValidator(_reader(SPEED)), _writer(SPEED), SPEED]
