"""From values to a finding: what is shown, and whether the claim holds."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from airtcp.report.claims import Finding, Verdict
from airtcp.report.table import number
from airtcp.studies.results import Key, Results, Value, named
from airtcp.studies.study_file import ClaimFile

# More values than this are shown as their least and most.
LISTED_MOST = 6


@dataclass(frozen=True)
class Judged:
    """One value of a claim: what it is of, the value, half its interval (`None`: one seed), its verdict."""

    name: str
    value: float
    half: float | None
    holds: bool
    runs: tuple[str, ...] = ()

    def text(self, digits: int) -> str:
        """The value, with its interval."""
        text = number(self.value, digits)
        return text if self.half is None else f"{text} ± {number(self.half, digits)}"


def not_computed(why: str) -> Finding:
    """Runs are missing."""
    return Finding("not computed", "-", why)


def fits(value: float, claim: ClaimFile) -> bool:
    """Whether a value lies between the claim's limits; one that is not known does not."""
    low = -math.inf if claim.low is None else claim.low
    high = math.inf if claim.high is None else claim.high
    return not math.isnan(value) and low <= value <= high


def finding(results: Results, claim: ClaimFile, judged: Sequence[Judged], unit: str) -> Finding:
    """The claim holds if every value does (or a share of them, where it says so); others are named."""
    if not judged:
        return not_computed("no run has these levels")
    digits = results.number(claim.metric).digits if unit == results.number(claim.metric).unit else 2
    wrong = [one for one in judged if not one.holds]
    runs = tuple(dict.fromkeys(run for one in judged for run in one.runs))
    detail = f"not: {', '.join(f'{one.name} {one.text(digits)}' for one in wrong)}" if wrong else ""
    ours = f"{_told(judged, digits)} {unit}".strip()
    if claim.open:
        return Finding("open", ours, detail, runs)
    enough = 1.0 if claim.share is None else claim.share
    verdict: Verdict = "holds" if len(judged) - len(wrong) >= enough * len(judged) else "differs"
    return Finding(verdict, ours, detail, runs)


def _told(judged: Sequence[Judged], digits: int) -> str:
    if len(judged) == 1:
        return judged[0].text(digits)
    if len(judged) <= LISTED_MOST:
        return ", ".join(f"{one.name} {one.text(digits)}" for one in judged)
    known = [one for one in judged if not math.isnan(one.value)]
    if not known:
        return "-"
    least, most = min(known, key=lambda one: one.value), max(known, key=lambda one: one.value)
    return f"{least.text(digits)} ({least.name}) to {most.text(digits)} ({most.name})"


def run_names(*values: Value) -> tuple[str, ...]:
    """The names of the runs behind values."""
    return tuple(dict.fromkeys(folder.name for value in values for folder in value.runs))


def name_of(results: Results, claim: ClaimFile, factors: Sequence[str], key: Key) -> str:
    """A combination of levels in words, by the factors with several levels among the chosen runs only."""
    shown = [n for n, name in enumerate(factors) if len(results.levels(claim.part, name, claim.where)) > 1]
    return named(results.study, [factors[n] for n in shown], tuple(key[n] for n in shown))
