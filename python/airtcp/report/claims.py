"""Claims: sentences of a paper turned into computations, with both values and a verdict."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from airtcp.report.table import Table

Verdict = Literal["holds", "differs", "open", "not computed"]

# Each verdict as several claims have it.
VERDICTS: dict[Verdict, str] = {
    "holds": "hold",
    "differs": "differ",
    "open": "the paper leaves open",
    "not computed": "not computed",
}


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper: where it stands, what it says, and within which tolerance it is held.

    `likely` is what probably makes a difference, where something is known; it is shown if the claim differs.
    """

    id: str
    place: str
    sentence: str
    computation: str
    paper: str
    tolerance: str
    reason: str
    likely: str = ""


@dataclass(frozen=True)
class Finding:
    """What our results say: `ours` is the value, `detail` names what does not fit.

    The verdict `open` stands where the paper says both; `not computed` where runs were left out.
    """

    verdict: Verdict
    ours: str
    detail: str = ""
    runs: tuple[str, ...] = ()


def claims_table(found: Sequence[tuple[Claim, Finding]]) -> Table:
    """One row per claim."""
    columns = ("claim", "where", "paper", "ours", "tolerance", "verdict", "likely reason")
    table = Table("Claims of the paper", columns, left=columns)
    for claim, finding in found:
        ours = f"{finding.ours} ({finding.detail})" if finding.detail else finding.ours
        why = likely_reason(claim, finding)
        table.add(claim.sentence, claim.place, claim.paper, ours, claim.tolerance, finding.verdict, why)
    return table


def likely_reason(claim: Claim, finding: Finding) -> str:
    """What probably makes the difference, of a claim that differs."""
    return claim.likely if finding.verdict == "differs" else ""


def verdicts_markdown(found: Sequence[tuple[Claim, Finding]]) -> str:
    """What stands below the table of claims: the count of verdicts, and the reasons for the tolerances."""
    reasons = "\n".join(f"* {claim.id}: {claim.tolerance}. {claim.reason}" for claim, _ in found)
    return f"Claims: {count_verdicts(found)}.\n\n### Tolerances\n\n{reasons}\n"


def claims_text(found: Sequence[tuple[Claim, Finding]], width: int = 100) -> str:
    """The claims for a terminal: verdict and sentence, then both values."""
    lines: list[str] = []
    for claim, finding in found:
        ours = f"{finding.ours} ({finding.detail})" if finding.detail else finding.ours
        sentence = f"{finding.verdict:<12}  {claim.sentence} [{claim.place}]"
        lines += textwrap.wrap(sentence, width, subsequent_indent=" " * 14)
        values = f"paper: {claim.paper} (tolerance: {claim.tolerance}); ours: {ours}"
        if why := likely_reason(claim, finding):
            values = f"{values}; likely reason: {why}"
        lines += textwrap.wrap(values, width, initial_indent=" " * 14, subsequent_indent=" " * 14)
    return "\n".join(lines)


def count_verdicts(found: Sequence[tuple[Claim, Finding]]) -> str:
    """`12 hold, 2 differ, 1 open, 0 not computed`, for the last line of a report."""
    given = [finding.verdict for _, finding in found]
    return ", ".join(
        f"{given.count(verdict)} {words}" for verdict, words in VERDICTS.items() if verdict in given
    )
