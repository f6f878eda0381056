"""Slow and fast variation of received power: shadowing, block fading, tapped delay lines."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from airtcp.plans.types.air_plan import PlanFadingTap, PlanShadowing
from airtcp.scenario.keys.parts import Part, table_of_kind, written
from airtcp.scenario.values.units import SPEED, DelayNs, DistanceM, LengthNs, RatioDb, SpeedKmh
from airtcp.wrong_values import in_toml


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


Model = Literal["A", "B", "C", "D", "E", "F"]

_SPEED = (
    "Speed of what moves; its Doppler shift is speed over wavelength. A channel that changes within the "
    "longest PPDU is refused."
)


# Model and speed of what moves, as the documents of IEEE 802.11 assume them: homes are B and offices D in
# 11-14/0980r16 (TGax simulation scenarios), small offices C and halls E in 11-03/940r4 (TGn channel models).
# 0.089 km/h, where nobody moves, was measured by 11-09/0308r12; 1.2 km/h, with people about, is of 940r4.
_PLACES: dict[str, tuple[Model, str]] = {
    "home": ("B", "0.089 km/h"),
    "home_people": ("B", "1.2 km/h"),
    "small_office": ("C", "0.089 km/h"),
    "office": ("D", "0.089 km/h"),
    "hall": ("E", "0.089 km/h"),
}
_STILL = "0.089 km/h"


class Tgn(Part):
    """A TGn channel model."""

    kind: Literal["tgn"]
    """Tapped delay lines of IEEE 802.11 TGn, with the taps of TGac in wide channels: frequency-selective,
    correlated in time, with as many correlated antennas as radios have (`antennas`).
    """
    place: Literal["home", "home_people", "small_office", "office", "hall"] | None = None
    """Sets `model` and `speed` as documents of IEEE 802.11 assume them (11-14/0980r16, 11-03/940r4,
    11-09/0308r12): `home` B, `home_people` B at 1.2 km/h, `small_office` C, `office` D, `hall` E. Each can be
    given beside it. Path loss and shadowing are keys of `[channel]`.
    """
    model: Model | None = None
    """A: flat, B: home, C: small office, D: office, E: large office, F: large space; 0, 15, 30, 50, 100,
    150 ns rms. Default: that of `place`.
    """
    speed: SpeedKmh | None = Field(
        None,
        description=_SPEED + " Default: that of `place`, or 0.089 km/h, stations and people at rest (IEEE "
        '802.11-09/0308r12); with people about `"1.2 km/h"` (IEEE 802.11-03/940r4).',
    )
    doppler: Literal["bell", "jakes"] = "bell"
    """Spectrum: surroundings move (`bell`, TGn) or the stations do (`jakes`)."""
    line_of_sight: Literal["auto"] | bool = "auto"
    """Direct path in the first tap; `"auto"`: up to the breakpoint distance of the model (5, 5, 5, 10, 20,
    30 m), and none with `rssi`.
    """

    @property
    def chosen_model(self) -> Model:
        """The model, or that of the place; one of them is given."""
        if self.model is not None:
            return self.model
        assert self.place is not None, "the compiler has refused it"
        return _PLACES[self.place][0]

    @property
    def speed_kmh(self) -> float:
        """The speed, or that of the place, or where nobody moves."""
        if self.speed is not None:
            return self.speed
        return float(SPEED.read(_PLACES[self.place][1] if self.place else _STILL))


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
    """Taps of the profile, each with `delay`, `power`, and if wanted `k` (constant over changing power) and
    `speed`.
    """
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
        f'{in_toml(value)} is no fading; write {{ kind = "rayleigh", coherence = "24 ms" }}, or leave it out'
    )


AnyFading = Rayleigh | Rician | Nakagami | Tgn | Taps
Fading = Annotated[AnyFading, Field(discriminator="kind"), BeforeValidator(_read)]


def fading_plan(fading: AnyFading | None) -> dict[str, Any]:
    """Fading in the plan."""
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
        profile, speed = {"kind": "tgn", "model": fading.chosen_model}, fading.speed_kmh
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
        profile, speed, sight = {"kind": "taps", "taps": taps}, fading.speed, None
    return {
        "kind": "tapped",
        "profile": profile,
        "spectrum": fading.doppler,
        "speed_mps": _mps(speed),
        "line_of_sight": sight,
    }


def shadowing_plan(shadowing: Shadowing | None) -> PlanShadowing | None:
    """Shadowing in the plan."""
    if shadowing is None:
        return None
    return {"sigma_db": shadowing.sigma, "decorrelation_m": shadowing.decorrelation}
