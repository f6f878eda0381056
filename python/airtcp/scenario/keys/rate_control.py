"""How a radio chooses the mode of its unicast data frames: always the same, or by rate control."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from airtcp.scenario.keys.mode import McsFormat, examples, read_mode_text
from airtcp.scenario.keys.parts import Part, kind_of, table_of_kind, written
from airtcp.scenario.values.units import GuardNs, MacTimeUs, RateBps, WidthMhz
from airtcp.wrong_values import in_toml


class FixedMode(Part):
    """Always one mode: a rate or an MCS, as text or as a table."""

    control: Literal["fixed"] = "fixed"
    """Always this mode."""
    rate: RateBps | None = None
    """Rate, in 11b, 11a and 11g."""
    mcs: int | None = Field(None, ge=0, le=31)
    """MCS, in 11n and newer; in HT it includes the streams (0 to 31)."""
    format: McsFormat | None = None
    """Format of the PPDU; default: that of the cell's standard."""
    streams: int | None = Field(None, ge=1, le=8)
    """Spatial streams; default: 1, in HT by its MCS."""
    width: WidthMhz | None = None
    """Width; default: that of the cell."""
    guard_interval: GuardNs | None = None
    """Guard interval; default: the radio's `guard_interval`."""


class Kernel(Part):
    """The rate control of the kernel's mac80211."""

    control: Literal["kernel"]
    """Rate control of the kernel: `minstrel_ht` of mac80211, in cells with `mac = "linux"`."""


class Arf(Part):
    """Auto rate fallback (Kamerman and Monteban, 1997)."""

    control: Literal["arf"]
    """Auto rate fallback (Kamerman and Monteban, 1997)."""
    success_threshold: int = Field(10, ge=1, le=10**6)
    """Successes in a row before the next rate."""
    timeout_frames: int = Field(15, ge=1, le=10**6)
    """Frames after which the next rate is tried anyway."""
    failure_threshold: int = Field(2, ge=1, le=10**6)
    """Failures in a row before the next lower rate."""


class Aarf(Part):
    """Adaptive ARF (Lacage, Manshaei and Turletti, MSWiM 2004)."""

    control: Literal["aarf"]
    """Adaptive ARF (Lacage, Manshaei and Turletti, MSWiM 2004)."""
    success_min: int = Field(10, ge=1, le=10**6)
    """Least successes in a row before the next rate."""
    success_max: int = Field(50, ge=1, le=10**6)
    """Most successes in a row before the next rate."""
    success_factor: float = Field(2.0, ge=1, le=1000)
    """Factor after a failed probe."""
    timeout_min_frames: int = Field(15, ge=1, le=10**6)
    """Least frames before the next rate is tried anyway."""
    timeout_factor: float = Field(2.0, ge=1, le=1000)
    """Factor after a failed probe."""


class Cara(Part):
    """Collision-aware rate adaptation (Kim, Kim, Choi and Qiao, INFOCOM 2006)."""

    control: Literal["cara"]
    """Collision-aware rate adaptation, CARA-1 (Kim, Kim, Choi and Qiao, INFOCOM 2006)."""
    probe_threshold: int = Field(1, ge=1, le=10**6)
    """Failures in a row before RTS is used."""
    failure_threshold: int = Field(2, ge=1, le=10**6)
    """Failures in a row before the next lower rate."""
    success_threshold: int = Field(10, ge=1, le=10**6)
    """Successes in a row before the next rate."""
    timeout_frames: int = Field(15, ge=1, le=10**6)
    """Frames after which the next rate is tried anyway."""


class Minstrel(Part):
    """Minstrel for 11b, 11a and 11g (Linux until 5.11)."""

    control: Literal["minstrel"]
    """Minstrel for 11b, 11a and 11g (Linux until 5.11, `rc80211_minstrel.c`)."""
    interval: MacTimeUs = Field(written("100 ms"), ge=1)
    """Time between evaluations."""
    ewma_percent: int = Field(75, ge=0, le=100)
    """Weight of the past in the moving average."""
    sample_percent: int = Field(10, ge=0, le=100)
    """Share of frames that sample other rates."""


class MinstrelHt(Part):
    """Minstrel-HT (Linux 6.12)."""

    control: Literal["minstrel_ht"]
    """Minstrel-HT (Linux 6.12, `rc80211_minstrel_ht.c`)."""
    interval: MacTimeUs = Field(written("50 ms"), ge=1)
    """Time between evaluations."""
    ewma_percent: int = Field(75, ge=0, le=100)
    """Weight of the past in the mean length of A-MPDUs."""


class Ideal(Part):
    """The fastest mode whose error rate at the true signal-to-noise ratio is low enough."""

    control: Literal["ideal"]
    """The fastest mode whose error rate at the true signal-to-noise ratio is low enough."""
    error_rate: float = Field(0.01, gt=0, lt=1)
    """Highest packet error rate of a frame of 1500 octets."""


RateControl = FixedMode | Kernel | Arf | Aarf | Cara | Minstrel | MinstrelHt | Ideal
ALGORITHMS: tuple[type[Part], ...] = (Arf, Aarf, Cara, Minstrel, MinstrelHt, Ideal, Kernel)
_CONTROLS = ("fixed", "arf", "aarf", "cara", "minstrel", "minstrel_ht", "ideal", "kernel")


def _one_mode(table: dict[str, Any]) -> dict[str, Any]:
    """A rate stands alone; what else a mode has goes with an MCS."""
    if "rate" not in table and "mcs" not in table:
        raise ValueError("a fixed mode as a table needs mcs, or rate in 11b, 11g and 11a; write it")
    beside = [key for key in ("mcs", "format", "streams", "width", "guard_interval") if key in table]
    if "rate" in table and beside:
        raise ValueError(f"rate and {beside[0]} don't go together; write one of them")
    return table


def _read(value: Any) -> Any:
    if isinstance(value, dict):
        is_mode = "control" not in value and ("mcs" in value or "rate" in value)
        given = {"control": "fixed", **value} if is_mode else value
        table = table_of_kind(given, "control", _CONTROLS, "rate control")
        return _one_mode(table) if table["control"] == "fixed" else table
    if not isinstance(value, str):
        if isinstance(value, Part):
            return value
        raise ValueError(f"{in_toml(value)} is no mode; write {examples()}, or a rate control: minstrel_ht")
    if any(letter.isdigit() for letter in value):
        return {"control": "fixed", **read_mode_text(value)}
    return {"control": kind_of(value, _CONTROLS[1:], "rate control")}


Rate = Annotated[RateControl, Field(discriminator="control"), BeforeValidator(_read)]


def control_plan(settings: Part) -> dict[str, Any]:
    """Rate control with its parameters, as the plan has it; not for a fixed mode."""
    values = {name: getattr(settings, name) for name in type(settings).model_fields}
    plan: dict[str, Any] = {"kind": values.pop("control")}
    if "interval" in values:
        plan["interval_us"] = values.pop("interval")
    return {**plan, **values}
