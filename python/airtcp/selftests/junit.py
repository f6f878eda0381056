"""Results of tests as cases of JUnit."""

from airtcp.selftests.result import Result
from airtcp.suites.junit import JunitCase
from airtcp.suites.verdict import Verdict


def junit_case(result: Result) -> JunitCase:
    """A test as a case; one that was skipped, or failed as known, counts as skipped, with the reason."""
    known = f"known: {result.known}" if result.verdict is Verdict.KNOWN else ""
    return JunitCase(
        result.test.folder,
        result.test.name,
        result.test.label,
        result.ending.end_ns / 1e9,
        skipped=known or (result.reason if result.verdict is Verdict.SKIPPED else ""),
        failure=result.reason if result.is_unexpected else "",
        output=result.ending.output,
    )
