"""Results of scripts as cases of JUnit."""

from airtcp.packetdrill.result import Result
from airtcp.suites.junit import JunitCase
from airtcp.suites.verdict import Verdict


def junit_case(result: Result) -> JunitCase:
    """A script with an IP version as a case; a known failure counts as skipped, with its reason."""
    case = result.case
    where = f"line {result.line}: " if result.line is not None else ""
    return JunitCase(
        case.script.folder,
        f"{case.script.file.stem} [{case.ip}]",
        case.script.name,
        result.ending.end_ns / 1e9,
        skipped=f"known: {result.known}" if result.verdict is Verdict.KNOWN else "",
        failure=f"{where}{result.reason}" if result.is_unexpected else "",
        output=result.ending.output,
    )
