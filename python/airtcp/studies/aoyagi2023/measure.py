"""What section 4.2 measures in a run, and its means over seeds.

Throughput is application bytes at the receiver per second (the paper: iperf), RTT is ping's, both over the
time of the flows; the base RTT is ping's in the idle seconds before them, without the first request, which
waits for ARP.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from airtcp.data.run_folder import Run
from airtcp.metrics.replication import Estimate, estimate
from airtcp.metrics.throughput import bin_edges_ns, binned_rate_mbps
from airtcp.report.run_report import BIN_NS, flow_control, flow_time, ping_round_trips, run_warnings
from airtcp.studies.aoyagi2023.design import Case, Design


@dataclass(frozen=True)
class Spread:
    """Mean, least and most."""

    mean: float
    least: float
    most: float


@dataclass(frozen=True)
class Measured:
    """The numbers of one run; flows of several clients are added up, their echo requests put together."""

    case: Case
    folder: Path
    total_mbps: Spread
    flows_mbps: tuple[float, ...]
    rtt_ms: Spread
    idle_rtt_ms: float
    unanswered: int
    retransmits: int
    out_of_control: tuple[str, ...]
    warnings: tuple[str, ...]


def measure(design: Design, case: Case, run: Run) -> Measured:
    """The numbers of one run."""
    rates = np.array([_rates(run, flow) for flow in range(case.clients)])
    whole = [_rates(run, flow, bins=False)[0] for flow in range(case.clients)]
    total = rates.sum(axis=0)
    stop_ns = int(run.plan["duration_ns"])
    pings = range(len(run.plan["pings"]))
    trips = [ping_round_trips(run, ping, design.idle_ns, stop_ns) for ping in pings]
    interval_ns = int(run.plan["pings"][0]["interval_ns"])
    idle = [ping_round_trips(run, ping, interval_ns, design.idle_ns) for ping in pings]
    answered = np.array([trip.answered for trip in trips])
    mean_ms = float(np.average([trip.mean_ms for trip in trips], weights=answered))
    verdicts = [flow_control(run, flow) for flow in range(case.clients)]
    return Measured(
        case=case,
        folder=run.folder,
        total_mbps=Spread(float(sum(whole)), float(total.min()), float(total.max())),
        flows_mbps=tuple(whole),
        rtt_ms=Spread(mean_ms, min(trip.min_ms for trip in trips), max(trip.max_ms for trip in trips)),
        idle_rtt_ms=float(np.mean([trip.mean_ms for trip in idle])),
        unanswered=sum(trip.lost for trip in trips),
        retransmits=sum(int(flow["retransmits"]) for flow in run.agent["flows"]),
        out_of_control=tuple(
            f"{run.plan['flows'][flow]['name']}: {', '.join(verdict.reasons)}"
            for flow, verdict in enumerate(verdicts)
            if not verdict.in_control
        ),
        warnings=tuple(run_warnings(run)),
    )


def _rates(run: Run, flow: int, bins: bool = True) -> list[float]:
    samples = run.flow_samples(flow)
    edges = bin_edges_ns(*flow_time(run, flow), BIN_NS)
    chosen = edges if bins else edges[[0, -1]]
    rates = binned_rate_mbps(samples["time_ns"].to_numpy(), samples["bytes_received"].to_numpy(), chosen)
    return [float(rate) for rate in rates]


@dataclass(frozen=True)
class Cell:
    """A CCA with a queue and a number of clients: means over seeds, extremes over all of them."""

    cca: str
    queue_packets: int
    clients: int
    mbps: Spread
    mbps_mean: Estimate
    rtt_ms: Spread
    rtt_mean: Estimate
    runs: tuple[Measured, ...]

    @property
    def out_of_control(self) -> tuple[str, ...]:
        """Flows whose CCA was not what limited them, with the reasons."""
        return tuple(reason for run in self.runs for reason in run.out_of_control)


Cells = dict[tuple[str, int, int], Cell]


def cells(measured: Sequence[Measured]) -> Cells:
    """The runs put together by (CCA, queue, clients)."""
    groups: dict[tuple[str, int, int], list[Measured]] = defaultdict(list)
    for one in measured:
        groups[one.case.cca, one.case.queue_packets, one.case.clients].append(one)
    return {key: _cell(key, runs) for key, runs in groups.items()}


def _cell(key: tuple[str, int, int], runs: Sequence[Measured]) -> Cell:
    mbps = estimate([run.total_mbps.mean for run in runs])
    rtt = estimate([run.rtt_ms.mean for run in runs])
    rates, trips = [run.total_mbps for run in runs], [run.rtt_ms for run in runs]
    return Cell(
        *key,
        mbps=Spread(mbps.mean, min(s.least for s in rates), max(s.most for s in rates)),
        mbps_mean=mbps,
        rtt_ms=Spread(rtt.mean, min(s.least for s in trips), max(s.most for s in trips)),
        rtt_mean=rtt,
        runs=tuple(runs),
    )
