"""A comparison of two sides: ratios of means, and differences on common seeds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from airtcp.errors import AirtcpError
from airtcp.metrics.holm import holm
from airtcp.metrics.paired import CommonSeeds, Paired, common_seeds, compare_pairs
from airtcp.metrics.ratios import Ratios, ratio_table
from airtcp.report.comparison.matching import NO_KEY, Case, Cases, Key, Names, cases_of, names_of
from airtcp.report.comparison.side import Side

if TYPE_CHECKING:
    import polars

SEEDS_LEAST = 2


@dataclass(frozen=True)
class Difference:
    """Ours less theirs of one case and value on common seeds; p adjusted by Holm over all cases."""

    key: Key
    value: str
    paired: Paired
    p_adjusted: float | None
    seeds: CommonSeeds
    doubtful: bool


@dataclass(frozen=True)
class Comparison:
    """Both sides, what they were matched by, and what came of it."""

    ours: Side
    theirs: Side
    names: Names
    our_cases: Cases
    their_cases: Cases
    ratios: Ratios
    differences: tuple[Difference, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the keys; of sides without any, one that says so."""
        return self.names.keys or (NO_KEY,)

    @property
    def matched(self) -> list[Key]:
        """The cases that both sides have, in order."""
        return [key for key in self.our_cases if key in self.their_cases]

    @property
    def folders(self) -> list[Path]:
        """The run folders of both sides, each once."""
        rows = (*self.ours.rows, *self.theirs.rows)
        return [Path(place) for place in dict.fromkeys(row.place for row in rows if row.run)]

    def doubtful(self, key: Key) -> bool:
        """Whether a result of either side does not show what its congestion control can do."""
        return any(key in cases and cases[key].doubtful for cases in (self.our_cases, self.their_cases))


def compare_sides(
    ours: Side,
    theirs: Side,
    by: Sequence[str] = (),
    values: Sequence[str] = (),
    where: Mapping[str, str] | None = None,
) -> Comparison:
    """Holds two sides against each other.

    `by` names keys, `values` values (default: what both have), `where` chooses rows. Sides without a case in
    common, or with several results for one, are an `AirtcpError`.
    """
    chosen = where or {}
    for key in chosen:
        if key not in (*ours.keys, *theirs.keys):
            known = ", ".join(dict.fromkeys((*ours.keys, *theirs.keys))) or "none"
            raise AirtcpError(f'neither side has a key "{key}"', "--where", f"Known: {known}")
    ours, theirs = ours.where(chosen), theirs.where(chosen)
    names = names_of(ours, theirs, by, values)
    our_cases, their_cases = cases_of(ours, "ours", names.keys), cases_of(theirs, "theirs", names.keys)
    if not set(our_cases) & set(their_cases):
        raise AirtcpError(
            f"no case in common by {', '.join(names.keys)}: ours has {_some(our_cases)}, theirs "
            f"{_some(their_cases)}",
            f"{ours.label} and {theirs.label}",
            "Keys must have the same values, letter for letter",
        )
    columns = names.keys or (NO_KEY,)
    here, there = (_frame(cases, columns, names.values) for cases in (our_cases, their_cases))
    ratios = ratio_table(here, there, columns, names.values)
    differences = [one for value in names.values for one in _differences(our_cases, their_cases, value)]
    return Comparison(ours, theirs, names, our_cases, their_cases, ratios, tuple(differences))


def _some(cases: Cases) -> str:
    shown = "; ".join(" ".join(key) for key in list(cases)[:4])
    return f"{shown}; ..." if len(cases) > 4 else shown


def _frame(cases: Cases, columns: Sequence[str], values: Sequence[str]) -> "polars.DataFrame":
    import polars

    keys = [polars.Series(name, [key[n] for key in cases], polars.String) for n, name in enumerate(columns)]
    means = [
        polars.Series(value, [case.mean(value) for case in cases.values()], polars.Float64)
        for value in values
    ]
    return polars.DataFrame([*keys, *means])


def _differences(ours: Cases, theirs: Cases, value: str) -> list[Difference]:
    """Of the cases that have at least two seeds on both sides."""
    found: list[tuple[Key, CommonSeeds, Paired]] = []
    for key in (key for key in ours if key in theirs):
        sides = {"ours": ours[key].by_seed(value), "theirs": theirs[key].by_seed(value)}
        common = common_seeds(sides)
        if len(common.seeds) >= SEEDS_LEAST:
            here, there = ({seed: side[seed] for seed in common.seeds} for side in sides.values())
            found.append((key, common, compare_pairs(here, there)))
    adjusted = holm([paired.p_value for _, _, paired in found])
    return [
        Difference(key, value, paired, p, common, _doubtful(ours[key], theirs[key]))
        for (key, common, paired), p in zip(found, adjusted, strict=True)
    ]


def _doubtful(*cases: Case) -> bool:
    return any(case.doubtful for case in cases)
