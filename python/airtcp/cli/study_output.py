"""What the terminal shows of a study: tables, claims, what to know of them, and where the report is."""

from collections.abc import Sequence
from pathlib import Path

from airtcp.cli.output import Output
from airtcp.report.claims import Claim, Finding, claims_text, count_verdicts
from airtcp.report.table import Table

# Longer lines of claims are hard to read.
_CLAIMS_WIDTH_MOST = 110


def show_study(
    tables: Sequence[Table],
    heading: str,
    judged: Sequence[tuple[Claim, Finding]],
    notes: Sequence[str],
    folder: Path,
) -> None:
    """Shows it; the claims, if there are any, under the heading."""
    out = Output()
    for table in tables:
        out.table(table)
    if judged:
        out.heading(heading)
        out.line(claims_text(judged, min(out.width, _CLAIMS_WIDTH_MOST)))
        out.line()
    for line in notes:
        out.line(line)
    if judged:
        out.line(f"Claims: {count_verdicts(judged)}.")
    out.line(f"Report: {folder}")
