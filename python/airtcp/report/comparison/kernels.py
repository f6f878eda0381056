"""Two kernels compared: each quantity of each scenario on common seeds, corrected over all of them.

The interval is that of the mean difference. One that excludes zero is marked; of many such intervals one in
twenty does so by chance, so what still differs by Holm's correction over all quantities and scenarios has a
second mark.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from airtcp.metrics.holm import holm
from airtcp.metrics.paired import Paired
from airtcp.quantities.registry import COMPARED
from airtcp.report.comparison.comparison import Comparison, Difference, compare_sides
from airtcp.report.comparison.side import Row, Side
from airtcp.report.comparison.tables import LEVEL
from airtcp.report.comparison.values import name_of
from airtcp.report.html.kept_runs import record_or_kept
from airtcp.report.html.record import doubts

SCENARIO = "scenario"
# What a reader of a change to TCP asks for: what reports compare, tails, losses, and what applications see.
KERNEL_VALUES = tuple(
    dict.fromkeys(
        (
            *COMPARED[:2],
            "rtt.median",
            "rtt.p95",
            "rtt.p99",
            *COMPARED[2:],
            "cwnd",
            "timeouts",
            "drop_rate",
            "marks",
            "datagram_loss",
            "datagram_delay",
            "datagram_delay.p95",
            "ipdv",
            "transfer_time",
            "response_time",
            "page_time",
            "stall_time",
            "handover_gap",
        )
    )
)


@dataclass(frozen=True)
class Kernel:
    """A kernel as runs had it: the name that chose it, its release, the hash of its program."""

    name: str
    release: str
    id: str


@dataclass(frozen=True)
class KernelDifference:
    """B less A of one quantity of one scenario; `p` is corrected over all of the comparison."""

    scenario: str
    value: str
    paired: Paired
    p: float | None

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval of the mean difference does."""
        low, high = self.paired.difference.low, self.paired.difference.high
        return low is not None and high is not None and (low > 0 or high < 0)

    @property
    def differs(self) -> bool:
        """Whether that remains with the correction."""
        return self.excludes_zero and self.paired.differs(self.p, LEVEL)

    @property
    def mark(self) -> str:
        """`*`: the interval excludes zero; `**`: also corrected."""
        return "**" if self.differs else "*" if self.excludes_zero else ""


@dataclass(frozen=True)
class KernelComparison:
    """Both kernels, and every difference, by scenario in the order given."""

    kernels: tuple[Kernel, Kernel]
    differences: tuple[KernelDifference, ...]
    seeds: int
    virtual_s: float
    scenarios: Mapping[str, float]
    """The virtual seconds of one run, by scenario."""
    notes: tuple[str, ...]
    folders: tuple[Path, ...]

    @property
    def by_chance(self) -> float:
        """How many intervals would exclude zero if the kernels did not differ at all."""
        return LEVEL * sum(one.p is not None for one in self.differences)


@dataclass(frozen=True)
class RunOf:
    """The folder of a run, and what it is of."""

    kernel: str
    scenario: str
    seed: int
    folder: Path


def compare_kernels(
    names: tuple[str, str], runs: Sequence[RunOf], values: Sequence[str] = KERNEL_VALUES
) -> KernelComparison:
    """Compares the runs of two kernels, which may be the same."""
    first, second = (_side(name, [run for run in runs if run.kernel == name], values) for name in names)
    found = compare_sides(second, first, [SCENARIO], ["all"])
    order = list(dict.fromkeys(run.scenario for run in runs))
    raw = sorted(
        (one for one in found.differences if not _is_idle(found, one)),
        key=lambda one: (order.index(one.key[0]), found.names.values.index(one.value)),
    )
    adjusted = holm([one.paired.p_value for one in raw])
    differences = [
        KernelDifference(one.key[0], one.value, one.paired, p) for one, p in zip(raw, adjusted, strict=True)
    ]
    lengths = {run.scenario: _length_s(run.folder) for run in runs}
    return KernelComparison(
        kernels=tuple(_kernel(name, runs) for name in names),  # type: ignore[arg-type]
        differences=tuple(differences),
        seeds=len({run.seed for run in runs}),
        virtual_s=sum(lengths[run.scenario] for run in runs),
        scenarios=lengths,
        notes=(
            *_idle_notes(found, order),
            *dict.fromkeys((*first.notes, *second.notes)),
            *_without(found, order),
        ),
        folders=tuple(run.folder for run in runs),
    )


def _side(name: str, runs: Sequence[RunOf], values: Sequence[str]) -> Side:
    rows, notes = [], []
    for run in runs:
        record = record_or_kept(run.folder, values).record
        # An infinite one is of something that never came; no mean can be made with it.
        numbers = {value: number for value, number in record.numbers.items() if math.isfinite(number)}
        rows.append(
            Row(record.folder, {SCENARIO: run.scenario}, numbers, run.seed, record.untrusted, record.run)
        )
        if record.failed or record.out_of_control:
            why = "; ".join((*record.failed, *doubts(record)))
            notes.append(f"{run.scenario}, {name}, seed {run.seed}: {why}.")
    known = {value for row in rows for value in row.values}
    return Side(name, (SCENARIO,), tuple(v for v in values if v in known), tuple(rows), tuple(notes))


def _is_idle(found: Comparison, one: Difference) -> bool:
    """Whether it is 0 in every run of both: nothing that a kernel could change, nor a line of a table."""
    sides = (found.our_cases[one.key], found.their_cases[one.key])
    return not any(value for side in sides for value in side.by_seed(one.value).values())


def _idle_notes(found: Comparison, order: Sequence[str]) -> list[str]:
    idle: dict[str, list[str]] = {scenario: [] for scenario in order}
    for one in found.differences:
        if _is_idle(found, one):
            idle[one.key[0]].append(name_of(one.value))
    return [f"{scenario}: 0 in every run: {', '.join(names)}." for scenario, names in idle.items() if names]


def _without(found: Comparison, order: Sequence[str]) -> list[str]:
    """Values of which fewer than two seeds are common, or some."""
    lines = []
    for value in found.names.values:
        for scenario in order:
            sides = [cases[(scenario,)].by_seed(value) for cases in (found.our_cases, found.their_cases)]
            lacking = sum(len(cases[(scenario,)].rows) for cases in (found.our_cases, found.their_cases))
            known = sum(map(len, sides))
            if 0 < known < lacking:
                lines.append(f"{scenario}: {lacking - known} of {lacking} runs have no {value}.")
    return lines


def _manifest(folder: Path) -> Mapping[str, object]:
    made: Mapping[str, object] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return made


def _length_s(folder: Path) -> float:
    return float(str(_manifest(folder).get("virtual_s", "nan")))


def _kernel(name: str, runs: Sequence[RunOf]) -> Kernel:
    about = _manifest(next(run.folder for run in runs if run.kernel == name)).get("kernel")
    known = about if isinstance(about, dict) else {}
    return Kernel(name, str(known.get("release", "?")), str(known.get("id", "?")))
