"""The tins of every CAKE of a run: counts of the last sample, and what waited over the run."""

from collections.abc import Sequence
from dataclasses import dataclass

from airtcp.data.run_folder import Run
from airtcp.metrics.means import mean_over_time
from airtcp.report.table import Table, number


@dataclass(frozen=True)
class TinRecord:
    """A tin of CAKE that a packet entered."""

    node: str
    """Where its queue is."""
    interface: str
    """Likewise."""
    handle: str
    """Of the queue, as `tc` has it."""
    tin: str
    """Its name, as `tc -s qdisc` prints it."""
    threshold_mbps: float | None
    """Rate up to which it has priority; `null`: none."""
    packets: int
    """Packets that it sent."""
    bytes: int
    """Bytes of them."""
    dropped: int
    """Packets that it dropped."""
    marked: int
    """Packets that it marked (ECN)."""
    peak_bytes: int
    """Most bytes that waited in it at a sample."""
    mean_bytes: float
    """Mean over time."""
    peak_delay_ms: float
    """Most of the kernel's peak delay at a sample."""
    mean_delay_ms: float
    """Mean over time of its average delay."""


def tin_records(run: Run) -> list[TinRecord]:
    """Each tin that a packet entered."""
    if "tins" not in run.recorded:
        return []
    made = []
    for rows in run.parts("tins", "node", "interface", "handle", "tin", named=True).values():
        last, times_ns = rows.row(-1, named=True), rows["time_ns"].to_numpy()
        waiting, delays_us = (rows[name].to_numpy() for name in ("backlog_bytes", "avg_delay_us"))
        if last["packets"]:
            made.append(
                TinRecord(
                    node=last["node_name"],
                    interface=last["interface_name"],
                    handle=f"{last['handle']:x}:",
                    tin=last["tin_name"],
                    threshold_mbps=last["threshold_bps"] / 1e6 if last["threshold_bps"] else None,
                    packets=last["packets"],
                    bytes=last["bytes"],
                    dropped=last["drops"],
                    marked=last["marks"],
                    peak_bytes=int(waiting.max()),
                    mean_bytes=mean_over_time(times_ns, waiting, run.end_ns),
                    peak_delay_ms=float(rows["peak_delay_us"].to_numpy().max()) / 1e3,
                    mean_delay_ms=mean_over_time(times_ns, delays_us, run.end_ns) / 1e3,
                )
            )
    return made


def tin_table(tins: Sequence[TinRecord]) -> Table:
    """One row per tin."""
    counts = ("packets", "MB", "dropped", "marked")
    waiting = ("peak kB", "mean kB", "peak ms", "mean ms")
    columns = ("queue", "tin", "priority up to Mbit/s", *counts, *waiting)
    table = Table("Tins of CAKE (kB waiting, and ms that packets wait)", columns, left=("tin",))
    for tin in tins:
        waits = (tin.peak_bytes / 1e3, tin.mean_bytes / 1e3, tin.peak_delay_ms, tin.mean_delay_ms)
        table.add(
            f"{tin.node} {tin.interface} {tin.handle}",
            tin.tin,
            "-" if tin.threshold_mbps is None else number(tin.threshold_mbps),
            str(tin.packets),
            f"{tin.bytes / 1e6:.2f}",
            str(tin.dropped),
            str(tin.marked),
            *map(number, waits),
        )
    return table
