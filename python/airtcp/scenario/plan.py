"""The plan: what is executed. Every value explicit, no defaults; the runner refuses unknown or missing keys.

The types mirror the plan crate of the workspace, which is the contract (`airtcp-runner schema`).
"""

from typing import Any, Literal, TypedDict

PLAN_VERSION = 1

# An enum of the contract: an object whose `kind` names the variant.
PlanQueue = dict[str, Any]
PlanAttachment = dict[str, Any]
PlanPropagation = dict[str, Any]
PlanReception = dict[str, Any]
PlanFlowEnd = dict[str, Any]


class PlanEgress(TypedDict):
    """How packets leave an interface."""

    delay_ns: int
    rate_bps: int | None
    burst_bytes: int
    queue: PlanQueue


class PlanInterface(TypedDict):
    """A network interface of a node."""

    name: str
    mac: str
    mtu: int
    addresses: list[str]
    bridge: str | None
    attachment: PlanAttachment
    egress: PlanEgress


class PlanBridge(TypedDict):
    """A learning switch inside a node."""

    name: str
    mac: str
    addresses: list[str]


class PlanRoute(TypedDict):
    """A static route."""

    to: str
    via: str


class PlanSysctl(TypedDict):
    """A setting of a namespace."""

    key: str
    value: str


class PlanNode(TypedDict):
    """A network namespace."""

    name: str
    interfaces: list[PlanInterface]
    bridges: list[PlanBridge]
    routes: list[PlanRoute]
    sysctls: list[PlanSysctl]
    tc: list[str]


class PlanContention(TypedDict):
    """DCF parameters."""

    cw_min: int
    cw_max: int
    retry_limit: int


class PlanCell(TypedDict):
    """A basic service set."""

    name: str
    standard: str
    frequency_mhz: int
    basic_rates_bps: list[int]
    group_rate_bps: int
    contention: PlanContention


class PlanNic(TypedDict):
    """A radio interface."""

    node: str
    mac: str
    role: Literal["access_point", "station"]
    cell: int
    rate_bps: int
    tx_power_dbm: float
    position_m: list[float]
    queue_packets: int
    backpressure: bool
    bql: bool
    gro: bool
    rx_copy: bool
    pacing_shift: int


class PlanChannel(TypedDict):
    """Propagation and reception."""

    propagation: PlanPropagation
    reception: PlanReception
    carrier_sense_dbm: float


class PlanAir(TypedDict):
    """The radio side."""

    cells: list[PlanCell]
    nics: list[PlanNic]
    channel: PlanChannel


# `from` is a word of Python, hence the functional form.
PlanFlow = TypedDict(
    "PlanFlow",
    {
        "name": str,
        "from": str,
        "to": str,
        "to_address": str,
        "port": int,
        "congestion_control": str,
        "start_ns": int,
        "end": PlanFlowEnd,
    },
)

PlanPing = TypedDict(
    "PlanPing",
    {
        "name": str,
        "from": str,
        "to": str,
        "to_address": str,
        "start_ns": int,
        "stop_ns": int,
        "interval_ns": int,
        "payload_bytes": int,
    },
)


class PlanProgram(TypedDict):
    """A command run in a node."""

    name: str
    node: str
    command: str
    start_ns: int
    stop_ns: int | None
    must_succeed: bool


class PlanSampling(TypedDict):
    """What is sampled, and how often."""

    flows_interval_ns: int
    air_interval_ns: int
    ppdus: bool


class Plan(TypedDict):
    """Everything a run depends on, beside the kernel and the model's version."""

    version: int
    name: str
    seed: int
    kernel: str
    memory_mib: int
    epoch_ns: int
    duration_ns: int
    nodes: list[PlanNode]
    air: PlanAir
    flows: list[PlanFlow]
    pings: list[PlanPing]
    programs: list[PlanProgram]
    sampling: PlanSampling
