"""Verdicts on cases, by their endings and what is known of them."""

from collections.abc import Mapping, Sequence
from enum import Enum

from airtcp.suites.ending import Ending
from airtcp.suites.known import Difference


class Verdict(Enum):
    """How a case ended; the value is its name in lists."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    KNOWN = "failed as known"
    PASSED_ALL_THE_SAME = "passed, known to fail"


def passed(counts: Mapping[Verdict, int]) -> int:
    """How many passed, whatever was known of them."""
    return counts[Verdict.PASSED] + counts[Verdict.PASSED_ALL_THE_SAME]


def verdict_of(ending: Ending, reason: str, known: Sequence[Difference]) -> tuple[Verdict, str]:
    """The verdict, and the reason of a known difference: what is known decides what a failure means.

    `reason`: why the case failed, in words of its program.
    """
    if ending.status == 0:
        always = [one for one in known if not one.when]
        return (Verdict.PASSED_ALL_THE_SAME, always[0].reason) if always else (Verdict.PASSED, "")
    # What hangs has no known difference, unless that says so.
    for one in known:
        if one.when in reason and (one.when or not ending.failure):
            return Verdict.KNOWN, one.reason
    return Verdict.FAILED, ""
