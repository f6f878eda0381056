"""Results of hostap's tests as cases of JUnit."""

from airtcp.hostap.result import Result
from airtcp.suites.junit import JunitCase
from airtcp.suites.verdict import Verdict


def junit_case(result: Result) -> JunitCase:
    """A test case for a test; a known failure counts as skipped, with its reason."""
    skipped = {
        Verdict.KNOWN: f"known: {result.known}",
        Verdict.SKIPPED: result.ending.reason or "skipped",
    }
    return JunitCase(
        folder=result.test.module,
        name=result.test.name,
        file=f"{result.test.place.module}.py",
        time_s=result.ending.duration_s,
        skipped=skipped.get(result.verdict, ""),
        failure=(result.ending.reason or "failed") if result.is_unexplained else "",
        output=result.ending.reason.encode(),
    )
