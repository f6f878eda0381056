"""Runs as a side: each is a row with its factors, its seed and its measures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from airtcp.data.find_runs import find_runs
from airtcp.data.results_file import key_text
from airtcp.errors import AirtcpError
from airtcp.plans.factors import Factor, PlanComparison, made_of_plan
from airtcp.plans.flat import Value
from airtcp.quantities.registry import COMPARED
from airtcp.report.comparison.side import Row, Side
from airtcp.report.comparison.values import values_of
from airtcp.report.html.kept_runs import record_or_kept
from airtcp.report.html.read_run import Broken, Read
from airtcp.report.html.record import Record

MADE_BY = "made_by"
# Endings of the plan's names, those that files have, and by how much the number is divided.
_UNITS = (("_ns", "_ms", 1e6), ("_bps", "_mbps", 1e6))


@dataclass
class RunSides:
    """The runs of both sides, read one after another; folders that cannot be read are listed apart."""

    more: Sequence[str] = ()
    """Names of quantities beside those of every report."""
    broken: list[Broken] = field(default_factory=list)
    broken_folders: list[Path] = field(default_factory=list)
    _plans: PlanComparison = field(default_factory=PlanComparison)
    _made: list[dict[str, Value]] = field(default_factory=list)
    _records: list[Record] = field(default_factory=list)

    def read(self, *where: Path) -> range:
        """Reads all runs in these folders and returns their places; it is an error if none can be read."""
        count = len(self._records)
        seen: set[str] = set()
        for folder in find_runs(where):
            read = self._read(folder)
            if isinstance(read, Broken):
                self.broken.append(read)
            elif read.record.run not in seen:
                seen.add(read.record.run)
                self._records.append(read.record)
                self._plans.add(read.plan)
                self._made.append(made_of_plan(read.plan))
        if len(self._records) == count:
            raise AirtcpError(
                f"no run can be read: {self.broken[-1].text}", str(where[0]), "Compute them again"
            )
        return range(count, len(self._records))

    def _read(self, folder: Path) -> Read | Broken:
        try:
            return record_or_kept(folder, (*COMPARED, *self.more))
        except AirtcpError as error:
            self.broken_folders.append(folder)
            return Broken(str(error))

    def side(self, where: Path, places: range, made: bool) -> Side:
        """The side of a folder that was read, when all are read.

        Its keys are what differs between the runs of all folders, and, with `made`, what files may call
        by a name although it does not differ: `cca`, `flows`, `stations`.
        """
        columns = dict(_told(factor) for factor in self._plans.factors())
        versions = [record.made_by for record in self._records]
        if len(set(versions)) > 1:
            columns[MADE_BY] = versions
        if made:
            for name in self._made[0]:
                columns.setdefault(name, [key_text(each[name]) for each in self._made])
        rows = [self._row(place, columns) for place in places]
        known = tuple(dict.fromkeys(name for row in rows for name in row.values))
        own = (self._records[place].lacking for place in places)
        lacking = {name: why for each in own for name, why in each.items() if name not in known}
        return Side(str(where), tuple(columns), known, tuple(rows), tuple(_notes(rows, where)), lacking)

    def _row(self, place: int, columns: Mapping[str, Sequence[str]]) -> Row:
        record = self._records[place]
        keys = {name: levels[place] for name, levels in columns.items()}
        return Row(record.folder, keys, values_of(record), record.seed, record.untrusted, record.run)


def _told(factor: Factor) -> tuple[str, list[str]]:
    for ending, unit, divisor in _UNITS:
        if factor.name.endswith(ending) and not any(isinstance(value, str) for value in factor.values):
            known = [None if value is None else float(value) / divisor for value in factor.values]
            return factor.name.removesuffix(ending) + unit, [key_text(value) for value in known]
    return factor.name, [key_text(value) for value in factor.values]


def _notes(rows: Sequence[Row], where: Path) -> list[str]:
    doubtful = sum(row.doubtful for row in rows)
    if not doubtful:
        return []
    what = "a flow failed or its congestion control was not what limited it (marked *)"
    return [f"{where}: in {doubtful} of {len(rows)} runs {what}."]
