"""The plan: what is executed. Every value explicit, no defaults; the runner refuses unknown or missing keys.

The types mirror the plan crate of the workspace, which is the contract (`airtcp-runner schema`).
"""

from typing import Any, TypedDict

from airtcp.scenario.plan_types.air_plan import PlanAir

PLAN_VERSION = 7

# An enum of the contract: an object whose `kind` names the variant.
PlanQueue = dict[str, Any]
PlanAttachment = dict[str, Any]
PlanVariate = dict[str, Any]
PlanWorkload = dict[str, Any]
PlanCapturePoint = dict[str, Any]


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


class PlanClock(TypedDict):
    """How the clocks of a node differ from virtual time."""

    offset_ns: int
    skew_ppb: int


class PlanNode(TypedDict):
    """A network namespace."""

    name: str
    interfaces: list[PlanInterface]
    bridges: list[PlanBridge]
    routes: list[PlanRoute]
    sysctls: list[PlanSysctl]
    tc: list[str]
    clock: PlanClock


# `from` is a word of Python, hence the functional form.
PlanFlow = TypedDict(
    "PlanFlow",
    {
        "name": str,
        "from": str,
        "to": str,
        "address": str,
        "port": int,
        "congestion_control": str,
        "start_ns": int,
        "stop_ns": int,
        "pacing_bps": int | None,
        "low_water_bytes": int | None,
        "dscp": int,
        "workload": PlanWorkload,
    },
)

PlanDatagramStream = TypedDict(
    "PlanDatagramStream",
    {
        "name": str,
        "from": str,
        "to": str,
        "address": str,
        "port": int,
        "payload_bytes": int,
        "rate_bps": int,
        "spacing": dict[str, Any],
        "phase": str,
        "dscp": int,
        "start_ns": int,
        "stop_ns": int,
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
        "phase": str,
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


class PlanFile(TypedDict):
    """A file that programs find in the scenario's folder."""

    path: str
    executable: bool
    content: dict[str, str]


class PlanSampling(TypedDict):
    """What is sampled, and how often."""

    flows_interval_ns: int
    qdiscs_interval_ns: int
    stations_interval_ns: int
    rates_interval_ns: int
    air_interval_ns: int
    acks: bool
    delays: bool
    ppdus: bool
    sockets_least_bytes: int | None


class PlanCapture(TypedDict):
    """Packets that are kept."""

    name: str
    point: PlanCapturePoint
    snap_bytes: int
    flows: list[int]
    start_ns: int
    stop_ns: int


class Plan(TypedDict):
    """Everything a run depends on, beside the kernel and the model's version."""

    version: int
    name: str
    seed: int
    kernel: str
    memory_mib: int
    epoch_ns: int
    date_s: int
    duration_ns: int
    ends_with: list[int]
    nodes: list[PlanNode]
    air: PlanAir
    flows: list[PlanFlow]
    datagrams: list[PlanDatagramStream]
    pings: list[PlanPing]
    programs: list[PlanProgram]
    files: list[PlanFile]
    sampling: PlanSampling
    captures: list[PlanCapture]
