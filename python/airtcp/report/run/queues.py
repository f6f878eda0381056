"""Queues of hosts and routers, and wires with a trace."""

from collections.abc import Sequence
from dataclasses import dataclass

from airtcp.data.run_folder import Run
from airtcp.metrics.means import mean_over_time
from airtcp.quantities.queues import QdiscPlace, handle_of, qdisc_parts, queue_places
from airtcp.report.table import Table, number


@dataclass(frozen=True)
class QueueRecord:
    """A queueing discipline that saw a packet; of a chain only the queue itself."""

    node: str
    """Where it is."""
    interface: str
    """Likewise."""
    qdisc: str
    """Kind, as `fq_codel`."""
    handle: str
    """As `tc` has it: `10:`."""
    packets: int
    """Packets that it sent."""
    bytes: int
    """Bytes of them."""
    dropped: int
    """Packets that it dropped."""
    marked: int | None
    """Packets that it marked (ECN); `null` where it was not sampled (`[sampling] qdiscs`)."""
    peak_packets: int | None
    """Most packets that waited in it at a sample, likewise."""
    mean_packets: float | None
    """Mean over time, likewise."""


@dataclass(frozen=True)
class WireRecord:
    """An end of a wire that has a trace."""

    node: str
    """Where it is."""
    interface: str
    """Likewise."""
    frames: int
    """Frames that it sent."""
    bytes: int
    """Bytes of them."""
    lost: int
    """Frames that the trace lost."""
    lost_share: float
    """Of those sent."""


def queue_records(run: Run) -> list[QueueRecord]:
    """Each queue; what waited and what was marked is known from samples."""
    waited = _waited(run) if "qdiscs" in run.recorded else {}
    queues, made = queue_places(run), []
    for qdisc in run.agent["qdiscs"]:
        place = (qdisc["node"], qdisc["interface"], handle_of(qdisc))
        if qdisc["packets"] and place in queues:
            marked, peak, mean = waited.get(place, (None, None, None))
            made.append(
                QueueRecord(
                    node=qdisc["node"],
                    interface=qdisc["interface"],
                    qdisc=qdisc["kind"],
                    handle=qdisc["handle"],
                    packets=qdisc["packets"],
                    bytes=qdisc["bytes"],
                    dropped=qdisc["drops"],
                    marked=marked,
                    peak_packets=peak,
                    mean_packets=mean,
                )
            )
    return made


def _waited(run: Run) -> dict[QdiscPlace, tuple[int, int, float]]:
    """Of each discipline: packets marked, most that waited at a sample, and mean over time."""
    found: dict[QdiscPlace, tuple[int, int, float]] = {}
    for rows in qdisc_parts(run).values():
        node, interface, handle = (rows[column][0] for column in ("node_name", "interface_name", "handle"))
        backlog = rows["backlog_packets"].to_numpy()
        marks = int(rows["marks"].to_numpy().max())
        mean = mean_over_time(rows["time_ns"].to_numpy(), backlog, run.end_ns)
        found[node, interface, handle] = (marks, int(backlog.max()), mean)
    return found


def wire_records(run: Run) -> list[WireRecord]:
    """Each end of a wire with a trace."""
    return [
        WireRecord(
            node=wire["node"],
            interface=wire["interface"],
            frames=wire["frames"],
            bytes=wire["bytes"],
            lost=wire["lost"],
            lost_share=wire["lost"] / max(1, wire["frames"]),
        )
        for wire in run.agent.get("wires", ())
    ]


def queue_table(queues: Sequence[QueueRecord]) -> Table:
    """One row per queue."""
    columns = ("node", "interface", "qdisc", "packets", "MB", "dropped", "marked", "peak backlog", "mean")
    table = Table("Queues (packets)", columns, left=("interface", "qdisc"))
    for queue in queues:
        place = (queue.node, queue.interface, f"{queue.qdisc} {queue.handle}")
        counts = (str(queue.packets), f"{queue.bytes / 1e6:.2f}", str(queue.dropped))
        waited = ("-" if count is None else str(count) for count in (queue.marked, queue.peak_packets))
        table.add(*place, *counts, *waited, number(queue.mean_packets, 1))
    return table


def wire_table(wires: Sequence[WireRecord]) -> Table:
    """One row per end of a wire that has a trace."""
    table = Table("Wires with a trace (frames)", ("node", "interface", "sent", "MB", "lost", "share"))
    for wire in wires:
        counts = (str(wire.frames), f"{wire.bytes / 1e6:.2f}", str(wire.lost), f"{wire.lost_share:.2%}")
        table.add(wire.node, wire.interface, *counts)
    return table
