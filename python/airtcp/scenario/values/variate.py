"""Numbers that may be drawn: a plain value, or a distribution.

The first number of a distribution is its mean (`exponential`), its two limits (`uniform`), its median
(`lognormal`) or its scale, which is its least value (`pareto`). The plan crate's `Variate` is the contract,
the crate `airtcp-random` draws.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator

from airtcp.errors import suggestion
from airtcp.plans.types.air_plan import PlanVariate
from airtcp.scenario.values.units import AMOUNT, TIME
from airtcp.wrong_values import in_toml

# Distributions and what else each may have.
DISTRIBUTIONS: Mapping[str, tuple[str, ...]] = {
    "exponential": (),
    "uniform": (),
    "lognormal": ("sigma", "least", "most"),
    "pareto": ("shape", "most", "less"),
}
# SIGMA_MAX of the plan crate.
SIGMA_MOST = 10.0

_Read = Callable[[Any], int]


@dataclass(frozen=True)
class Variate:
    """A number that may be drawn, as the plan has it."""

    plan: PlanVariate


@dataclass(frozen=True)
class Drawn:
    """What is drawn: how a value is read, and an example for messages and the reference."""

    read: _Read
    example: str

    def variate(self, value: Any) -> Variate:
        """The number that a value of the scenario means; `ValueError` says what is wrong with it."""
        if isinstance(value, Variate):
            return value
        if not isinstance(value, Mapping):
            return Variate({"kind": "constant", "value": self.read(value)})
        kind = self._kind(value)
        others = {key: value[key] for key in value if key != kind}
        for key in others:
            if key not in DISTRIBUTIONS[kind]:
                known = ", ".join(DISTRIBUTIONS[kind]) or "nothing else"
                raise ValueError(f'"{key}" is not a key of {kind}; known: {known}')
        return Variate(_CHECKS[kind](self.read, value[kind], others))

    def _kind(self, value: Mapping[str, Any]) -> str:
        kinds = [key for key in value if key in DISTRIBUTIONS]
        if len(kinds) == 1:
            return kinds[0]
        known = ", ".join(DISTRIBUTIONS)
        if kinds:
            raise ValueError(f"{kinds[0]} and {kinds[1]} are two distributions; write one")
        hint = suggestion(next(iter(value), ""), DISTRIBUTIONS)
        example = f"write {{ exponential = {self.example} }}"
        raise ValueError(f"names no distribution; {hint + ' ' if hint else ''}known: {known}; {example}")


def _positive(number: int, what: str) -> int:
    if number <= 0:
        raise ValueError(f"{what} must be more than 0; write a larger one")
    return number


def _exponential(read: _Read, mean: Any, _: Mapping[str, Any]) -> PlanVariate:
    return {"kind": "exponential", "mean": _positive(read(mean), "the mean")}


def _uniform(read: _Read, limits: Any, _: Mapping[str, Any]) -> PlanVariate:
    if not isinstance(limits, list) or len(limits) != 2:
        raise ValueError("uniform has two limits; write [least, most]")
    least, most = read(limits[0]), read(limits[1])
    if least > most:
        raise ValueError("uniform: the first limit is above the second; write [least, most]")
    return {"kind": "uniform", "least": least, "most": most}


def _parameter(others: Mapping[str, Any], name: str, most: float) -> float:
    value = others.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= most:
        raise ValueError(f"{name} must be a number above 0 and at most {most:g}; write for example 1.4")
    return float(value)


def _limit(read: _Read, others: Mapping[str, Any], name: str) -> int | None:
    return read(others[name]) if name in others else None


def _lognormal(read: _Read, median: Any, others: Mapping[str, Any]) -> PlanVariate:
    middle = _positive(read(median), "the median")
    least, most = _limit(read, others, "least"), _limit(read, others, "most")
    # What is outside is drawn again: half of the draws at most.
    if (least is not None and least > middle) or (most is not None and most < middle):
        raise ValueError("the median must be between least and most; write other limits")
    sigma = _parameter(others, "sigma", SIGMA_MOST)
    return {"kind": "lognormal", "median": middle, "sigma": sigma, "least": least, "most": most}


def _pareto(read: _Read, scale: Any, others: Mapping[str, Any]) -> PlanVariate:
    start = _positive(read(scale), "the scale")
    most, less = _limit(read, others, "most"), _limit(read, others, "less") or 0
    if most is not None and most < start:
        raise ValueError("most is below the scale; write a larger one")
    if less > start:
        raise ValueError("less is above the scale; write a smaller one")
    shape = _parameter(others, "shape", 1e3)
    return {"kind": "pareto", "scale": start, "shape": shape, "most": most, "less": less}


_CHECKS: Mapping[str, Callable[[_Read, Any, Mapping[str, Any]], PlanVariate]] = {
    "exponential": _exponential,
    "uniform": _uniform,
    "lognormal": _lognormal,
    "pareto": _pareto,
}


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 10_000:
        raise ValueError(f"{in_toml(value)} is not a number of things; write a whole number from 0 to 10000")
    return value


SIZE = Drawn(lambda value: int(AMOUNT.read(value)), '"10 kB"')
SPAN = Drawn(lambda value: int(TIME.read(value)), '"5 s"')
COUNT = Drawn(_count, "5")

Size = Annotated[Variate, BeforeValidator(SIZE.variate), SIZE]
Span = Annotated[Variate, BeforeValidator(SPAN.variate), SPAN]
Count = Annotated[Variate, BeforeValidator(COUNT.variate), COUNT]
