"""Round trips of pings."""

from collections.abc import Sequence
from dataclasses import dataclass

from airtcp.data.run_folder import Run
from airtcp.metrics.survival import Estimate, statistic
from airtcp.quantities.latency import ping_round_trips, ping_sample
from airtcp.quantities.registry import QUANTITIES
from airtcp.report.table import Table, estimate, number


@dataclass(frozen=True)
class PingRecord:
    """The echo requests of a ping, over the whole run."""

    ping: str
    """Its name."""
    mean_ms: float
    """Mean round-trip time of those answered."""
    least_ms: float
    """Least of them."""
    most_ms: Estimate
    """Most of all that were sent: one that was lost or is under way takes longer than the longest seen."""
    answered: int
    """Requests that were answered."""
    unanswered: int
    """Those that were not: `lost` and `under_way`."""
    lost: int
    """Sent before the last one that was answered, and not answered."""
    under_way: int
    """Sent after it: their answers may have been on their way when the run ended."""
    lost_share: float
    """Lost ones, of those of which it is known whether they were."""


def ping_records(run: Run) -> list[PingRecord]:
    """Every ping of the plan."""
    made = []
    for ping, planned in enumerate(run.plan["pings"]):
        span = (0, run.end_ns)
        trips, sample = ping_round_trips(run, ping, *span), ping_sample(run, ping, span)
        made.append(
            PingRecord(
                ping=planned["name"],
                mean_ms=trips.mean_ms,
                least_ms=trips.min_ms,
                most_ms=statistic(sample, "most"),
                answered=trips.answered,
                unanswered=trips.lost,
                lost=sample.lost,
                under_way=sample.under_way,
                lost_share=sample.missing,
            )
        )
    return made


def ping_table(pings: Sequence[PingRecord], while_flows_ran_ms: float | None) -> Table:
    """One row per ping. `while_flows_ran_ms` is the quantity `rtt`, if flows did not run all the time."""
    columns = ("ping", "mean", "min", "max", "answered", "lost", "under way")
    title = QUANTITIES["rtt"].label_with_unit
    if while_flows_ran_ms is not None:
        title += f" (of the whole run; mean while flows ran: {number(while_flows_ran_ms)})"
    table = Table(title, columns)
    for ping in pings:
        values = (number(ping.mean_ms), number(ping.least_ms), estimate(ping.most_ms))
        counts = (str(count) for count in (ping.answered, ping.lost, ping.under_way))
        table.add(ping.ping, *values, *counts)
    return table
