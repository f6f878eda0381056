"""The verdict on bufferbloat of each congestion control, by airtcp's definition, beside the paper's."""

from airtcp.metrics.bufferbloat import Bufferbloat, Loaded, judge_bufferbloat
from airtcp.report.claims import Claim
from airtcp.report.run_report import number
from airtcp.report.table import Table
from airtcp.scenario.reading import parse_toml, read_text
from airtcp.scenario.units import RATE
from airtcp.studies.aoyagi2023.claims import read_claims
from airtcp.studies.aoyagi2023.computations import Arguments
from airtcp.studies.aoyagi2023.design import Design
from airtcp.studies.aoyagi2023.measure import Cell, Cells

TITLE = (
    "Bufferbloat with one client: RTT twice the base RTT or more, and twofold or more with the larger queue"
)
COLUMNS = ("CCA", "base RTT ms", "RTT times base", "RTT growth", "exponent", "verdict", "paper")


def bufferbloat_table(design: Design, cells: Cells) -> Table:
    """A row for each congestion control that was run with one client."""
    table = Table(TITLE, COLUMNS, left=("verdict", "paper"))
    paper = _of_the_paper(read_claims(design))
    rate_mbps = backhaul_mbps(design)
    for cca in design.ccas:
        own = [cell for queue in design.queues_packets if (cell := cells.get((cca, queue, 1)))]
        if own:
            found = judge(own, rate_mbps)
            table.add(
                *(design.names[cca], number(found.base_rtt_ms, 2), number(found.growth_with_load, 1)),
                *(number(found.growth_with_queue, 2), number(found.exponent, 2)),
                *(found.text() if found.verdict == "open" else found.verdict, paper.get(cca, "both")),
            )
    return table


def judge(own: list[Cell], rate_mbps: float) -> Bufferbloat:
    """The verdict over the queues of one congestion control; the base RTT is that of its idle seconds."""
    idle = [run.idle_rtt_ms for cell in own for run in cell.runs]
    loaded = [Loaded(cell.queue_packets, cell.rtt_ms.mean, cell.mbps.mean / rate_mbps) for cell in own]
    return judge_bufferbloat(sum(idle) / len(idle), loaded)


def backhaul_mbps(design: Design) -> float:
    """The rate of the wire whose queue is varied."""
    file = design.folder / design.scenarios[1]
    return float(RATE.read(parse_toml(read_text(file), file)["wire"][design.backhaul_wire]["rate"])) / 1e6


def _of_the_paper(claims: list[tuple[Claim, Arguments]]) -> dict[str, str]:
    """What the paper says of each congestion control; of those it leaves out it says both."""
    said = next(arguments for claim, arguments in claims if claim.computation == "bufferbloat_as_paper")
    return {**dict.fromkeys(said["grow"], "bufferbloat"), **dict.fromkeys(said["stay"], "no bufferbloat")}
