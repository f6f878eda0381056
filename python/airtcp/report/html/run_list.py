"""The list of all runs."""

from collections.abc import Sequence
from dataclasses import dataclass

from airtcp.report.html.record import Record
from airtcp.report.html.run_factors import RunFactors, natural
from airtcp.report.table import number

# Set after a number that does not show what the congestion control can do, as figures have it.
DOUBT_MARK = " *"


@dataclass(frozen=True)
class Row:
    """A run: its place among the records, its name, and its cells under the columns after the first."""

    place: int
    name: str
    cells: list[str]
    doubt: bool


@dataclass(frozen=True)
class RunList:
    """All runs; columns named in `left` are text."""

    columns: list[str]
    left: list[str]
    rows: list[Row]


def run_list(records: Sequence[Record], factors: RunFactors) -> RunList:
    """A row for each run, by factors and seed; what no run has is left out."""
    plans = len({record.plan_name for record in records}) > 1
    shown: dict[str, list[str]] = {}
    if plans and not factors.names:
        shown["name"] = [record.plan_name for record in records]
    for place, name in enumerate(factors.names):
        shown[name] = [factors.of(record)[place] for record in records]
    left = [name for name in shown if name != "seed"]
    shown.setdefault("seed", [str(record.seed) for record in records])
    shown["Mbit/s"] = [_marked(record, record.numbers["throughput"], 2) for record in records]
    shown["ping ms"] = [number(record.numbers["rtt"], 1) for record in records]
    shown["srtt ms"] = [number(record.numbers["srtt"], 1) for record in records]
    shown["retransmitted"] = [number(record.numbers["retransmits"], 0) for record in records]
    shown["in control"] = [in_control(record) for record in records]
    shown["computed s"] = [number(record.wall_s, 1) for record in records]
    columns = {name: cells for name, cells in shown.items() if any(cell != "-" for cell in cells)}
    rows = [
        Row(n, record.run, [cells[n] for cells in columns.values()], record.doubtful)
        for n, record in enumerate(records)
    ]
    rows.sort(key=lambda row: _order(records[row.place], factors))
    return RunList(["run", *columns], ["run", *left, "in control"], rows)


def in_control(record: Record) -> str:
    """Whether every flow ran, and was limited by its congestion control."""
    if not record.control_known and not record.failed:
        return "-"
    reasons = [*record.failed, *record.out_of_control]
    return f"no: {'; '.join(reasons)}" if reasons else "yes"


def _marked(record: Record, value: float, digits: int) -> str:
    return number(value, digits) + (DOUBT_MARK if record.untrusted else "")


def _order(record: Record, factors: RunFactors) -> tuple[object, ...]:
    values = factors.of(record) or (record.plan_name,)
    return *(natural(value) for value in values), record.seed, record.run
