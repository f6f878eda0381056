"""Claims: sentences of a paper turned into computations, with both values and a verdict."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from airtcp.report.table import Table

Verdict = Literal["holds", "differs", "ours", "not computed"]


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper: where it stands, what it says, and within which tolerance it is held."""

    id: str
    place: str
    sentence: str
    computation: str
    paper: str
    tolerance: str
    reason: str


@dataclass(frozen=True)
class Finding:
    """What our results say: `ours` is the value, `detail` names what does not fit.

    The verdict `ours` stands where the paper says both; `not computed` where runs were left out.
    """

    verdict: Verdict
    ours: str
    detail: str = ""
    runs: tuple[str, ...] = ()


def claims_table(found: Sequence[tuple[Claim, Finding]]) -> Table:
    """One row per claim."""
    columns = ("claim", "where", "paper", "ours", "tolerance", "verdict")
    table = Table("Claims of the paper", columns, left=columns)
    for claim, finding in found:
        ours = f"{finding.ours} ({finding.detail})" if finding.detail else finding.ours
        table.add(claim.sentence, claim.place, claim.paper, ours, claim.tolerance, finding.verdict)
    return table


def claims_text(found: Sequence[tuple[Claim, Finding]], width: int = 100) -> str:
    """The claims for a terminal: verdict and sentence, then both values."""
    lines: list[str] = []
    for claim, finding in found:
        ours = f"{finding.ours} ({finding.detail})" if finding.detail else finding.ours
        sentence = f"{finding.verdict:<12}  {claim.sentence} [{claim.place}]"
        lines += textwrap.wrap(sentence, width, subsequent_indent=" " * 14)
        values = f"paper: {claim.paper} (tolerance: {claim.tolerance}); ours: {ours}"
        lines += textwrap.wrap(values, width, initial_indent=" " * 14, subsequent_indent=" " * 14)
    return "\n".join(lines)


def count_verdicts(found: Sequence[tuple[Claim, Finding]]) -> str:
    """`12 hold, 2 differ, 1 ours, 0 not computed`, for the last line of a report."""
    verdicts = [finding.verdict for _, finding in found]
    words = {
        "holds": "hold",
        "differs": "differ",
        "ours": "the paper leaves open",
        "not computed": "not computed",
    }
    return ", ".join(f"{verdicts.count(v)} {words[v]}" for v in words if v in verdicts)
