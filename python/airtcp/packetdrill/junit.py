"""Results of packetdrill's scripts as cases of JUnit."""

from airtcp.packetdrill.result import Result, Verdict
from airtcp.suites.junit import JunitCase


def junit_case(result: Result) -> JunitCase:
    """A test case for a script and an IP version; a known failure counts as skipped, with its reason."""
    case = result.case
    where = f"line {result.line}: " if result.line is not None else ""
    return JunitCase(
        suite=case.script.folder,
        class_name=case.script.folder.replace("/", "."),
        name=f"{case.script.file.stem} [{case.ip}]",
        file=case.script.name,
        time_s=result.ending.end_ns / 1e9,
        skipped=f"known: {result.known}" if result.verdict is Verdict.KNOWN else "",
        failure=f"{where}{result.reason}" if result.is_unexpected else "",
        output=result.ending.output.decode(errors="replace"),
    )
