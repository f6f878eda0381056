"""The radio side of a plan. The types mirror the plan crate's `wifi`, which is the contract."""

from typing import Any, TypedDict

# Enums of the contract: an object whose `kind` names the variant.
PlanRateControl = dict[str, Any]
PlanNicQueue = dict[str, Any]
PlanPropagation = dict[str, Any]
PlanFading = dict[str, Any]
PlanReception = dict[str, Any]
PlanLinux = dict[str, Any]


class PlanRadioChannel(TypedDict):
    """A channel: its primary 20 MHz and the whole of it."""

    primary_mhz: int
    centre_mhz: int
    width_mhz: int


class PlanAccess(TypedDict):
    """Channel access of one access category, or of DCF."""

    aifsn: int
    cw_min: int
    cw_max: int
    txop_us: int


class PlanCell(TypedDict):
    """A basic service set."""

    name: str
    kind: str
    standard: str
    channel: PlanRadioChannel
    slot: str
    short_preamble: bool
    protection: str
    basic_rates_bps: list[int]
    group_rate_bps: int
    access: list[PlanAccess]
    short_retry_limit: int
    long_retry_limit: int
    rts_threshold_bytes: int
    beacon: dict[str, int] | None
    linux: PlanLinux | None


class PlanNic(TypedDict):
    """A radio interface."""

    node: str
    mac: str
    role: str
    cell: int
    streams: int
    guard_ns: int
    rate_control: PlanRateControl
    queue: PlanNicQueue
    aggregation: dict[str, int] | None
    delivery: str
    mesh_routes: list[dict[str, int]]
    tx_power_dbm: float
    position_m: list[float]
    waypoints: list[dict[str, Any]]
    backpressure: bool
    bql: bool
    gro: bool
    rx_copy: bool
    pacing_shift: int


class PlanChannel(TypedDict):
    """What happens between antennas."""

    propagation: PlanPropagation
    shadowing: dict[str, float] | None
    fading: PlanFading
    traces: list[dict[str, Any]]
    reception: PlanReception
    losses: list[dict[str, Any]]
    capture_db: float | None
    carrier_sense_dbm: float
    noise_figure_db: float
    update_ns: int


class PlanAir(TypedDict):
    """Cells, radio interfaces and the channel between them."""

    cells: list[PlanCell]
    nics: list[PlanNic]
    channel: PlanChannel
