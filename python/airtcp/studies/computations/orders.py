"""Claims about the order of the levels of a factor."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from airtcp.report.claims import Finding, Verdict
from airtcp.report.table import number
from airtcp.studies.computations.judging import name_of, not_computed, run_names
from airtcp.studies.results import Key, Results, combined, free_factors, grouped
from airtcp.studies.study_file import ClaimFile, Level


def largest(results: Results, claim: ClaimFile) -> Finding:
    """`first` (a level, or several as a set) has the largest values among the levels of `factor`."""
    return _ordered(results, claim, largest_first=True)


def smallest(results: Results, claim: ClaimFile) -> Finding:
    """`first` (a level, or several as a set) has the smallest values among the levels of `factor`."""
    return _ordered(results, claim, largest_first=False)


@dataclass(frozen=True)
class _Compared:
    """What a level is compared by, and the runs behind it."""

    number: float
    runs: tuple[str, ...]


def _ordered(results: Results, claim: ClaimFile, largest_first: bool) -> Finding:
    first = claim.first if isinstance(claim.first, list) else [claim.first or ""]
    others = free_factors(
        results.study.part_factors(claim.part), claim.pool, [claim.factor], claim.of, claim.to
    )
    values = _compared(results, claim, [*others, claim.factor])
    told: list[str] = []
    wrong: list[str] = []
    runs: list[str] = []
    for key, own in grouped(values).items():
        if any(level not in own for level in [*claim.among, *first]) or len(own) <= len(first):
            return not_computed("runs left out")
        order = sorted(own, key=lambda level: -own[level].number if largest_first else own[level].number)
        name = name_of(results, claim, others, key)
        told.append(f"{name}: {_told(results, claim, own, order[: len(first) + 1])}".removeprefix(": "))
        runs += [run for value in own.values() for run in value.runs]
        if not _first_are(first, own, order, claim.ties):
            wrong.append(name or "the order")
    if not told:
        return not_computed("runs left out")
    detail = f"not: {', '.join(wrong)}" if wrong else ""
    verdict: Verdict = "open" if claim.open else "differs" if wrong else "holds"
    return Finding(verdict, "; ".join(told), detail, tuple(dict.fromkeys(runs)))


def _compared(results: Results, claim: ClaimFile, keep: list[str]) -> dict[Key, _Compared]:
    """Values, or with `of` and `to` the ratios of the one to the other; of the levels in `among`."""
    sides = [
        results.values(claim.part, claim.metric, combined(claim.where, side), keep)
        for side in ([claim.of, claim.to] if claim.of else [{}])
    ]
    found = {}
    for key, value in sides[0].items():
        if claim.among and key[-1] not in claim.among:
            continue
        if len(sides) == 1:
            found[key] = _Compared(value.mean, run_names(value))
        elif key in sides[1]:
            found[key] = _Compared(value.mean / sides[1][key].mean, run_names(value, sides[1][key]))
    return found


def _first_are(first: Sequence[Level], own: dict[Level, _Compared], order: list[Level], ties: float) -> bool:
    """Whether the first levels of the order are these; values as near as `ties` count as equal."""
    if any(math.isnan(value.number) for value in own.values()):
        return False
    last = own[order[len(first) - 1]].number
    if ties == 0:
        return set(order[: len(first)]) == set(first) and own[order[len(first)]].number != last
    near = [level for level in first if abs(own[level].number - last) <= ties * abs(last)]
    return all(level in order[: len(first)] or level in near for level in first)


def _told(results: Results, claim: ClaimFile, own: dict[Level, _Compared], order: list[Level]) -> str:
    digits = 2 if claim.of else results.number(claim.metric).digits
    unit = "times" if claim.of else results.number(claim.metric).unit
    told = [
        f"{results.study.label(claim.factor, level)} {number(own[level].number, digits)}" for level in order
    ]
    return f"{', '.join(told)} {unit}".strip()
