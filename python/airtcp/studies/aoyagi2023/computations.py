"""The computations that the claims of section 4.2 name.

Each takes the cells and the claim's own keys and returns a finding. Values are those of one client unless a
claim says otherwise. Where runs were left out (`--cca`), a claim is computed only if all of its are there.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from airtcp.report.claims import Claim, Finding
from airtcp.report.run_report import number
from airtcp.studies.aoyagi2023.measure import Cell, Cells

Arguments = dict[str, Any]
Computation = Callable[[Cells, Arguments], Finding]

NOT_COMPUTED = Finding("not computed", "-", "runs left out")
QUEUES = (20, 100)


def find(claim: Claim, arguments: Arguments, cells: Cells) -> Finding:
    """Computes a claim."""
    return COMPUTATIONS[claim.computation](cells, arguments)


def _cell(cells: Cells, cca: str, queue: int, clients: int = 1) -> Cell | None:
    return cells.get((cca, queue, clients))


def _runs(chosen: Sequence[Cell]) -> tuple[str, ...]:
    return tuple(run.folder.name for cell in chosen for run in cell.runs)


def _judged(values: dict[str, tuple[float, bool]], unit: str, chosen: Sequence[Cell]) -> Finding:
    """A claim about several values: it holds if all do; those that do not are named."""
    wrong = [name for name, (_, fits) in values.items() if not fits]
    digits = 1 if unit == "ms" else 2
    ours = ", ".join(f"{name} {number(value, digits)}" for name, (value, _) in values.items())
    detail = f"not: {', '.join(wrong)}" if wrong else ""
    return Finding("differs" if wrong else "holds", f"{ours} {unit}".strip(), detail, _runs(chosen))


def idle_rtt(cells: Cells, claim: Arguments) -> Finding:
    """Mean RTT before the flows, over all runs with one client."""
    chosen = [cell for cell in cells.values() if cell.clients == 1]
    if not chosen:
        return NOT_COMPUTED
    ours_ms = float(np.mean([run.idle_rtt_ms for cell in chosen for run in cell.runs]))
    holds = abs(ours_ms - claim["value_ms"]) <= claim["within_ms"]
    return Finding("holds" if holds else "differs", f"{ours_ms:.2f} ms", runs=_runs(chosen))


def fills_backhaul(cells: Cells, claim: Arguments) -> Finding:
    """Least mean throughput over all CCAs and queues."""
    chosen = [cell for cell in cells.values() if cell.clients == claim["clients"]]
    if not chosen:
        return NOT_COMPUTED
    rates = [cell.mbps.mean for cell in chosen]
    wrong = [
        f"{cell.cca} with {cell.queue_packets}: {cell.mbps.mean:.2f}"
        for cell in chosen
        if cell.mbps.mean <= claim["least_mbps"]
    ]
    ours = f"{min(rates):.2f} to {max(rates):.2f} Mbit/s"
    return Finding("differs" if wrong else "holds", ours, "; ".join(wrong), _runs(chosen))


def mean_rtt_near(cells: Cells, claim: Arguments) -> Finding:
    """Mean RTT of each CCA and queue named, within a share of the paper's value."""
    wanted = [(cca, queue) for cca in claim["ccas"] for queue in claim["queues"]]
    chosen = [cell for cca, queue in wanted if (cell := _cell(cells, cca, queue))]
    if len(chosen) != len(wanted):
        return NOT_COMPUTED
    limit = claim["within"] * claim["value_ms"]
    several = len(claim["queues"]) > 1
    values = {
        f"{cell.cca} q{cell.queue_packets}" if several else cell.cca: (
            cell.rtt_ms.mean,
            abs(cell.rtt_ms.mean - claim["value_ms"]) <= limit,
        )
        for cell in chosen
    }
    return _judged(values, "ms", chosen)


def growth(cells: Cells, cca: str) -> tuple[float, list[Cell]] | None:
    """Mean RTT with the large queue over that with the small; `None` if either was not run."""
    small, large = (_cell(cells, cca, queue) for queue in QUEUES)
    if small is None or large is None:
        return None
    return large.rtt_ms.mean / small.rtt_ms.mean, [small, large]


def _growths(cells: Cells, ccas: Sequence[str], fits: Callable[[float], bool]) -> Finding:
    values: dict[str, tuple[float, bool]] = {}
    chosen: list[Cell] = []
    for cca in ccas:
        grown = growth(cells, cca)
        if grown is None:
            return NOT_COMPUTED
        values[cca] = (grown[0], fits(grown[0]))
        chosen += grown[1]
    return _judged(values, "times", chosen)


def growth_at_least(cells: Cells, claim: Arguments) -> Finding:
    """Each CCA's RTT grows by this factor or more."""
    return _growths(cells, claim["ccas"], lambda factor: factor >= claim["least"])


def growth_at_most(cells: Cells, claim: Arguments) -> Finding:
    """Each CCA's RTT stays within this factor, up or down."""
    return _growths(cells, claim["ccas"], lambda factor: 1 / claim["most"] <= factor <= claim["most"])


def growth_reported(cells: Cells, claim: Arguments) -> Finding:
    """A CCA's growth, where the paper says both."""
    grown = growth(cells, claim["cca"])
    if grown is None:
        return NOT_COMPUTED
    says = "grows" if grown[0] >= claim["limit"] else "does not grow"
    return Finding("ours", f"{grown[0]:.2f} times", says, _runs(grown[1]))


def largest_rtt(cells: Cells, claim: Arguments) -> Finding:
    """The CCA with the largest mean RTT with a queue, and the next."""
    chosen = [cell for cell in cells.values() if cell.clients == 1 and cell.queue_packets == claim["queue"]]
    if len(chosen) < 2 or _cell(cells, claim["cca"], claim["queue"]) is None:
        return NOT_COMPUTED
    first, second = sorted(chosen, key=lambda cell: -cell.rtt_ms.mean)[:2]
    ours = f"{first.cca} {first.rtt_ms.mean:.1f} ms, then {second.cca} {second.rtt_ms.mean:.1f} ms"
    return Finding("holds" if first.cca == claim["cca"] else "differs", ours, runs=_runs(chosen))


def bufferbloat_as_paper(cells: Cells, claim: Arguments) -> Finding:
    """Whether each CCA's RTT grows with the queue, against the paper's verdict."""
    expected = dict.fromkeys(claim["grow"], True) | dict.fromkeys(claim["stay"], False)
    factors = {cca: growth(cells, cca) for cca in expected}
    known = {cca: grown for cca, grown in factors.items() if grown is not None}
    if len(known) != len(expected):
        return NOT_COMPUTED
    grows = {cca: grown[0] >= claim["limit"] for cca, grown in known.items()}
    wrong = [cca for cca in expected if grows[cca] != expected[cca]]
    ours = f"{sum(grows.values())} of {len(grows)}"
    detail = "; ".join(f"{cca}: {known[cca][0]:.2f} times" for cca in wrong)
    runs = _runs([cell for grown in known.values() for cell in grown[1]])
    return Finding("differs" if wrong else "holds", ours, detail, runs)


COMPUTATIONS: dict[str, Computation] = {
    function.__name__: function
    for function in (
        idle_rtt,
        fills_backhaul,
        mean_rtt_near,
        growth_at_least,
        growth_at_most,
        growth_reported,
        largest_rtt,
        bufferbloat_as_paper,
    )
}
