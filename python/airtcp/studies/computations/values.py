"""Claims about values themselves: within limits, as arithmetic expects, alike over a factor."""

from airtcp.report.claims import Finding
from airtcp.studies.computations.judging import Judged, finding, fits, name_of, not_computed, run_names
from airtcp.studies.results import Results, free_factors, grouped
from airtcp.studies.study_file import ClaimFile


def within(results: Results, claim: ClaimFile) -> Finding:
    """Every value lies between `low` and `high`."""
    keep = free_factors(results.study.part_factors(claim.part), claim.pool)
    values = results.values(claim.part, claim.metric, claim.where, keep)
    judged = []
    for key, value in values.items():
        name = name_of(results, claim, keep, key)
        judged.append(Judged(name, value.mean, value.half, fits(value.mean, claim), run_names(value)))
    return finding(results, claim, judged, results.number(claim.metric).unit)


def compare_metrics(results: Results, claim: ClaimFile) -> Finding:
    """Every value is that of the metric `expected`, within the share `within`."""
    keep = free_factors(results.study.part_factors(claim.part), claim.pool)
    values = results.values(claim.part, claim.metric, claim.where, keep)
    others = results.values(claim.part, claim.expected, claim.where, keep)
    judged = []
    for key, value in values.items():
        name = name_of(results, claim, keep, key)
        ratio = value.mean / others[key].mean
        holds = abs(ratio - 1) <= (claim.within or 0.0)
        judged.append(Judged(name, ratio, None, holds, run_names(value)))
    return finding(results, claim, judged, "times")


def flat(results: Results, claim: ClaimFile) -> Finding:
    """The highest value over `factor` is at most `high` times the least, for every other combination."""
    others = free_factors(results.study.part_factors(claim.part), claim.pool, [claim.factor])
    values = results.values(claim.part, claim.metric, claim.where, [*others, claim.factor])
    judged = []
    for key, by_level in grouped(values).items():
        own = list(by_level.values())
        if len(own) < 2:
            return not_computed("runs left out")
        least, most = min(value.mean for value in own), max(value.mean for value in own)
        ratio = most / least if least else float("nan")
        name = name_of(results, claim, others, key)
        judged.append(Judged(name, ratio, None, fits(ratio, claim), run_names(*own)))
    return finding(results, claim, judged, "times")
