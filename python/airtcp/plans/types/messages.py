"""Messages of the runner, of sessions and of measuring agents: one JSON object per line.

Generated from the runner's schema by `tools/generated_types.py`; `make generated` writes it.
"""

from typing import Literal, NotRequired, TypedDict

from airtcp.plans.types.plan import Plan, PlanFileContent, PlanSessionAct


class DatagramReport(TypedDict):
    """How one stream of datagrams went."""

    name: str
    """Name in the plan."""
    sent: int
    """Datagrams that the application sent."""
    refused: int
    """Datagrams that the kernel refused, of those sent: the socket's send buffer was full."""
    received: int
    """Datagrams that the receiver got before the end, of those sent."""


class Failure(TypedDict):
    """A failure as users read it: what is wrong, where, and how to fix it."""

    what: str
    """What went wrong, naming the thing."""
    place: str
    """Place of the failure: a key of the plan or a node and a step."""
    remedy: str
    """What to do about it."""


class FlowReport(TypedDict):
    """How one flow went."""

    name: str
    """Name in the plan."""
    congestion_control: str
    """Congestion control that the kernel said it used."""
    bytes_received: int
    """Application bytes at the receiver."""
    bytes_acked: int
    """Bytes acknowledged to the sender."""
    retransmits: int
    """Segments sent again."""
    busy_us: int
    """`tcp_info` of the sender: time busy sending."""
    rwnd_limited_us: int
    """Busy time that was limited by the receiver's window."""
    sndbuf_limited_us: int
    """Busy time that was limited by the send buffer."""
    connected_ns: int | None
    """When the connection was established, from the epoch; `null` if it never was."""
    error: str | None
    """Error of the connection, if any."""
    finished_ns: int | None
    """When the receiver had read the end of the data; `null` if the run ended before."""


class LimitReport(TypedDict):
    """How often a limit was met that all hosts of the guest share."""

    counter: str
    """The kernel's counter, as `nstat` calls it or the file below `/proc/net` that has it, for example
    `TcpExtTCPMemoryPressures`.
    """
    times: int
    """Value of the counter at the end."""
    node: str | None
    """The node whose kernel counted; `null` of what the kernel counts for all."""


class PingReport(TypedDict):
    """How one ping stream went."""

    name: str
    """Name in the plan."""
    sent: int
    """Requests sent."""
    received: int
    """Answers that came before the end."""


class ProgramReport(TypedDict):
    """How one program ended."""

    name: str
    """Name in the plan."""
    group: int
    """Process group of the program, as `SocketFlow::group`; 0 if it was not started."""
    signal: int | None
    """Signal that ended it."""
    status: int | None
    """Exit status; `null` if a signal ended it."""


class QdiscReport(TypedDict):
    """One queueing discipline at the end of the run."""

    node: str
    """Node."""
    interface: str
    """Interface."""
    kind: str
    """Kind, for example `pfifo`."""
    handle: str
    """Handle, for example `3:`."""
    bytes: int
    """Bytes sent."""
    packets: int
    """Packets sent."""
    drops: int
    """Packets dropped."""
    overlimits: int
    """Packets over a limit of the discipline (marked or delayed, as it defines)."""
    backlog_packets: int
    """Packets waiting."""
    backlog_bytes: int
    """Bytes waiting."""


class WireReport(TypedDict):
    """What an end of a wire sent, if rate, delay or loss of the wire change over time."""

    node: str
    """Node."""
    interface: str
    """Interface."""
    frames: int
    """Frames that it began to send."""
    bytes: int
    """Bytes of the sent frames, with Ethernet headers."""
    lost: int
    """Sent frames that do not arrive."""


class MeasurementAnswerReady(TypedDict):
    """The agent is there."""

    answer: Literal["ready"]
    version: int
    """`MEASUREMENT_VERSION`."""
    uid: int
    """Real user."""
    capabilities: str
    """Effective capabilities (`CapEff` of `/proc/self/status`, capabilities(7))."""


class MeasurementAnswerClock(TypedDict):
    """To `Order::Clock`."""

    answer: Literal["clock"]
    number: int
    """Number of the order."""
    monotonic_ns: int
    """`CLOCK_MONOTONIC`."""
    realtime_ns: int
    """`CLOCK_REALTIME`."""


class MeasurementAnswerExecuted(TypedDict):
    """To `Order::Execute` and `Order::Change`."""

    answer: Literal["executed"]
    number: int
    """Number of the order."""
    output: str
    """Standard output."""
    error: str
    """Standard error, or why it could not be started."""
    status: int | None
    """Exit status; `null` if a signal ended it or it could not be started."""


class MeasurementAnswerStarted(TypedDict):
    """To `Order::Start`: all sockets are open."""

    answer: Literal["started"]


class MeasurementAnswerFailed(TypedDict):
    """The order can't be carried out, or the run can't go on."""

    answer: Literal["failed"]
    what: str
    """What went wrong, naming the thing."""
    place: str
    """Place of the failure: a key of the plan or a node and a step."""
    remedy: str
    """What to do about it."""


class MeasurementAnswerFlowEnded(TypedDict):
    """A flow of the plan has ended at its receiver."""

    answer: Literal["flow_ended"]
    flow: int
    """Number of the flow in the plan."""
    at_ns: int
    """Time of the end, from the epoch."""


class MeasurementAnswerProgramEnded(TypedDict):
    """A program of the plan has ended."""

    answer: Literal["program_ended"]
    program: int
    """Number of the program in the plan."""
    at_ns: int
    """Time of the end, from the epoch."""


class MeasurementAnswerFile(TypedDict):
    """A piece of a file of the run."""

    answer: Literal["file"]
    path: str
    """Path in the folder of the run's files."""
    data: PlanFileContent
    """At most `PIECE_BYTES` bytes."""


class MeasurementAnswerCollected(TypedDict):
    """To `Order::Collect`, after all files: what the agent says of its own ends."""

    answer: Literal["collected"]
    kernel_release: str
    """Release of the guest's kernel (`uname -r`)."""
    ready_ns: int
    """Virtual time from boot when the network was ready."""
    end_ns: int
    """When the run ended, from the epoch: the planned time, or the end of the last of the flows that end
    it.
    """
    flows: list[FlowReport]
    """One entry per flow of the plan."""
    datagrams: list[DatagramReport]
    """One entry per stream of datagrams of the plan."""
    pings: list[PingReport]
    """One entry per ping of the plan."""
    programs: list[ProgramReport]
    """One entry per program of the plan."""
    qdiscs: list[QdiscReport]
    """Every queueing discipline of every node, as it was at the end."""
    warnings: list[str]
    """Warnings that concern the validity of the results."""
    failure: Failure | None
    """What ended the run too early, if anything did."""
    limits: NotRequired[list[LimitReport]]
    """Limits that all hosts of the guest share, and that were met: hosts felt each other as real ones do
    not. Empty if none was.
    """
    wires: list[WireReport]
    """Every end of a wire that has a trace, as it was at the end; left out if there is none."""


# From an agent.
MeasurementAnswer = (
    MeasurementAnswerReady
    | MeasurementAnswerClock
    | MeasurementAnswerExecuted
    | MeasurementAnswerStarted
    | MeasurementAnswerFailed
    | MeasurementAnswerFlowEnded
    | MeasurementAnswerProgramEnded
    | MeasurementAnswerFile
    | MeasurementAnswerCollected
)


class Poll(TypedDict):
    """A command whose output is a sample."""

    name: str
    """Name of its file among those of programs: `NAME.jsonl`, one `Polled` per line."""
    command: list[str]
    """Program and arguments."""
    interval_ns: int
    """Time between samples."""


class Recorder(TypedDict):
    """A program that records beside the traffic."""

    name: str
    """Name of the recorder in messages, and of its output among that of programs."""
    command: list[str]
    """Program and arguments; in them `{folder}` stands for the folder of the run's files."""
    end: list[str]
    """What ends it, likewise, where the user may not signal it; empty: SIGINT does."""


class MeasurementOrderAlive(TypedDict):
    """Nothing is to be done; the connection is there."""

    order: Literal["alive"]


class MeasurementOrderClock(TypedDict):
    """What the machine's clocks show is to be said."""

    order: Literal["clock"]
    number: int
    """Returned with the answer."""


class MeasurementOrderExecute(TypedDict):
    """A command is to be run to its end."""

    order: Literal["execute"]
    number: int
    """Returned with the answer."""
    command: list[str]
    """Program and arguments."""
    input: str
    """Standard input of the command."""


class MeasurementOrderChange(TypedDict):
    """A command that changes the machine is to be run to its end."""

    order: Literal["change"]
    number: int
    """Returned with the answer."""
    command: list[str]
    """Program and arguments."""
    input: str
    """Standard input of the command."""
    undo: list[str]
    """The command that undoes it, run at the end whatever happens."""
    undo_input: str
    """The standard input of that."""


class MeasurementOrderStart(TypedDict):
    """A run is to begin."""

    order: Literal["start"]
    node: str
    """The node that this machine is."""
    plan: Plan
    """The plan, with the addresses and interface names of the real network."""
    epoch_ns: int
    """Traffic time zero on `CLOCK_MONOTONIC` of this machine."""
    peers: list[str]
    """Addresses of the machines whose connections with this one are a program's, unless the plan has
    them.
    """
    recorders: list[Recorder]
    """Programs that run beside the traffic and are ended by SIGINT at the end: what captures packets."""
    polls: list[Poll]
    """Commands that are run again and again."""


class MeasurementOrderStop(TypedDict):
    """The run has ended: traffic is to end now."""

    order: Literal["stop"]


class MeasurementOrderCollect(TypedDict):
    """All files of the run are to be sent."""

    order: Literal["collect"]


# To an agent.
MeasurementOrder = (
    MeasurementOrderAlive
    | MeasurementOrderClock
    | MeasurementOrderExecute
    | MeasurementOrderChange
    | MeasurementOrderStart
    | MeasurementOrderStop
    | MeasurementOrderCollect
)


class RunEventStart(TypedDict):
    """The run has its name."""

    event: Literal["start"]
    run: str
    """16 hexadecimal digits."""
    folder: str
    """Place where the run folder will be."""


class RunEventWaiting(TypedDict):
    """Another process computes the same run, and this one waits for its result."""

    event: Literal["waiting"]
    run: str
    """16 hexadecimal digits."""
    over: bool
    """Whether the wait is over."""


class RunEventProgress(TypedDict):
    """Progress of the run."""

    event: Literal["progress"]
    virtual_ns: int
    """Virtual time since the epoch."""
    of_ns: int
    """Length of the run."""


class RunEventDone(TypedDict):
    """The run is complete."""

    event: Literal["done"]
    run: str
    """16 hexadecimal digits."""
    folder: str
    """Folder of the run."""
    cached: bool
    """Whether the run was in the store before."""
    wall_s: float
    """Wall-clock time that the run took."""
    cpu_s: float
    """CPU time of the guest."""
    virtual_s: float
    """Virtual time."""


class RunEventFailed(TypedDict):
    """The run failed."""

    event: Literal["failed"]
    kind: Literal["plan", "kernel", "guest", "hang", "air", "disk", "program", "interrupted", "internal"]
    """Kind of failure."""
    what: str
    """What went wrong."""
    place: str
    """Place of the failure."""
    remedy: str
    """What to do."""
    console: list[str]
    """Last lines of the guest's console."""


# One line of the runner's output.
RunEvent = RunEventStart | RunEventWaiting | RunEventProgress | RunEventDone | RunEventFailed


class PacketEnds(TypedDict):
    """Addresses and ports of a packet."""

    protocol: int
    """Number of the protocol above IP."""
    source: str
    """Sender."""
    destination: str
    """Receiver."""
    ports: list[int]
    """Ports of sender and receiver; 0 where the protocol has none."""


# A packet that is lost, and by whom.
Loss = TypedDict(
    "Loss",
    {
        "node": int,
        "interface": int,
        "by": Literal["queue", "radio", "wire", "interface"],
        "detail": str,
        "acknowledgment": bool,
        "packets": int,
        "flow": int | None,
        "from": int | None,
        "packet": PacketEnds | None,
    },
)


class EndedPpdu(TypedDict):
    """A PPDU that has ended."""

    start_ns: int
    """Start of the PPDU, in nanoseconds from the epoch."""
    end_ns: int
    """End of the PPDU, in nanoseconds from the epoch."""
    nic: int
    """Index of the sender in `air.nics`."""
    kind: int
    """Number of its kind, as in the series of PPDUs."""
    rate_bps: int
    """Bit rate of the PPDU."""
    bytes: int
    """Length of its PSDU."""
    attempt: int
    """Number of the attempt."""
    outcome: int
    """Number of what became of it, as in the series of PPDUs."""
    to: int | None
    """Index of the receiver in `air.nics`; `null`: a group."""


class HappeningFlow(TypedDict):
    """A flow's value is such."""

    what: Literal["flow"]
    flow: int
    """Number of the flow in the series `flows`."""
    column: str
    """Column of the series."""
    value: float
    """The value."""
    node: int | None
    """Node that sends; `null`: it is not known."""


class HappeningRetransmission(TypedDict):
    """A sender has sent segments again."""

    what: Literal["retransmission"]
    flow: int
    """Number of the flow in the series `flows`."""
    segments: int
    """So many at this instant."""
    node: int | None
    """Node that sends; `null`: it is not known."""


class HappeningQueue(TypedDict):
    """A queue's value is such."""

    what: Literal["queue"]
    node: int
    """Node of the interface."""
    interface: int
    """Place of the interface in its node."""
    handle: int
    """Major number of the discipline's handle."""
    discipline: str
    """The discipline, as `tc` calls it."""
    column: str
    """Column of the series."""
    value: float
    """The value."""


# A packet is lost.
HappeningLoss = TypedDict(
    "HappeningLoss",
    {
        "what": Literal["loss"],
        "node": int,
        "interface": int,
        "by": Literal["queue", "radio", "wire", "interface"],
        "detail": str,
        "acknowledgment": bool,
        "packets": int,
        "flow": int | None,
        "from": int | None,
        "packet": PacketEnds | None,
    },
)


# A station is associated with another access point.
HappeningRoam = TypedDict(
    "HappeningRoam",
    {
        "what": Literal["roam"],
        "nic": int,
        "from": int | None,
        "to": int | None,
    },
)


class HappeningFrame(TypedDict):
    """A PPDU has ended."""

    what: Literal["frame"]
    start_ns: int
    """Start of the PPDU, in nanoseconds from the epoch."""
    end_ns: int
    """End of the PPDU, in nanoseconds from the epoch."""
    nic: int
    """Index of the sender in `air.nics`."""
    kind: int
    """Number of its kind, as in the series of PPDUs."""
    rate_bps: int
    """Bit rate of the PPDU."""
    bytes: int
    """Length of its PSDU."""
    attempt: int
    """Number of the attempt."""
    outcome: int
    """Number of what became of it, as in the series of PPDUs."""
    to: int | None
    """Index of the receiver in `air.nics`; `null`: a group."""


# What has happened, or is so, where time has stopped for a condition. There may be more than one thing.
Happening = (
    HappeningFlow | HappeningRetransmission | HappeningQueue | HappeningLoss | HappeningRoam | HappeningFrame
)


class JobEventOutput(TypedDict):
    """The job wrote something."""

    kind: Literal["output"]
    error: bool
    """Whether to standard error."""
    data: PlanFileContent
    """What."""


class JobEventEnded(TypedDict):
    """The job has ended. Processes that it has left may still write."""

    kind: Literal["ended"]
    signal: int | None
    """The signal that ended it."""
    status: int | None
    """Exit status of the job; `null` if a signal ended it."""


class JobEventRefused(TypedDict):
    """The job was refused."""

    kind: Literal["refused"]
    why: str
    """Why."""


class JobEventAirChange(TypedDict):
    """No job, but a privileged program changes the air."""

    kind: Literal["air_change"]
    act: PlanSessionAct
    """The change: one that `SessionAct::is_of_the_air`."""


# What happened to a job.
JobEvent = JobEventOutput | JobEventEnded | JobEventRefused | JobEventAirChange


class SessionAnswerStopped(TypedDict):
    """Time stands still."""

    session: Literal["stopped"]
    at_ns: int
    """Now, from the epoch."""
    why: Literal["begin", "time", "job", "ppdu", "condition", "stop"]
    """What was waited for."""
    happened: list[Happening]
    """What the condition waited for, if it was that."""
    happened_ns: int | None
    """When that happened, from the epoch: 1 ns ago, or now, if it was so before time went on. `null` of
    other stops.
    """


class SessionAnswerEntered(TypedDict):
    """An input has entered."""

    session: Literal["entered"]
    at_ns: int
    """Time of the input. Inputs of one instant enter in their order."""
    job: int
    """Number of the job that it begins or that it is for."""
    act: PlanSessionAct
    """What the input does."""


class SessionAnswerSaid(TypedDict):
    """A job has said something."""

    session: Literal["said"]
    at_ns: int
    """Time of the event, in nanoseconds from the epoch."""
    job: int
    """Number of the job."""
    happened: JobEvent
    """What."""


class SessionAnswerPpdu(TypedDict):
    """A PPDU has ended."""

    session: Literal["ppdu"]
    start_ns: int
    """Start of the PPDU, in nanoseconds from the epoch."""
    end_ns: int
    """End of the PPDU, in nanoseconds from the epoch."""
    nic: int
    """Index of the sender in `air.nics`."""
    kind: int
    """Number of its kind, as in the series of PPDUs."""
    rate_bps: int
    """Bit rate of the PPDU."""
    bytes: int
    """Length of its PSDU."""
    attempt: int
    """Number of the attempt."""
    outcome: int
    """Number of what became of it, as in the series of PPDUs."""
    to: int | None
    """Index of the receiver in `air.nics`; `null`: a group."""


class SessionAnswerEnded(TypedDict):
    """The run has ended."""

    session: Literal["ended"]
    at_ns: int
    """When the guest was switched off, from the epoch."""
    hash: str
    """The hash over all frames."""


class SessionAnswerFlushed(TypedDict):
    """All records so far are in their files."""

    session: Literal["flushed"]
    at_ns: int
    """Now, from the epoch."""
    signals_dbm: list[float | None]
    """Mean power at which each of `air.nics` receives the access point of its cell; `null`: it is none
    of its stations.
    """


class SessionAnswerFrameHash(TypedDict):
    """The hash over all frames so far."""

    session: Literal["frame_hash"]
    at_ns: int
    """Now, from the epoch."""
    hash: str
    """Hash over all frames, as in the report of a run."""


# What the session answers.
SessionAnswer = (
    SessionAnswerStopped
    | SessionAnswerEntered
    | SessionAnswerSaid
    | SessionAnswerPpdu
    | SessionAnswerEnded
    | SessionAnswerFlushed
    | SessionAnswerFrameHash
)


# Some flows.
FlowChoice = TypedDict(
    "FlowChoice",
    {
        "from": int | None,
        "numbers": list[int] | None,
    },
)


class Compared(TypedDict):
    """A column of a series, compared with a number."""

    column: str
    """Name of the column, whose values are numbers."""
    comparison: Literal["less", "at_most", "greater", "at_least", "equal", "other"]
    """How its value and the number compare."""
    than: float
    """The number, in the unit of the column."""


class ConditionAll(TypedDict):
    """All of these, at one instant."""

    kind: Literal["all"]
    of: "list[Condition]"
    """At least one."""


class ConditionAny(TypedDict):
    """One of these."""

    kind: Literal["any"]
    of: "list[Condition]"
    """At least one."""


class ConditionFlow(TypedDict):
    """A flow's value in the series `flows` compares so. It may be so from the beginning."""

    kind: Literal["flow"]
    of: FlowChoice
    """The flows of which one is meant."""
    value: Compared
    """What is compared."""


class ConditionRetransmission(TypedDict):
    """The sender of a flow sends a segment again."""

    kind: Literal["retransmission"]
    of: FlowChoice
    """The flows of which one is meant."""


class ConditionQueue(TypedDict):
    """A queueing discipline's value in the series `qdiscs` compares so. It may be so from the beginning."""

    kind: Literal["queue"]
    value: Compared
    """What is compared."""
    interface: int | None
    """Place of the interface in its node; `null`: any."""
    node: int | None
    """Node of the interface; `null`: any."""


class ConditionLoss(TypedDict):
    """A packet is lost: by a queue, by a radio, by a wire, or by an interface that goes down."""

    kind: Literal["loss"]
    node: int | None
    """Node of the interface; `null`: any."""
    of: FlowChoice | None
    """The flow that sends it; `null`: it may be any packet."""


class ConditionRoam(TypedDict):
    """A station is associated with another access point than before."""

    kind: Literal["roam"]
    nic: int | None
    """Index of the station in `air.nics`; `null`: any."""


# A PPDU ends.
ConditionFrame = TypedDict(
    "ConditionFrame",
    {
        "kind": Literal["frame"],
        "from": int | None,
        "outcome": int | None,
        "ppdu": int | None,
        "to": int | None,
    },
)


# Something that is so at the end of an instant, or that happens at one.
Condition = (
    ConditionAll
    | ConditionAny
    | ConditionFlow
    | ConditionRetransmission
    | ConditionQueue
    | ConditionLoss
    | ConditionRoam
    | ConditionFrame
)


class SessionOrderEnter(TypedDict):
    """An input that enters now."""

    order: Literal["enter"]
    job: int
    """Job of the input."""
    act: PlanSessionAct
    """The input."""


class SessionOrderGo(TypedDict):
    """Time goes on."""

    order: Literal["go"]
    at_ns: NotRequired[int | None]
    """This time from the epoch."""
    condition: Condition | None
    """Something else."""
    job: NotRequired[int | None]
    """The end of this job."""
    ppdu: NotRequired[bool]
    """The end of a PPDU."""


class SessionOrderStop(TypedDict):
    """Time stops as soon as possible."""

    order: Literal["stop"]


class SessionOrderPace(TypedDict):
    """From now on virtual time goes at most so fast."""

    order: Literal["pace"]
    of_real_time: float | None
    """Virtual time per real time; `null`: as fast as it can."""


class SessionOrderFrameHash(TypedDict):
    """The hash over all frames so far."""

    order: Literal["frame_hash"]


class SessionOrderFlush(TypedDict):
    """All records so far go to their files."""

    order: Literal["flush"]


# What the user wants.
SessionOrder = (
    SessionOrderEnter
    | SessionOrderGo
    | SessionOrderStop
    | SessionOrderPace
    | SessionOrderFrameHash
    | SessionOrderFlush
)
