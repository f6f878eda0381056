"""Figures 4a, 5a and 6a, computed."""

from collections.abc import Callable

from airtcp.plots.bars import Bar, BarChart, ErrorBars, Whiskers, prepare_bars
from airtcp.plots.doubt import DOUBT_MARK
from airtcp.studies.aoyagi2023.design import Design
from airtcp.studies.aoyagi2023.measure import Cell, Cells, Spread


def _throughput(cell: Cell) -> Spread:
    return cell.mbps


def _rtt(cell: Cell) -> Spread:
    return cell.rtt_ms


# File name, number of clients, what is shown, axis, caption.
Figure = tuple[str, int, Callable[[Cell], Spread], str, str]
FIGURES: tuple[Figure, ...] = (
    (
        "figure-4a",
        1,
        _throughput,
        "Throughput [Mbit/s]",
        "Figure 4a of aoyagi2023, computed by airtcp: throughput of one client.",
    ),
    (
        "figure-5a",
        1,
        _rtt,
        "RTT [ms]",
        "Figure 5a of aoyagi2023, computed by airtcp: RTT of one client (ping).",
    ),
    (
        "figure-6a",
        2,
        _throughput,
        "Total throughput [Mbit/s]",
        "Figure 6a of aoyagi2023, computed by airtcp: total throughput of two clients.",
    ),
)


def prepare_figures(design: Design, cells: Cells) -> dict[str, BarChart]:
    """The charts by file name; without runs for it a chart is left out."""
    charts: dict[str, BarChart] = {}
    for file, clients, value, label, caption in FIGURES:
        series: dict[str, dict[str, Bar]] = {}
        for queue in design.queues_packets:
            bars: dict[str, Bar] = {}
            for cca in design.ccas:
                cell = cells.get((cca, queue, clients))
                if cell is not None:
                    spread = value(cell)
                    note = DOUBT_MARK if cell.out_of_control else ""
                    bars[design.names[cca]] = Bar(spread.mean, spread.least, spread.most, note)
            series[f"Queue of {queue} packets"] = bars
        if any(series.values()):
            whiskers = ErrorBars(Whiskers.EXTREMES, "the echo requests" if value is _rtt else "bins of 1 s")
            names = [design.names[cca] for cca in design.ccas]
            charts[file] = prepare_bars(names, series, f"{caption}{_quick(design)}", label, whiskers)
    return charts


def _quick(design: Design) -> str:
    return f" Shortened runs of {design.flow_ns / 1e9:.0f} s, not the paper's." if design.quick else ""
