"""The report of section 4.2: tables, claims, figures, and an index from numbers to run folders."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from airtcp.plots.bars import draw_bars
from airtcp.plots.style import save_figure
from airtcp.report.claims import Claim, Finding, claims_table, count_verdicts
from airtcp.report.folder import output_folder
from airtcp.report.html.figure import page_figure
from airtcp.report.html.page import Page, write_page
from airtcp.report.html.run_factors import RunFactors
from airtcp.report.html.runs import Runs
from airtcp.report.run_report import number
from airtcp.report.table import Table
from airtcp.studies.aoyagi2023.bufferbloat import bufferbloat_table
from airtcp.studies.aoyagi2023.design import NAME, SECTION, Case, Design
from airtcp.studies.aoyagi2023.figures import prepare_figures
from airtcp.studies.aoyagi2023.measure import Cell, Cells
from airtcp.studies.aoyagi2023.table4 import table_4, table_4_note

Judged = Sequence[tuple[Claim, Finding]]


def result_table(design: Design, cells: Cells, clients: int) -> Table:
    """CCA x queue for one number of clients."""
    of = "one client" if clients == 1 else f"{clients} clients, throughput added up"
    columns = ["CCA", "queue", "Mbit/s mean", "min", "max", "RTT ms mean", "min", "max", "in control"]
    if len(design.seeds) > 1:
        columns[3:3] = ["+-"]
        columns[7:7] = ["+-"]
    table = Table(f"Section {SECTION}, {of}", columns, left=("in control",))
    for cca in design.ccas:
        for queue in design.queues_packets:
            cell = cells.get((cca, queue, clients))
            if cell is not None:
                table.add(design.names[cca], str(queue), *_numbers(design, cell), _control(cell))
    return table


def _numbers(design: Design, cell: Cell) -> list[str]:
    cells: list[str] = []
    for spread, mean, digits in ((cell.mbps, cell.mbps_mean, 2), (cell.rtt_ms, cell.rtt_mean, 1)):
        cells.append(number(spread.mean, digits))
        if len(design.seeds) > 1:
            cells.append(number(mean.half_width, digits))
        cells += [number(spread.least, digits), number(spread.most, digits)]
    return cells


def _control(cell: Cell) -> str:
    return "yes" if not cell.out_of_control else f"NO: {'; '.join(dict.fromkeys(cell.out_of_control))}"


def result_tables(design: Design, cells: Cells) -> list[Table]:
    """One table for each number of clients."""
    tables = [result_table(design, cells, clients) for clients in design.scenarios]
    return [table for table in tables if table.rows]


def paper_tables(design: Design, cells: Cells) -> list[Table]:
    """What stands beside the paper's own numbers and verdicts."""
    return [table for table in (table_4(design, cells), bufferbloat_table(design, cells)) if table.rows]


def notes(design: Design, cells: Cells) -> list[str]:
    """What a reader must know beside the tables."""
    length_s = design.flow_ns / 1e9
    lines = [
        f"Flows of {length_s:.0f} s after {design.idle_ns / 1e9:.0f} s without traffic; "
        f"{len(design.seeds)} run{'s' if len(design.seeds) > 1 else ''} per row.",
        "Throughput: application bytes at the receiver; min and max over bins of 1 s. RTT: ping every 0.2 s.",
    ]
    if beside := table_4_note(design, cells):
        lines.append(beside)
    if len(design.seeds) > 1:
        lines.append(
            "+-: half the 95 % confidence interval of the mean (Student). Min and max over all runs."
        )
    if design.quick:
        lines.append("QUICK: shortened runs, not the paper's length; findings are a first look only.")
    doubtful = sum(1 for cell in cells.values() if cell.out_of_control)
    if doubtful:
        lines.append(f"In {doubtful} rows the congestion control was not what limited a flow (marked NO).")
    warnings = {warning for cell in cells.values() for run in cell.runs for warning in run.warnings}
    return lines + [f"Warning from a run: {warning}" for warning in sorted(warnings)]


def write_report(out: Path, design: Design, cells: Cells, judged: Judged) -> None:
    """Writes everything into `out`, which appears only when complete."""
    about: dict[str, object] = {
        "study": NAME,
        "section": SECTION,
        "quick": design.quick,
        "seeds": list(design.seeds),
        "ccas": list(design.ccas),
    }
    with output_folder(out, about) as folder:
        (folder / "report.md").write_text(_markdown(design, cells, judged), encoding="utf-8")
        (folder / "results.csv").write_text(runs_table(cells).csv(), encoding="utf-8")
        (folder / "results.json").write_text(_json(cells, judged), encoding="utf-8")
        (folder / "index.txt").write_text(_index(cells, judged), encoding="utf-8")
        for name, chart in prepare_figures(design, cells).items():
            save_figure(draw_bars(chart), folder / name)
        write_html(folder / "report.html", design, cells, judged)


def _markdown(design: Design, cells: Cells, judged: Judged) -> str:
    head = f"# aoyagi2023, section {SECTION}\n\n{design.title}\n"
    shown = [*result_tables(design, cells), claims_table(judged), *paper_tables(design, cells)]
    tables = "\n".join(table.markdown() for table in shown)
    reasons = "\n".join(f"* {claim.id}: {claim.tolerance}. {claim.reason}" for claim, _ in judged)
    figures = "\n\n".join(
        f"![{chart.caption}]({name}.png)\n\n{chart.caption}"
        for name, chart in prepare_figures(design, cells).items()
    )
    text = "\n".join(f"* {line}" for line in notes(design, cells))
    verdicts = count_verdicts(judged)
    return (
        f"{head}\n{text}\n\n{tables}\nClaims: {verdicts}.\n\n### Tolerances\n\n{reasons}\n\n{figures}\n\n"
        "Every number with its run folder: `index.txt` and `results.csv`.\n"
    )


def runs_table(cells: Cells) -> Table:
    """One row per run: every number with the folder it comes from."""
    columns = (
        *("cca", "queue_packets", "clients", "seed", "throughput_mean_mbps", "throughput_min_mbps"),
        *(
            "throughput_max_mbps",
            "rtt_mean_ms",
            "rtt_min_ms",
            "rtt_max_ms",
            "idle_rtt_ms",
            "unanswered_pings",
        ),
        *("retransmits", "in_control", "run", "folder"),
    )
    table = Table("Runs", columns)
    for cell in cells.values():
        for run in cell.runs:
            rate, trips = run.total_mbps, run.rtt_ms
            values = (rate.mean, rate.least, rate.most, trips.mean, trips.least, trips.most, run.idle_rtt_ms)
            table.add(
                cell.cca,
                str(cell.queue_packets),
                str(cell.clients),
                str(run.case.seed),
                *(number(value, 6) for value in values),
                str(run.unanswered),
                str(run.retransmits),
                "; ".join(run.out_of_control) or "yes",
                run.folder.name,
                str(run.folder),
            )
    return table


def _json(cells: Cells, judged: Judged) -> str:
    runs = [asdict(run) for cell in cells.values() for run in cell.runs]
    claims = [{**asdict(claim), "finding": asdict(finding)} for claim, finding in judged]
    return json.dumps({"runs": runs, "claims": claims}, indent=2, default=str) + "\n"


def _index(cells: Cells, judged: Judged) -> str:
    lines = ["Where every number comes from: a line per number, then its run folders.", ""]
    for cell in cells.values():
        at = f"{cell.cca}, queue {cell.queue_packets}, {cell.clients} client{'s' if cell.clients > 1 else ''}"
        folders = " ".join(str(run.folder) for run in cell.runs)
        lines.append(f"throughput and RTT of {at}: {folders}")
    lines.append("")
    lines += [f"claim {claim.id}: runs {' '.join(finding.runs) or 'none'}" for claim, finding in judged]
    return "\n".join(lines) + "\n"


def write_html(out: Path, design: Design, cells: Cells, judged: Judged) -> None:
    """The same as one HTML file, with every run."""
    measured = [run for cell in cells.values() for run in cell.runs]
    values = {str(run.folder): _factors(design, run.case) for run in measured}
    length_s = design.flow_ns / 1e9
    page = Page(
        title=f"{NAME}, section {SECTION}: {design.title}",
        lead=[f"{len(design.ccas)} congestion controls, flows of {length_s:.0f} s, {_seeds(design)}."],
        commands=[_command(design)],
        notes=notes(design, cells),
        claims=judged,
        tables=[*result_tables(design, cells), *paper_tables(design, cells)],
        figures=[
            page_figure(f"{name.replace('-', ' ').capitalize()} of the paper, computed", draw_bars(chart))
            for name, chart in prepare_figures(design, cells).items()
        ],
        factors=RunFactors(("CCA", "queue", "clients", "seed"), values),
    )
    with Runs.of([run.folder for run in measured]) as runs:
        write_page(page, runs, out)


def _factors(design: Design, case: Case) -> tuple[str, ...]:
    return design.names[case.cca], str(case.queue_packets), str(case.clients), str(case.seed)


def _seeds(design: Design) -> str:
    first, last = design.seeds[0], design.seeds[-1]
    return f"seed {first}" if first == last else f"seeds {first} to {last}"


def _command(design: Design) -> str:
    words = ["airtcp study", NAME, "--section", SECTION, "--cca", ",".join(design.ccas)]
    words += ["--reps", str(len(design.seeds)), *(["--quick"] if design.quick else [])]
    return " ".join(words)
