"""The condition that good kernels meet: quantities of runs, each compared with a number.

    rtt.p95 < 40 ms
    throughput >= 20 Mbit/s and datagram_loss < 1 %

Names are those of quantities, with a statistic where they have values. Parts are joined by `and`, which binds
closer, and `or`. With several seeds the mean over the seeds is compared, as in tables of runs.
"""

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from airtcp.errors import AirtcpError
from airtcp.quantities.named_number import NamedNumber, number_named
from airtcp.scenario.values.units import AMOUNT, RATE, TIME
from airtcp.sessions.condition import COMPARISONS, parts_of, tokens

PLACE = "--when"
_EXAMPLE = 'Write for example --when "rtt.p95 < 40 ms"'
_OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    "less": operator.lt,
    "at_most": operator.le,
    "greater": operator.gt,
    "at_least": operator.ge,
    "equal": operator.eq,
    "other": operator.ne,
}
_PERCENT = 0.01


@dataclass(frozen=True)
class Bound:
    """A quantity, and what it is compared with, in the unit of the quantity."""

    number: NamedNumber
    comparison: str
    than: float

    def met(self, value: float) -> bool:
        """Whether a value meets it."""
        return _OPERATORS[COMPARISONS[self.comparison]](value, self.than)


@dataclass(frozen=True)
class Condition:
    """What must hold: all bounds of one of the alternatives."""

    text: str
    alternatives: tuple[tuple[Bound, ...], ...]

    @property
    def numbers(self) -> tuple[NamedNumber, ...]:
        """The quantities that it is about, each once."""
        bounds = [bound for every in self.alternatives for bound in every]
        return tuple({bound.number.name: bound.number for bound in bounds}.values())

    def met(self, values: Mapping[str, float]) -> bool:
        """Whether values, by the names of quantities, meet it."""
        return any(
            all(bound.met(values[bound.number.name]) for bound in every) for every in self.alternatives
        )


def read_condition(text: str) -> Condition:
    """The condition that a text is; what is wrong with it is an `AirtcpError`."""
    words = tokens(text)
    if not words:
        raise AirtcpError("says nothing that good kernels meet", PLACE, _EXAMPLE)
    every = [parts_of(either, "and") for either in parts_of(words, "or")]
    return Condition(text, tuple(tuple(_bound(part) for part in parts) for parts in every))


def _bound(words: Sequence[str]) -> Bound:
    place = next((place for place, word in enumerate(words) if word in COMPARISONS), None)
    if place != 1 or len(words) <= place + 1:
        raise AirtcpError(f'"{" ".join(words)}" does not compare a quantity with a number', PLACE, _EXAMPLE)
    number = number_named(words[0], PLACE)
    return Bound(number, words[1], _in_unit(" ".join(words[2:]), number))


def _in_unit(text: str, number: NamedNumber) -> float:
    """A number with its unit, in the unit of the quantity."""
    for dimension in (TIME, RATE, AMOUNT):
        if number.unit in dimension.units:
            try:
                return float(dimension.read(text)) / float(dimension.units[number.unit])
            except ValueError as error:
                raise AirtcpError(str(error), f"{PLACE}: {number.name}") from None
    digits, _, unit = text.partition(" ")
    if digits.endswith("%"):
        digits, unit = digits.removesuffix("%"), "%"
    # A share is of 1, and may be written in percent.
    scale = _PERCENT if unit == "%" and not number.unit else 1.0
    try:
        value = float(digits) * scale
    except ValueError:
        value = math.nan
    if math.isnan(value) or unit not in ("", number.unit, *(["%"] if not number.unit else [])):
        known = f"a number of {number.unit}" if number.unit else "a number without a unit, or in %"
        raise AirtcpError(f'"{text}" can\'t be compared with it', f"{PLACE}: {number.name}", f"Write {known}")
    return value


def values_text(numbers: Sequence[NamedNumber], by_seed: Mapping[str, Sequence[float]]) -> str:
    """Means in words, with the range of seeds: `rtt.p95 38.21 ms (37.90 to 38.60)`."""
    return ", ".join(_value_text(number, by_seed[number.name]) for number in numbers)


def _value_text(number: NamedNumber, values: Sequence[float]) -> str:
    digits, unit = number.digits, f" {number.unit}" if number.unit else ""
    mean = f"{number.name} {fmean(values):.{digits}f}{unit}"
    if len(values) == 1 or min(values) == max(values):
        return mean
    return f"{mean} ({min(values):.{digits}f} to {max(values):.{digits}f})"
