"""The record of a run: everything that its tables show, for programs too."""

import math
from dataclasses import dataclass

from airtcp.data.run_folder import Run
from airtcp.quantities.latency import latencies
from airtcp.quantities.named_number import number_named
from airtcp.quantities.run_view import RunView
from airtcp.report.run.applications import (
    StreamRecord,
    TransferRecord,
    VideoRecord,
    stream_records,
    transfer_records,
    video_records,
)
from airtcp.report.run.dual_queues import DualQueueRecord, dual_queue_records
from airtcp.report.run.flows import FlowRecord, flow_records
from airtcp.report.run.groups import GroupRecord, group_records
from airtcp.report.run.latency import LatencyRecord, group_latency_records, latency_records
from airtcp.report.run.mptcp import MptcpRecord, mptcp_records
from airtcp.report.run.pings import PingRecord, ping_records
from airtcp.report.run.programs import ProgramRecord, program_records
from airtcp.report.run.queues import QueueRecord, WireRecord, queue_records, wire_records
from airtcp.report.run.quic import QuicRecord, quic_records
from airtcp.report.run.radios import MediumRecord, RadioRecord, medium_records, radio_records
from airtcp.report.run.tins import TinRecord, tin_records
from airtcp.report.run.warnings import run_warnings

# Of `RunRecord` in JSON: raised when a key goes or changes its meaning, not when one is added.
VERSION = 2


@dataclass(frozen=True)
class RunRecord:
    """What `airtcp run` knows of a run: its tables are made from this, and `--json` prints it."""

    version: int
    """Version of this layout. It is raised when a key goes or changes its meaning, not when one is added."""
    scenario: str
    """Name of the scenario."""
    seed: int
    """Root of every random stream."""
    run: str
    """Identity of the run: the name of its folder."""
    folder: str
    """Its folder."""
    virtual_s: float
    """Length of the run."""
    flows_from_s: float
    """Start of the first flow; without flows that of the run."""
    flows_to_s: float
    """End of the last flow, likewise. Between these times the next six numbers are taken, as those of metrics
    and comparisons; what stands in lists is of the whole run, or of each flow's own time."""
    goodput_mbps: float
    """Quantity `throughput` of all flows: application bytes at the receivers, over the time in which flows
    ran."""
    rtt_ms: float
    """Quantity `rtt`: mean of all pings answered that were sent in that time."""
    srtt_ms: float
    """Quantity `srtt`: mean over time of the kernel's smoothed RTT of all flows."""
    retransmits: int | None
    """Quantity `retransmits`: segments sent again by all flows."""
    jain_index: float
    """Quantity `jain_index`: of the flows' goodputs, each over its own time; `null` of one flow."""
    airtime_jain_index: float
    """Quantity `airtime_jain_index`: of the airtimes of the only access point's stations."""
    groups: list[GroupRecord]
    """Groups of the scenario and of `--group`, in their order."""
    flows: list[FlowRecord]
    """TCP flows of the scenario, then flows of programs."""
    mptcp: list[MptcpRecord]
    """Directions of MPTCP connections of programs; their subflows are among the flows."""
    quic: list[QuicRecord]
    """Ends of QUIC connections of programs that wrote logs (qlog)."""
    transfers: list[TransferRecord]
    """Pages, answers and bursts."""
    videos: list[VideoRecord]
    """Films."""
    streams: list[StreamRecord]
    """Streams of datagrams: of each `[[udp]]`, and of each direction of a `[[voip]]`."""
    pings: list[PingRecord]
    """Pings."""
    latency: list[LatencyRecord]
    """What each application waited for. That of groups stands with them."""
    queues: list[QueueRecord]
    """Queues that saw a packet."""
    tins: list[TinRecord]
    """Tins of CAKE."""
    dual_queues: list[DualQueueRecord]
    """Queues of DualPI2 that a packet entered."""
    wires: list[WireRecord]
    """Ends of wires that have a trace."""
    radios: list[RadioRecord]
    """Radios."""
    media: list[MediumRecord]
    """Media: how their time was used, as reports and `airtcp explain` have it."""
    programs: list[ProgramRecord]
    """Programs."""
    warnings: list[str]
    """What a reader should know before trusting the run."""


def run_record(run: Run) -> RunRecord:
    """Everything, read off a run once."""
    view = RunView.while_flows_ran(run)

    def number(name: str) -> float:
        return number_named(name, "JSON").of(view).value

    flows, waits = flow_records(run), latencies(run, (0, run.end_ns))
    return RunRecord(
        version=VERSION,
        scenario=run.plan["name"],
        seed=run.plan["seed"],
        run=run.name,
        folder=str(run.folder),
        virtual_s=run.end_ns / 1e9,
        flows_from_s=view.start_ns / 1e9,
        flows_to_s=view.stop_ns / 1e9,
        goodput_mbps=number("throughput"),
        rtt_ms=number("rtt"),
        srtt_ms=number("srtt"),
        retransmits=None if math.isnan(again := number("retransmits")) else int(again),
        jain_index=number("jain_index"),
        airtime_jain_index=number("airtime_jain_index"),
        groups=group_records(run, flows, group_latency_records(run.groups, waits)),
        flows=flows,
        mptcp=mptcp_records(run),
        quic=quic_records(run),
        transfers=transfer_records(run),
        videos=video_records(run),
        streams=stream_records(run),
        pings=ping_records(run),
        latency=latency_records(waits),
        queues=queue_records(run),
        tins=tin_records(run),
        dual_queues=dual_queue_records(run),
        wires=wire_records(run),
        radios=radio_records(run),
        media=medium_records(run),
        programs=program_records(run),
        warnings=run_warnings(run),
    )
