"""Claims about values beside each other: ratios, differences, one group above another."""

from collections.abc import Callable

from airtcp.report.claims import Finding
from airtcp.studies.computations.judging import Judged, finding, fits, name_of, not_computed, run_names
from airtcp.studies.results import Key, Results, Value, combined, free_factors, named
from airtcp.studies.study_file import ClaimFile


def ratio(results: Results, claim: ClaimFile) -> Finding:
    """The value with the levels `of` over that with the levels `to`, for every other combination."""
    return _paired(results, claim, lambda of, to: of / to if to else float("nan"), "times")


def difference(results: Results, claim: ClaimFile) -> Finding:
    """The value with the levels `of` less that with the levels `to`, for every other combination."""
    return _paired(results, claim, lambda of, to: of - to, results.number(claim.metric).unit)


def _paired(
    results: Results, claim: ClaimFile, combine: Callable[[float, float], float], unit: str
) -> Finding:
    sides = _sides(results, claim)
    if sides is None:
        return not_computed("runs left out")
    keep, ofs, tos = sides
    shown = [n for n in range(len(keep)) if len({key[n] for key in ofs}) > 1]
    judged = []
    for key, of in ofs.items():
        if key not in tos:
            continue
        value = combine(of.mean, tos[key].mean)
        name = named(results.study, [keep[n] for n in shown], tuple(key[n] for n in shown))
        half = _half(of, tos[key], combine)
        judged.append(Judged(name, value, half, fits(value, claim), run_names(of, tos[key])))
    return finding(results, claim, judged, unit) if judged else not_computed("runs left out")


def _half(of: Value, to: Value, combine: Callable[[float, float], float]) -> float | None:
    """Half an interval: the two sides' own moved one after the other, added in squares (seeds are paired
    at most by the network, so they are taken as independent).
    """
    if of.half is None or to.half is None:
        return None
    middle = combine(of.mean, to.mean)
    by_of = combine(of.mean + of.half, to.mean) - middle
    by_to = combine(of.mean, to.mean + to.half) - middle
    return float((by_of**2 + by_to**2) ** 0.5)


def above(results: Results, claim: ClaimFile) -> Finding:
    """The least value of `of` over the highest of `to` is at least `low`, for every other combination."""
    factors = results.study.part_factors(claim.part)
    inner = list(dict.fromkeys([*claim.of, *claim.to]))
    keep = free_factors(factors, claim.pool, inner)
    judged = []
    sides = [
        results.values(claim.part, claim.metric, combined(claim.where, side), [*keep, *inner])
        for side in (claim.of, claim.to)
    ]
    for key in dict.fromkeys(each[: len(keep)] for each in sides[0]):
        own, other = ([v for k, v in side.items() if k[: len(keep)] == key] for side in sides)
        if not own or not other:
            return not_computed("runs left out")
        least, most = min(v.mean for v in own), max(v.mean for v in other)
        value = least / most if most else float("nan")
        name = name_of(results, claim, keep, key)
        judged.append(Judged(name, value, None, fits(value, claim), run_names(*own, *other)))
    return finding(results, claim, judged, "times") if judged else not_computed("runs left out")


def _sides(results: Results, claim: ClaimFile) -> tuple[list[str], dict[Key, Value], dict[Key, Value]] | None:
    """Values of both sides by the factors that neither names."""
    factors = results.study.part_factors(claim.part)
    keep = free_factors(factors, claim.pool, claim.of, claim.to)
    both = [
        results.values(claim.part, claim.metric, combined(claim.where, side), keep)
        for side in (claim.of, claim.to)
    ]
    return (keep, both[0], both[1]) if both[0] and both[1] else None
