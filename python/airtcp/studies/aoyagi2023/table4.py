"""Our RTTs beside table 4 of the paper.

The table holds ratios of emulated to actual values; the values themselves are drawn in figures only, but for
some emulated RTTs that the text gives (they are those of the claims by `mean_rtt_near`). For these, the
paper's actual RTT is the text's value over the table's ratio, and our ratio to it can stand beside the
paper's. No throughput is given, so none is compared.
"""

from pathlib import Path

import numpy as np

from airtcp.data.results_file import read_results
from airtcp.metrics.ratios import summarise_ratios
from airtcp.report.claims import Claim
from airtcp.report.run_report import number
from airtcp.report.table import Table
from airtcp.studies.aoyagi2023.claims import read_claims
from airtcp.studies.aoyagi2023.computations import Arguments
from airtcp.studies.aoyagi2023.design import Design
from airtcp.studies.aoyagi2023.measure import Cells

FILE = "table4.csv"
TITLE = "Mean RTT beside table 4 of the paper (one client)"
COLUMNS = (
    *("CCA", "queue", "ours ms", "emulated ms (text)", "emulated / actual (table 4)", "actual ms"),
    *("ours / actual", "ours / emulated"),
)
# Congestion control and queue to a number.
ByCase = dict[tuple[str, int], float]


def rtt_ratios(file: Path) -> ByCase:
    """The ratios of emulated to actual RTT."""
    rows = read_results(file, file.read_bytes()).rows
    return {(row.keys["cca"], int(row.keys["queue_packets"])): row.values["rtt_ratio"] for row in rows}


def stated_rtts_ms(claims: list[tuple[Claim, Arguments]]) -> ByCase:
    """The emulated mean RTTs that the text gives; where it gives two, the one of fewer cases."""
    stated: ByCase = {}
    of_rtt = [arguments for claim, arguments in claims if claim.computation == "mean_rtt_near"]
    for one in sorted(of_rtt, key=lambda one: -len(one["ccas"])):
        stated.update(
            {(cca, queue): float(one["value_ms"]) for cca in one["ccas"] for queue in one["queues"]}
        )
    return stated


def table_4(design: Design, cells: Cells) -> Table:
    """A row for each congestion control and queue that was run; a dash where the text gives no RTT."""
    ratios, stated = rtt_ratios(design.folder / FILE), stated_rtts_ms(read_claims(design))
    table = Table(TITLE, COLUMNS)
    for cca, queue in _cases(design, cells):
        ours_ms = cells[cca, queue, 1].rtt_ms.mean
        emulated_ms, ratio = stated.get((cca, queue)), ratios[cca, queue]
        actual_ms = emulated_ms / ratio if emulated_ms else None
        table.add(
            *(design.names[cca], str(queue), number(ours_ms, 1), number(emulated_ms, 0), number(ratio, 3)),
            number(actual_ms, 1),
            number(ours_ms / actual_ms if actual_ms else None, 3),
            number(ours_ms / emulated_ms if emulated_ms else None, 3),
        )
    return table


def table_4_note(design: Design, cells: Cells) -> str:
    """How far ours and the paper's emulator are from its actual network, where that is known."""
    ratios, stated = rtt_ratios(design.folder / FILE), stated_rtts_ms(read_claims(design))
    known = [case for case in _cases(design, cells) if case in stated]
    if not known:
        return ""
    ours = [cells[*case, 1].rtt_ms.mean / (stated[case] / ratios[case]) for case in known]
    near = [summarise_ratios(np.array(each)) for each in (ours, [ratios[case] for case in known])]
    told = [f"{one.geometric_mean:.3f} ({one.min:.3f} to {one.max:.3f})" for one in near]
    return (
        f"Table 4: over the {len(known)} cases whose RTT the text gives (rounded), ours is {told[0]} times "
        f"the paper's actual RTT in the geometric mean, the paper's emulator {told[1]} times."
    )


def _cases(design: Design, cells: Cells) -> list[tuple[str, int]]:
    return [
        (cca, queue) for cca in design.ccas for queue in design.queues_packets if (cca, queue, 1) in cells
    ]
