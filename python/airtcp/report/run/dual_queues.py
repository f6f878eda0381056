"""Every DualPI2 of a run: counts of the last sample, and what its two queues were like over the run."""

from collections.abc import Sequence
from dataclasses import dataclass

from airtcp.data.run_folder import Run
from airtcp.metrics.means import mean_over_time
from airtcp.quantities.dual_queues import LARGEST_PROBABILITY, QUEUES
from airtcp.report.table import Table, number


@dataclass(frozen=True)
class DualQueueRecord:
    """A queue of a DualPI2 that a packet entered."""

    node: str
    """Where its discipline is."""
    interface: str
    """Likewise."""
    handle: str
    """Of the discipline, as `tc` has it."""
    queue: str
    """`classic` or `low latency`."""
    packets: int
    """Packets that entered it."""
    peak_delay_ms: float
    """Most that its first packet had waited at a sample."""
    mean_delay_ms: float
    """Mean over time."""
    marked: int
    """Marks of both queues together, which the kernel does not tell apart."""
    step_marked: int
    """Those of them that the step of the low latency queue made."""
    mean_probability: float
    """Mean over time of the base probability of both."""


def dual_queue_records(run: Run) -> list[DualQueueRecord]:
    """Each queue of a DualPI2 that a packet entered."""
    if "dual_queues" not in run.recorded:
        return []
    made = []
    for rows in run.parts("dual_queues", "node", "interface", "handle", named=True).values():
        last, times_ns = rows.row(-1, named=True), rows["time_ns"].to_numpy()
        probability = mean_over_time(times_ns, rows["probability"].to_numpy(), run.end_ns)
        for prefix, queue in QUEUES.items():
            delays_us = rows[f"{prefix}_delay_us"].to_numpy()
            if last[f"{prefix}_packets"]:
                made.append(
                    DualQueueRecord(
                        node=last["node_name"],
                        interface=last["interface_name"],
                        handle=f"{last['handle']:x}:",
                        queue=queue,
                        packets=last[f"{prefix}_packets"],
                        peak_delay_ms=float(delays_us.max()) / 1e3,
                        mean_delay_ms=mean_over_time(times_ns, delays_us, run.end_ns) / 1e3,
                        marked=last["marks"],
                        step_marked=last["step_marks"],
                        mean_probability=probability / LARGEST_PROBABILITY,
                    )
                )
    return made


def dual_queue_table(queues: Sequence[DualQueueRecord]) -> Table:
    """One row per queue."""
    of_both = ("marked (both)", "by the step", "mean probability")
    columns = ("discipline", "queue", "packets", "peak ms", "mean ms", *of_both)
    table = Table("Queues of DualPI2 (ms that the first packet has waited)", columns, left=("queue",))
    for own in queues:
        table.add(
            f"{own.node} {own.interface} {own.handle}",
            own.queue,
            str(own.packets),
            number(own.peak_delay_ms),
            number(own.mean_delay_ms),
            str(own.marked),
            str(own.step_marked),
            f"{own.mean_probability:.4f}",
        )
    return table
