"""Compares airtcp with ns-3: `make crosscheck` prints one line per scene and the median difference."""

import statistics
import sys
from pathlib import Path
from typing import Annotated

import typer
from pydantic import BaseModel
from rich.console import Console
from rich.table import Table

from crosscheck import resource_units
from crosscheck.airtcp_side import AirtcpUnavailable, airtcp_result
from crosscheck.cases import Case, read_cases
from crosscheck.ns3 import Ns3Failed, Ns3Missing, build, made_with, ns3_entry
from crosscheck.results import REFERENCE, Entry, Reference, Result, read_reference
from crosscheck.tcp_side import tcp_result

GRID = Path(__file__).resolve().parent / "grid.toml"
TCP_GRID = GRID.with_name("tcp.toml")
# Larger differences have a paragraph on docs/models/crosscheck.md.
EXPLAINED_PERCENT = 3.0
# Parts of the comparison, by group; all other groups are one.
PARTS = {
    "": "one channel",
    "overlap": "overlapping channels",
    "leakage": "overlapping channels",
    "fading": "fading",
    "downlink OFDMA": "downlink OFDMA",
    "uplink OFDMA": "uplink OFDMA",
    "TCP and OFDMA": "TCP and OFDMA",
}
# Columns of the table when it goes to a file.
WIDTH = 130


class Line(BaseModel):
    """A case, ns-3's result and airtcp's."""

    case: Case
    ns3: Entry
    airtcp: Result | None

    @property
    def differences_percent(self) -> list[float]:
        """The difference of airtcp's goodput from ns-3's, relative to ns-3's, in each cell."""
        if self.airtcp is None:
            return []
        cells = self.case.scene.cells
        both = zip(self.ns3.result.by_cell(cells), self.airtcp.by_cell(cells), strict=True)
        return [100.0 * (ours / theirs - 1.0) for theirs, ours in both]


def main(
    quick: Annotated[bool, typer.Option(help="only the cases marked quick")] = False,
    only: Annotated[str, typer.Option(help="only cases whose name contains this")] = "",
    reference: Annotated[bool, typer.Option(help="ns-3's stored results, without ns-3")] = False,
    record: Annotated[bool, typer.Option(help="add to the stored results what they lack")] = False,
    out: Annotated[Path | None, typer.Option(help="store the comparison as JSON")] = None,
    markdown: Annotated[bool, typer.Option(help="the table as docs/models/crosscheck.md has it")] = False,
) -> None:
    """Compares airtcp's air with ns-3's, scene by scene."""
    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    cases = [c for c in all_cases() if (c.quick or not quick) and only in c.name]
    try:
        if record:
            for case in cases:
                if not read_reference().entry(case):
                    keep(computed([case], console))
        entries = stored(cases) if reference or record else computed(cases, console)
        units = "" if reference or record or only else resource_units.verdict()
    except (Ns3Missing, Ns3Failed) as problem:
        console.print(str(problem), markup=False, style="red")
        raise typer.Exit(1) from problem
    lines, reasons = compared(cases, entries)
    if markdown:
        print(markdown_table(lines))
    else:
        console.print(table(lines))
    console.print(verdict(lines, reasons))
    if units:
        console.print(units, markup=False)
    if out:
        out.parent.mkdir(parents=True, exist_ok=True)
        text = ",\n".join(line.model_dump_json() for line in lines)
        out.write_text(f"[{text}]\n", encoding="utf-8")


def stored(cases: list[Case]) -> dict[str, Entry]:
    """ns-3's results from the reference."""
    kept = read_reference()
    entries = {case.name: kept.entry(case) for case in cases}
    missing = [name for name, entry in entries.items() if entry is None]
    if missing:
        raise Ns3Missing(f"not in {REFERENCE.name} with these values: {'; '.join(missing)}")
    return {name: entry for name, entry in entries.items() if entry}


def all_cases() -> list[Case]:
    """Those of datagrams, and those of TCP."""
    return read_cases(GRID) + read_cases(TCP_GRID)


def computed(cases: list[Case], console: Console) -> dict[str, Entry]:
    """ns-3's results, newly computed."""
    program = build()
    entries: dict[str, Entry] = {}
    for case in cases:
        if console.is_terminal:
            console.print(f"ns-3: {case.name}", style="dim", end="\r", markup=False)
        entries[case.name] = ns3_entry(program, case)
    return entries


def keep(new: dict[str, Entry]) -> None:
    """Stores entries in the reference, in the order of the grid; cases no longer in the grid are removed."""
    known = read_reference().entries | new
    names = [case.name for case in all_cases()]
    entries = {name: known[name] for name in names if name in known}
    Reference(made_with=made_with(), entries=entries).write(REFERENCE)


def compared(cases: list[Case], entries: dict[str, Entry]) -> tuple[list[Line], set[str]]:
    """Both results of each case, and the reasons for cases without a result from airtcp."""
    lines = []
    reasons = set()
    for case in cases:
        try:
            ours = tcp_result(case) if case.scene.tcp_window_bytes else airtcp_result(case)
        except AirtcpUnavailable as reason:
            ours = None
            reasons.add(str(reason))
        lines.append(Line(case=case, ns3=entries[case.name], airtcp=ours))
    return lines, reasons


def table(lines: list[Line]) -> Table:
    """One row for each case."""
    rows = Table("case", title="Goodput, Mbit/s", title_justify="left")
    for heading in ("ns-3", "+-", "airtcp", "+-", "difference", "CPU ns-3/airtcp"):
        rows.add_column(heading, justify="right")
    for line in lines:
        theirs, ours = line.ns3.result, line.airtcp
        large = any(abs(difference) > EXPLAINED_PERCENT for difference in line.differences_percent)
        rows.add_row(
            ("  " if line.case.variant_of else "") + line.case.name,
            _by_cell(theirs, line, ".3f"),
            f"{theirs.standard_error_mbps:.3f}",
            _by_cell(ours, line, ".3f") if ours else "-",
            f"{ours.standard_error_mbps:.3f}" if ours else "-",
            _differences(line, 2),
            f"{theirs.cpu_s_per_s / ours.cpu_s_per_s:.0f}" if ours and ours.cpu_s_per_s else "-",
            style="dim" if line.case.variant_of else ("bold" if large else None),
        )
    return rows


def markdown_table(lines: list[Line]) -> str:
    """One row for each case that airtcp has computed; variants in brackets."""
    rows = ["| case | ns-3 | airtcp | difference |", "|---|---|---|---|"]
    for line in lines:
        if line.airtcp is None:
            continue
        name = f"({line.case.name})" if line.case.variant_of else line.case.name
        cells = [name, _with_error(line.ns3.result, line), _with_error(line.airtcp, line)]
        rows.append(f"| {' | '.join(cells)} | {_differences(line, 1)} |")
    return "\n".join(rows)


def _by_cell(result: Result, line: Line, form: str) -> str:
    return " + ".join(format(mbps, form) for mbps in result.by_cell(line.case.scene.cells))


def _differences(line: Line, digits: int) -> str:
    # A difference that rounds to zero has no sign.
    parts = [f"{round(percent, digits) + 0.0:+.{digits}f}" for percent in line.differences_percent]
    return f"{', '.join(parts)} %" if parts else "-"


def _with_error(result: Result, line: Line) -> str:
    percent = 100.0 * result.standard_error_mbps / result.goodput_mbps
    return f"{_by_cell(result, line, '.4g')} ({percent:.1f})"


def verdict(lines: list[Line], reasons: set[str]) -> str:
    """The median difference of each part, and the cases beyond the limit. Each cell of a case counts."""
    sizes: dict[str, list[float]] = {part: [] for part in PARTS.values()}
    large = []
    for line in lines:
        if line.case.variant_of:
            continue
        found = [abs(percent) for percent in line.differences_percent]
        sizes[part_of(line.case)] += found
        if any(size > EXPLAINED_PERCENT for size in found):
            large.append(line.case.name)
    if not any(sizes.values()):
        return "Nothing to compare: " + (min(reasons) if reasons else "no case has been chosen.")
    counted = [line.case for line in lines if not line.case.variant_of and line.airtcp]
    text = f"{len(counted)} scenes, and {sum(bool(c.case.variant_of) for c in lines)} variants of them.\n"
    text += "\n".join(
        f"Median difference of {len(found)} cells ({part}): {statistics.median(found):.2f} %."
        for part, found in sizes.items()
        if found
    )
    if large:
        text += f"\nMore than {EXPLAINED_PERCENT:g} % (see docs/models/crosscheck.md): {'; '.join(large)}"
    return text


def part_of(case: Case) -> str:
    """The part of the comparison that a case belongs to, by its group."""
    return PARTS.get(case.name.split(":")[0], PARTS[""])


if __name__ == "__main__":
    typer.run(main)
