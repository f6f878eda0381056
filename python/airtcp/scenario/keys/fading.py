"""Slow and fast variation of received power: shadowing, block fading, tapped delay lines."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from airtcp.scenario.keys.parts import Part, table_of_kind, written
from airtcp.scenario.plan_types.air_plan import PlanFadingTap, PlanShadowing
from airtcp.scenario.values.units import DelayNs, DistanceM, LengthNs, RatioDb, SpeedKmh


class Shadowing(Part):
    """Log-normal shadowing by obstacles that no floor plan shows: `[channel.shadowing]`."""

    sigma: RatioDb = Field(ge=0)
    """Standard deviation."""
    decorrelation: DistanceM = written("6 m")
    """Decorrelation distance: correlation falls as exp(-d / this) (Gudmundson, 1991). Default: offices
    without line of sight (3GPP TR 38.901, table 7.5-6).
    """


_COHERENCE = "Time for which a gain holds; 0.423 c / (v f): 24 ms at 1 m/s and 5.18 GHz, 53 ms at 2.4 GHz."


class Rayleigh(Part):
    """Rayleigh: many paths, none of them dominant."""

    kind: Literal["rayleigh"]
    """Rayleigh: many paths, none of them dominant."""
    coherence: LengthNs = Field(description=_COHERENCE)


class Rician(Part):
    """Rice: many paths and a direct one."""

    kind: Literal["rician"]
    """Rice: many paths and a direct one."""
    k: RatioDb
    """Power of the direct path over that of all others."""
    coherence: LengthNs = Field(description=_COHERENCE)


class Nakagami(Part):
    """Nakagami fading; m = 1 is Rayleigh."""

    kind: Literal["nakagami"]
    """Nakagami; m = 1 is Rayleigh."""
    m: float = Field(ge=0.5, le=1e6)
    """Shape."""
    coherence: LengthNs = Field(description=_COHERENCE)


_SPEED = (
    "Speed of what moves; its Doppler shift is speed over wavelength. A channel that changes within the "
    "longest PPDU is refused."
)


class Tgn(Part):
    """A TGn channel model."""

    kind: Literal["tgn"]
    """Tapped delay lines of IEEE 802.11 TGn, with the taps of TGac in wide channels: frequency-selective,
    correlated in time, with as many correlated antennas as `streams`.
    """
    model: Literal["A", "B", "C", "D", "E", "F"]
    """A: flat, B: home, C: small office, D: office, E: large office, F: large space; 0, 15, 30, 50, 100,
    150 ns rms.
    """
    speed: SpeedKmh = Field(
        written("0.089 km/h"),
        description=_SPEED + " Default: stations and people at rest (IEEE 802.11-09/0308r12); with people "
        'about `"1.2 km/h"` (IEEE 802.11-03/940r4).',
    )
    doppler: Literal["bell", "jakes"] = "bell"
    """Spectrum: surroundings move (`bell`, TGn) or the stations do (`jakes`)."""
    line_of_sight: Literal["auto"] | bool = "auto"
    """Direct path in the first tap; `"auto"`: up to the breakpoint distance of the model (5, 5, 5, 10, 20,
    30 m), and none with `rssi`.
    """


class Tap(Part):
    """A tap of one's own: `[[channel.fading.tap]]`."""

    delay: DelayNs
    """Delay."""
    power: RatioDb
    """Power relative to the others; the sum is scaled to 1."""
    k: RatioDb | None = None
    """Power of its constant part over that of the changing one; default: all of it changes."""
    speed: SpeedKmh | None = None
    """Speed for this tap; default: that of all."""


class Taps(Part):
    """A tapped delay line of one's own."""

    kind: Literal["taps"]
    """A tapped delay line of one's own; antennas are uncorrelated."""
    tap: list[Tap] = Field(min_length=1, max_length=64)
    """Its taps, each with `delay`, `power`, and if wanted `k` (constant over changing power) and `speed`."""
    speed: SpeedKmh = Field(description=_SPEED)
    doppler: Literal["bell", "jakes"] = "jakes"
    """Spectrum: surroundings move (`bell`) or the stations do (`jakes`)."""


FADINGS: tuple[type[Part], ...] = (Rayleigh, Rician, Nakagami, Tgn, Taps)
_KINDS = ("rayleigh", "rician", "nakagami", "tgn", "taps")


def _read(value: Any) -> Any:
    if isinstance(value, dict):
        return table_of_kind(value, "kind", _KINDS, "fading")
    if isinstance(value, Part):
        return value
    raise ValueError(
        f'{value!r} is no fading; write {{ kind = "rayleigh", coherence = "24 ms" }}, or leave it out'
    )


AnyFading = Rayleigh | Rician | Nakagami | Tgn | Taps
Fading = Annotated[AnyFading, Field(discriminator="kind"), BeforeValidator(_read)]


def fading_plan(fading: AnyFading | None) -> dict[str, Any]:
    """As the plan has it."""
    if fading is None:
        return {"kind": "none"}
    if isinstance(fading, Tgn | Taps):
        return _tapped_plan(fading)
    plan: dict[str, Any] = {"kind": fading.kind}
    if isinstance(fading, Rician):
        plan["k_db"] = fading.k
    if isinstance(fading, Nakagami):
        plan["m"] = fading.m
    return {**plan, "coherence_ns": fading.coherence}


def _mps(speed_kmh: float) -> float:
    return speed_kmh / 3.6


def _tapped_plan(fading: Tgn | Taps) -> dict[str, Any]:
    profile: dict[str, Any]
    if isinstance(fading, Tgn):
        profile = {"kind": "tgn", "model": fading.model}
        sight = None if fading.line_of_sight == "auto" else fading.line_of_sight
    else:
        taps: list[PlanFadingTap] = [
            {
                "delay_ns": tap.delay,
                "power_db": tap.power,
                "k_db": tap.k,
                "speed_mps": None if tap.speed is None else _mps(tap.speed),
            }
            for tap in fading.tap
        ]
        profile, sight = {"kind": "taps", "taps": taps}, None
    return {
        "kind": "tapped",
        "profile": profile,
        "spectrum": fading.doppler,
        "speed_mps": _mps(fading.speed),
        "line_of_sight": sight,
    }


def shadowing_plan(shadowing: Shadowing | None) -> PlanShadowing | None:
    """As the plan has it."""
    if shadowing is None:
        return None
    return {"sigma_db": shadowing.sigma, "decorrelation_m": shadowing.decorrelation}
