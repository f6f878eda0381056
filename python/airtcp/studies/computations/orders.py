"""Claims about the order of the levels of a factor."""

from collections.abc import Sequence

from airtcp.report.claims import Finding, Verdict
from airtcp.report.run_report import number
from airtcp.studies.computations.judging import not_computed, run_names, telling
from airtcp.studies.results import Results, Value, free_factors, named
from airtcp.studies.study_file import ClaimFile, Level


def largest(results: Results, claim: ClaimFile) -> Finding:
    """`first` (a level, or several as a set) has the largest values among the levels of `factor`."""
    return _ordered(results, claim, largest_first=True)


def smallest(results: Results, claim: ClaimFile) -> Finding:
    """The same with the smallest values."""
    return _ordered(results, claim, largest_first=False)


def _ordered(results: Results, claim: ClaimFile, largest_first: bool) -> Finding:
    first = claim.first if isinstance(claim.first, list) else [claim.first or ""]
    others = free_factors(results.study.part_factors(claim.part), claim.pool, [claim.factor])
    values = results.values(claim.part, claim.metric, claim.where, [*others, claim.factor])
    if claim.among:
        values = {key: value for key, value in values.items() if key[-1] in claim.among}
    told: list[str] = []
    wrong: list[str] = []
    runs: list[str] = []
    for key in dict.fromkeys(key[:-1] for key in values):
        own = {each[-1]: value for each, value in values.items() if each[:-1] == key}
        expected = [level for level in claim.among if level not in own] if claim.among else []
        if expected or len(own) <= len(first) or any(level not in own for level in first):
            return not_computed("runs left out")
        order = sorted(own, key=lambda level: -own[level].mean if largest_first else own[level].mean)
        shown = telling(results, claim, others)
        name = named(results.study, shown, tuple(key[others.index(factor)] for factor in shown))
        told.append(f"{name}: {_told(results, claim, own, order[: len(first) + 1])}".removeprefix(": "))
        runs += run_names(*own.values())
        if not _first_are(first, own, order, claim.ties):
            wrong.append(name or "the order")
    if not told:
        return not_computed("runs left out")
    detail = f"not: {', '.join(wrong)}" if wrong else ""
    verdict: Verdict = "ours" if claim.open else "differs" if wrong else "holds"
    return Finding(verdict, "; ".join(told), detail, tuple(dict.fromkeys(runs)))


def _first_are(first: Sequence[Level], own: dict[Level, Value], order: list[Level], ties: float) -> bool:
    """Whether the first levels of the order are these; values as near as `ties` count as equal."""
    last = own[order[len(first) - 1]].mean
    near = [level for level in first if abs(own[level].mean - last) <= ties * abs(last)]
    return all(level in order[: len(first)] or level in near for level in first)


def _told(results: Results, claim: ClaimFile, own: dict[Level, Value], order: list[Level]) -> str:
    digits = results.quantity(claim.metric).digits
    label = results.study.label
    unit = results.unit(claim.metric)
    return ", ".join(f"{label(claim.factor, level)} {number(own[level].mean, digits)}" for level in order) + (
        f" {unit}" if unit else ""
    )
