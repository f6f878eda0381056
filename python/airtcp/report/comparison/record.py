"""A comparison for programs: what `airtcp compare --json` prints, from the same numbers as its tables."""

from collections.abc import Mapping
from dataclasses import dataclass

from airtcp.metrics.ratios import summarise_ratios
from airtcp.report.comparison.comparison import Comparison, Difference
from airtcp.report.comparison.matching import Key
from airtcp.report.comparison.side import Side
from airtcp.report.comparison.tables import LEVEL, NEAR, notes
from airtcp.report.comparison.values import label_of

VERSION = 1


@dataclass(frozen=True)
class SideRecord:
    """One side."""

    label: str
    """What the user called it."""
    results: int
    """How many runs it has, or lines of a file."""


@dataclass(frozen=True)
class CaseRecord:
    """One value of one case that both sides have: means over seeds."""

    case: Mapping[str, str]
    """The keys that name it, and their values."""
    value: str
    """Name of the quantity, or of the column of a file."""
    label: str
    """The same as tables have it, with its unit."""
    ours: float
    """Mean of our results."""
    theirs: float
    """Mean of theirs."""
    ratio: float
    """Ours over theirs."""
    our_results: int
    """How many of ours have the value."""
    their_results: int
    """How many of theirs."""
    doubtful: bool
    """Whether a result of either side does not show what its congestion control can do (`*`)."""


@dataclass(frozen=True)
class SummaryRecord:
    """The ratios of a value over all cases."""

    value: str
    """Its name."""
    cases: int
    """How many ratios there are above 0."""
    geometric_mean: float
    """Of them."""
    least: float
    """The least."""
    most: float
    """The most."""
    near_one_share: float
    """Share of those within 10 % of 1."""


@dataclass(frozen=True)
class DifferenceRecord:
    """Ours less theirs of one value and case on common seeds."""

    case: Mapping[str, str]
    """The keys that name it, and their values."""
    value: str
    """Its name."""
    seeds: int
    """How many are common."""
    ours: float
    """Mean of ours on them."""
    theirs: float
    """Mean of theirs."""
    difference: float
    """Mean difference."""
    low: float
    """Lower end of its 95 % confidence interval."""
    high: float
    """Upper end."""
    p: float | None
    """Two-sided, by Holm's correction over all cases; `null` where nothing can be tested."""
    test: str
    """The test."""
    differ: bool
    """Whether they differ at 5 %."""
    doubtful: bool
    """As of a case."""


@dataclass(frozen=True)
class ComparisonRecord:
    """Both sides, and what came of the comparison."""

    version: int
    """Version of this layout."""
    ours: SideRecord
    """Our side."""
    theirs: SideRecord
    """Theirs."""
    cases: list[CaseRecord]
    """Each value of each case."""
    summaries: list[SummaryRecord]
    """Each value over all cases."""
    differences: list[DifferenceRecord]
    """Differences on common seeds, where there are two."""
    notes: list[str]
    """What has no partner, what could not be computed, what must be doubted."""


def comparison_record(found: Comparison) -> ComparisonRecord:
    """The whole comparison."""
    return ComparisonRecord(
        version=VERSION,
        ours=_side(found.ours),
        theirs=_side(found.theirs),
        cases=[one for value in found.names.values for one in _cases(found, value)],
        summaries=[_summary(found, value) for value in found.names.values],
        differences=[_difference(found, one) for one in found.differences],
        notes=notes(found),
    )


def _side(side: Side) -> SideRecord:
    return SideRecord(side.label, len(side.rows))


def _cases(found: Comparison, value: str) -> list[CaseRecord]:
    made = []
    for row in found.ratios.table.iter_rows(named=True):
        key = tuple(row[name] for name in found.columns)
        ours, theirs = found.our_cases[key], found.their_cases[key]
        made.append(
            CaseRecord(
                case=_case(found, key),
                value=value,
                label=label_of(value),
                ours=_number(row[f"{value}_ours"]),
                theirs=_number(row[f"{value}_theirs"]),
                ratio=_number(row[f"{value}_ratio"]),
                our_results=sum(value in own.values for own in ours.rows),
                their_results=sum(value in own.values for own in theirs.rows),
                doubtful=found.doubtful(key),
            )
        )
    return made


def _case(found: Comparison, key: Key) -> dict[str, str]:
    return dict(zip(found.names.keys, key, strict=False))


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


def _summary(found: Comparison, value: str) -> SummaryRecord:
    ratios = found.ratios.of(value)
    one = summarise_ratios(ratios[ratios > 0], NEAR)
    return SummaryRecord(value, one.count, one.geometric_mean, one.min, one.max, one.near_one_share)


def _difference(found: Comparison, one: Difference) -> DifferenceRecord:
    paired, interval = one.paired, one.paired.difference
    return DifferenceRecord(
        case=_case(found, one.key),
        value=one.value,
        seeds=len(one.seeds.seeds),
        ours=paired.first_mean,
        theirs=paired.second_mean,
        difference=interval.mean,
        low=_number(interval.low),
        high=_number(interval.high),
        p=one.p_adjusted,
        test=paired.test,
        differ=paired.differs(one.p_adjusted, LEVEL),
        doubtful=one.doubtful,
    )
