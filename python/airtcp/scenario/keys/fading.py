"""Slow and fast variation of received power: shadowing and block fading."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from airtcp.scenario.keys.parts import Part, table_of_kind, written
from airtcp.scenario.plan_types.air_plan import PlanShadowing
from airtcp.scenario.values.units import DistanceM, LengthNs, RatioDb


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


FADINGS: tuple[type[Part], ...] = (Rayleigh, Rician, Nakagami)


def _read(value: Any) -> Any:
    if isinstance(value, dict):
        return table_of_kind(value, "kind", ("rayleigh", "rician", "nakagami"), "fading")
    if isinstance(value, Part):
        return value
    raise ValueError(
        f'{value!r} is no fading; write {{ kind = "rayleigh", coherence = "24 ms" }}, or leave it out'
    )


Fading = Annotated[Rayleigh | Rician | Nakagami, Field(discriminator="kind"), BeforeValidator(_read)]


def fading_plan(fading: Rayleigh | Rician | Nakagami | None) -> dict[str, Any]:
    """As the plan has it."""
    if fading is None:
        return {"kind": "none"}
    plan: dict[str, Any] = {"kind": fading.kind}
    if isinstance(fading, Rician):
        plan["k_db"] = fading.k
    if isinstance(fading, Nakagami):
        plan["m"] = fading.m
    return {**plan, "coherence_ns": fading.coherence}


def shadowing_plan(shadowing: Shadowing | None) -> PlanShadowing | None:
    """As the plan has it."""
    if shadowing is None:
        return None
    return {"sigma_db": shadowing.sigma, "decorrelation_m": shadowing.decorrelation}
