"""The list of all runs."""

from dataclasses import dataclass

from airtcp.quantities.doubt import marked
from airtcp.report.html.record import Record, doubts
from airtcp.report.html.run_factors import RunFactors, natural
from airtcp.report.html.runs import Runs
from airtcp.report.table import number

# Of the measures, those in the list if none are asked for.
USUAL = ("throughput", "rtt", "srtt", "retransmits")


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


def run_list(runs: Runs, factors: RunFactors) -> RunList:
    """A row for each run, by factors and seed, with the measures asked for; what no run has is left out."""
    records = runs.records
    plans = len({record.plan_name for record in records}) > 1
    shown: dict[str, list[str]] = {}
    if plans and not factors.names:
        shown["name"] = [record.plan_name for record in records]
    for place, name in enumerate(factors.names):
        shown[name] = [factors.of(record)[place] for record in records]
    left = [name for name in shown if name != "seed"]
    shown.setdefault("seed", [str(record.seed) for record in records])
    listed = [measure for measure in runs.shown if runs.asked or measure.name in USUAL]
    for place, measure in enumerate(listed):
        shown[measure.label_with_unit] = [
            marked(number(one.numbers[measure.name], measure.digits), one.untrusted and place == 0)
            for one in records
        ]
    shown["in control"] = [in_control(record) for record in records]
    shown["computed s"] = [number(record.wall_s, 1) for record in records]
    asked = [measure.label_with_unit for measure in listed]
    columns = {
        name: cells for name, cells in shown.items() if name in asked or any(cell != "-" for cell in cells)
    }
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
    reasons = [*record.failed, *doubts(record)]
    return f"no: {'; '.join(reasons)}" if reasons else "yes"


def _order(record: Record, factors: RunFactors) -> tuple[object, ...]:
    values = factors.of(record) or (record.plan_name,)
    return *(natural(value) for value in values), record.seed, record.run
