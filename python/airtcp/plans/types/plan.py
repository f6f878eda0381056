"""The plan: what is executed, every value explicit.

Generated from the runner's schema by `tools/generated_types.py`; `make generated` writes it.
"""

from typing import Any, Literal, NotRequired, TypedDict

from airtcp.plans.types.air_plan import PlanAir

PLAN_VERSION = 18


# Where a capture takes packets from. `kind`: interfaces, air.
PlanCapturePoint = dict[str, Any]


class PlanCapture(TypedDict):
    """A capture: `pcap/NAME.pcapng` of the run folder, with times of virtual nanoseconds from the epoch."""

    name: str
    """Unique name, also that of the file."""
    point: PlanCapturePoint
    """Where packets are captured."""
    snap_bytes: int
    """First bytes kept of each packet or MPDU, from `SNAP_BYTES_MIN` to `SNAP_BYTES_MAX`."""
    flows: list[int]
    """Numbers of the flows whose packets are kept, with both directions; empty: everything is kept."""
    start_ns: int
    """Packets are kept from this time on."""
    stop_ns: int
    """Packets are kept before this time."""


# When the datagrams of a stream leave. `kind`: constant, poisson, talk_spurts.
PlanSpacing = dict[str, Any]


# A stream of datagrams of one length.
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
        "spacing": PlanSpacing,
        "phase": str,
        "dscp": int,
        "start_ns": int,
        "stop_ns": int,
    },
)


class PlanFileContentText(TypedDict):
    """Text in UTF-8."""

    kind: Literal["text"]
    text: str
    """The text."""


class PlanFileContentBase64(TypedDict):
    """Any bytes."""

    kind: Literal["base64"]
    base64: str
    """The bytes in base64 (RFC 4648, section 4)."""


# The content of a file.
PlanFileContent = PlanFileContentText | PlanFileContentBase64


class PlanFile(TypedDict):
    """A file. All programs can read it at its path in the guest's copy of the scenario's folder."""

    path: str
    """Path from the scenario's folder, with `/` between its parts."""
    executable: bool
    """Whether the file may be executed."""
    content: PlanFileContent
    """Content of the file."""


# What ends a burst. `kind`: time, bytes.
PlanBurst = dict[str, Any]


# How a player chooses the rate of the next segment. `kind`: fixed, buffer, throughput.
PlanAdaptation = dict[str, Any]


# What an application sends or requests. `kind`: bulk, bytes, on_off, requests, web, video.
PlanWorkload = dict[str, Any]


# A TCP connection by the agent: data goes from one node to another, as its workload says.
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
        "dscp": int,
        "workload": PlanWorkload,
        "low_water_bytes": int | None,
        "pacing_bps": int | None,
    },
)


class PlanGuest(TypedDict):
    """The guest as its programs find it."""

    privileged: bool
    """Whether programs may mount, make namespaces and trace, as root on a machine of its own; needs a
    kernel of `LAB_FLAVOUR`.
    """
    initial_node: int | None
    """The number of the node whose network is the kernel's first network namespace, as of a machine;
    `None`: no node's is. Settings of the whole kernel (`net.core.default_qdisc`) are in its
    `/proc/sys/net` alone. Its interfaces are radios of mac80211, and its clock is virtual time.
    """


class PlanBridge(TypedDict):
    """A learning switch inside a node (no spanning tree)."""

    name: str
    """Interface name of the bridge itself."""
    mac: str
    """Hardware address of the bridge itself."""
    addresses: list[str]
    """Addresses with prefix length."""


class PlanClock(TypedDict):
    """The clocks of a node."""

    offset_ns: int
    """How far the wall clock is ahead when the machine starts; negative: behind."""
    skew_ppb: int
    """How much faster than virtual time all its clocks run, in parts per 1e9; negative: slower."""


# What the other side of an interface is. `kind`: wire, air.
PlanAttachment = dict[str, Any]


# Where the L queue begins to mark every packet. `kind`: delay, packets.
PlanStepThreshold = dict[str, Any]


# A packet queue. `kind`: none, packets, bytes, dualpi2, tc.
PlanQueue = dict[str, Any]


class PlanWirePoint(TypedDict):
    """One point of a wire's trace; `null` leaves rate or delay as the egress has it, and loses nothing."""

    time_ns: int
    """Time of the point, from the epoch."""
    delay_ns: int | None
    """Propagation delay of frames that depart meanwhile."""
    loss: float | None
    """Probability that a frame that departs meanwhile does not arrive."""
    rate_bps: int | None
    """Rate; 0: nothing is sent meanwhile."""


class PlanWireTrace(TypedDict):
    """How an end of a wire sends over time, instead of its `rate_bps` and `delay_ns`."""

    repeat: bool
    """Whether the trace starts again at the time of its last point, which only marks its end."""
    points: list[PlanWirePoint]
    """Points of the trace in the order of time. Each holds until the next, the last for ever (see
    `repeat`). Before the first, rate and delay are those of the egress, and nothing is lost.
    """


class PlanEgress(TypedDict):
    """The egress of an interface: queue, serialisation, propagation delay. The queue is the root
    discipline of the device. An end of a wire with a rate takes the next packet from it when the
    previous one has departed.
    """

    delay_ns: int
    """One-way propagation delay; 0 for none, and at a NIC of the air."""
    queue: PlanQueue
    """The queue."""
    rate_bps: int | None
    """Rate of the wire, of Ethernet frames without preamble and FCS; `null` for as fast as the kernel
    is, and at a NIC of the air.
    """
    trace: PlanWireTrace | None
    """How rate, delay and loss change over time; `null`: they do not, and at a NIC of the air."""


class PlanWireInterrupt(TypedDict):
    """Moderation of the interrupts of an Ethernet NIC. What arrives until one comes is received in one
    poll.
    """

    interval_ns: int
    """From one interrupt to the next, at least."""
    after_first_ns: int
    """From the first frame that waits to the interrupt, unless `interval_ns` is longer."""
    frames: int | None
    """Frames that raise it before `after_first_ns` has passed; `null`: no number does."""


class PlanInterface(TypedDict):
    """A network interface of a node."""

    name: str
    """Name inside the node, at most 15 characters."""
    mac: str
    """Hardware address."""
    mtu: int
    """Largest IP packet in bytes."""
    addresses: list[str]
    """Addresses with prefix length, `10.0.0.1/24`."""
    attachment: PlanAttachment
    """What the interface is connected to."""
    egress: PlanEgress
    """How packets leave."""
    bridge: str | None
    """The node's bridge of which this interface is a port."""
    rx_interrupt: PlanWireInterrupt | None
    """When the end of a wire interrupts its host for frames that have arrived; `null`: at once, and at a
    NIC of the air, whose card says it.
    """


class PlanMptcpEndpoint(TypedDict):
    """An address of a node that MPTCP uses."""

    address: str
    """The address."""
    interface: str
    """Interface or bridge that has it; subflows leave through it."""
    flags: list[str]
    """What it is used for; none twice."""


class PlanMptcp(TypedDict):
    """What connections of a node may do (`ip mptcp`)."""

    subflows: int
    """Most subflows of a connection beside the first one; at most `MPTCP_ADDRESSES_MAX`."""
    add_addr_accepted: int
    """Most addresses of a peer to which a connection makes subflows; likewise."""
    endpoints: list[PlanMptcpEndpoint]
    """Addresses of the node that connections use; likewise."""


class PlanRoute(TypedDict):
    """A static route."""

    to: str
    """Destination with prefix length; `0.0.0.0/0` is the default route."""
    via: str
    """Next hop."""


class PlanSysctl(TypedDict):
    """One setting of a namespace."""

    key: str
    """Dotted key, for example `net.ipv4.tcp_rmem`."""
    value: str
    """The text to write."""


class PlanNode(TypedDict):
    """One network namespace."""

    name: str
    """Unique name; also the name of the namespace."""
    interfaces: list[PlanInterface]
    """Network interfaces of the node, besides `lo`."""
    bridges: list[PlanBridge]
    """Bridges of the node."""
    routes: list[PlanRoute]
    """Routes of the node beyond those that addresses imply."""
    sysctls: list[PlanSysctl]
    """Settings below `/proc/sys`, written in this order before interfaces come up."""
    tc: list[str]
    """Lines for `tc -batch`, run last, in the node."""
    clock: PlanClock
    """Difference of the node's clocks from virtual time."""
    offloads: str
    """Offloads that devices of the node do for its network stack."""
    mptcp: NotRequired[PlanMptcp | None]
    """Path manager of MPTCP; `null`: as the kernel begins, with two subflows beside the first and no
    endpoints.
    """
    namespaces: NotRequired[list[str]]
    """Namespaces that the node's programs have of the node's own beside its network; none twice."""


# ICMP echo requests at a fixed interval.
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
        "dscp": int,
    },
)


class PlanProgram(TypedDict):
    """A command run in a node."""

    name: str
    """Unique name; its output goes to `programs/NAME.out` and `.err`."""
    node: str
    """Node it runs in."""
    command: str
    """Command line for `/bin/sh -c`."""
    start_ns: int
    """Start of the program."""
    must_succeed: bool
    """Whether an exit status other than zero fails the run."""
    stop_ns: int | None
    """Time at which the program gets SIGTERM; `null`: at the end of the run."""


class PlanSampling(TypedDict):
    """Sampling in virtual time. Intervals are at least `SAMPLING_INTERVAL_MIN_NS`, or 0 for none."""

    flows_interval_ns: int
    """Interval of `tcp_info`, limits and byte counts of every flow."""
    qdiscs_interval_ns: int
    """Interval of the statistics of every queueing discipline."""
    stations_interval_ns: int
    """Interval of mac80211's statistics of each peer of a radio: airtime, queues, airtime limits."""
    rates_interval_ns: int
    """Interval of the kernel's `minstrel_ht` statistics of each rate to each peer."""
    air_interval_ns: int
    """Interval of the air's counters."""
    acks: bool
    """Whether the state of a flow's sender is recorded at each segment it receives (`tcp:tcp_probe`)."""
    delays: bool
    """Whether the one-way delay of each packet of a flow is recorded."""
    ppdus: bool
    """Whether each PPDU on the air is recorded."""
    sockets_least_bytes: int | None
    """TCP connections and UDP flows of programs that deliver at least this many bytes are flows too;
    `null`: none are.
    """


class PlanTerminalSize(TypedDict):
    """The size of a terminal in characters."""

    rows: int
    """Lines."""
    columns: int
    """Characters in a line."""


class PlanSessionActStart(TypedDict):
    """Starts a command in a node."""

    kind: Literal["start"]
    node: str
    """Node that it runs in."""
    command: str
    """Command line for `/bin/sh -c`."""
    terminal: PlanTerminalSize | None
    """The size of its terminal; `null`: it has none, but pipes."""


# Starts a TCP flow of the agent's own kind, as a program of its sender's node.
PlanSessionActFlow = TypedDict(
    "PlanSessionActFlow",
    {
        "kind": Literal["flow"],
        "from": str,
        "to": str,
        "address": str,
        "port": int,
        "congestion_control": str,
        "bytes": int | None,
        "length_ns": int | None,
    },
)


class PlanSessionActWrite(TypedDict):
    """Writes to the standard input of a job, or types on its terminal."""

    kind: Literal["write"]
    data: PlanFileContent
    """At most `SESSION_DATA_BYTES_MAX` bytes."""


class PlanSessionActCloseInput(TypedDict):
    """Ends the standard input of a job. To a flow: it writes nothing more, and ends when what it has
    written has arrived.
    """

    kind: Literal["close_input"]


class PlanSessionActResize(TypedDict):
    """Changes the size of a job's terminal."""

    kind: Literal["resize"]
    size: PlanTerminalSize
    """The new size."""


class PlanSessionActSignal(TypedDict):
    """Sends a signal to a job and all that it has started."""

    kind: Literal["signal"]
    signal: int
    """Number of the signal (signal(7))."""


class PlanSessionActLink(TypedDict):
    """Switches an interface on or off."""

    kind: Literal["link"]
    node: str
    """Node of the interface."""
    interface: str
    """Name of the interface."""
    up: bool
    """Whether the interface is on from now on."""


class PlanSessionActWire(TypedDict):
    """Changes how an end of a wire sends."""

    kind: Literal["wire"]
    node: str
    """The node of this end."""
    interface: str
    """Interface at this end of the wire."""
    delay_ns: int
    """One-way propagation delay."""
    rate_bps: int | None
    """Rate of Ethernet frames without preamble and FCS; `null`: no limit."""


class PlanSessionActMove(TypedDict):
    """Moves a NIC of the air, at once."""

    kind: Literal["move"]
    nic: int
    """Index of the NIC in `air.nics`."""
    position_m: list[float]
    """Where to, in metres; the third coordinate is the height."""


# Fixes the power with which a NIC of the air receives another.
PlanSessionActRssi = TypedDict(
    "PlanSessionActRssi",
    {
        "kind": Literal["rssi"],
        "from": int,
        "to": int,
        "rssi_dbm": float,
    },
)


# Fixes the probability with which data frames from a NIC of the air to another are lost, beside losses of
# reception.
PlanSessionActLoss = TypedDict(
    "PlanSessionActLoss",
    {
        "kind": Literal["loss"],
        "from": int,
        "to": int,
        "probability": float,
    },
)


class PlanSessionActEnd(TypedDict):
    """Ends the run."""

    kind: Literal["end"]


# What a user does.
PlanSessionAct = (
    PlanSessionActStart
    | PlanSessionActFlow
    | PlanSessionActWrite
    | PlanSessionActCloseInput
    | PlanSessionActResize
    | PlanSessionActSignal
    | PlanSessionActLink
    | PlanSessionActWire
    | PlanSessionActMove
    | PlanSessionActRssi
    | PlanSessionActLoss
    | PlanSessionActEnd
)


class PlanSessionInput(TypedDict):
    """What enters at an instant."""

    at_ns: int
    """Time of the input. Inputs of one instant enter in their order."""
    job: int
    """Number of the job that it begins or that it is for."""
    act: PlanSessionAct
    """What the input does."""


class PlanSession(TypedDict):
    """The inputs of a run, in the order of their times."""

    inputs: list[PlanSessionInput]
    """What enters, and when."""


class PlanSplit(TypedDict):
    """How a network is split. Its results are the same whether one guest computes both parts or two
    guests one each (conservative synchronisation: what a part sends reaches the other one after the
    lookahead at the earliest).
    """

    parts: list[int]
    """The part of each node, by their places in the plan: 0 or 1."""
    lookahead_ns: int
    """Least delay of the wires that join the parts."""


class Plan(TypedDict):
    """Everything a run depends on besides the kernel and the model's version."""

    version: int
    """Format of this plan, `PLAN_VERSION`."""
    name: str
    """The scenario's name, for people."""
    seed: int
    """Root of every random stream, the guest kernel's included."""
    kernel: str
    """Kernel series, for example `6.12`, or `6.12-lab` with a flavour."""
    dscp_map: str
    """How this kernel maps code points to user priorities, and so do radios."""
    guest: PlanGuest
    """What programs may do in the guest."""
    memory_mib: int
    """Memory of the guest in MiB (sparse; at least 256)."""
    epoch_ns: int
    """The epoch: virtual time from the guest's boot to traffic time zero."""
    date_s: int
    """Date of the wall clocks at traffic time zero: seconds since 1970, at most `DATE_MAX_S`."""
    duration_ns: int
    """Length of the run from the epoch to its end, at most."""
    ends_with: list[int]
    """Numbers of flows in rising order: the run ends when all of them have ended at their receivers, and
    all programs of `ends_with_programs`. None of either: it ends at its planned time.
    """
    ends_with_programs: list[int]
    """Numbers of programs in rising order, likewise."""
    nodes: list[PlanNode]
    """Every host, access point and switch: a network namespace each."""
    air: PlanAir
    """The radio side: cells, NICs and the channel."""
    flows: list[PlanFlow]
    """TCP connections, numbered by their place."""
    datagrams: list[PlanDatagramStream]
    """Streams of UDP datagrams, numbered by their place."""
    pings: list[PlanPing]
    """ICMP echo streams, numbered by their place."""
    programs: list[PlanProgram]
    """Commands of the user, run in a node."""
    files: list[PlanFile]
    """Files that these commands find in the scenario's folder."""
    sampling: PlanSampling
    """What is sampled, and how often."""
    captures: list[PlanCapture]
    """Packets that are kept."""
    session: PlanSession | None
    """What enters from outside while it runs; `null`: the run has no session."""
    split: PlanSplit | None
    """How two guests may compute it; `null`: one guest does."""
