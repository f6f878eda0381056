"""What `airtcp packetdrill` prints: failures, known differences and totals; or one object of JSON."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from airtcp.cli.output import Output
from airtcp.cli.suite_command import REASON_CHARACTERS
from airtcp.packetdrill.result import Result
from airtcp.packetdrill.suite_run import Changed
from airtcp.report.table import Table
from airtcp.suites.known import Conditions
from airtcp.suites.verdict import Verdict, passed

# No script is skipped.
_VERDICTS = [verdict for verdict in Verdict if verdict is not Verdict.SKIPPED]


def show(results: Sequence[Result], changed: Sequence[Changed], repetitions: int) -> None:
    """Prints what failed, what is known, sums, and what repetitions changed."""
    output = Output()
    _show_failures(output, [one for one in results if one.is_unexpected])
    _show_known(output, results)
    _show_folders(output, results)
    if repetitions > 1:
        _show_changes(output, changed, len(results), repetitions)
    counts = Counter(one.verdict for one in results)
    known = f", {counts[Verdict.KNOWN]} failed as known" if counts[Verdict.KNOWN] else ""
    end_s = sum(one.ending.end_ns for one in results) / 1e9
    output.heading(
        f"{len(results)} cases: {passed(counts)} passed{known}, {counts[Verdict.FAILED]} failed; "
        f"{end_s:.1f} s of virtual time, {_cpu_s(results):.1f} s of computing"
    )


def facts(results: Sequence[Result], changed: Sequence[Changed], conditions: Conditions) -> dict[str, Any]:
    """The results as one object."""
    counts = Counter(one.verdict for one in results)
    return {
        "kernel": conditions.series,
        "hz": conditions.hz,
        "tolerance": conditions.tolerance,
        "totals": {verdict.value: counts[verdict] for verdict in _VERDICTS},
        "cpu_s": round(_cpu_s(results), 3),
        "cases": [_case(one) for one in results],
        "changed": [
            {
                "script": one.case.script.name,
                "ip": one.case.ip,
                "repetition": one.repetition,
                "what": one.what,
            }
            for one in changed
        ],
    }


def _case(one: Result) -> dict[str, Any]:
    script = one.case.script
    return {
        "suite": script.suite,
        "script": script.name,
        "ip": one.case.ip,
        "verdict": one.verdict.value,
        "status": one.ending.status,
        "line": one.line,
        "reason": one.reason,
        "known": one.known,
        "end_s": one.ending.end_ns / 1e9,
    }


def _cpu_s(results: Sequence[Result]) -> float:
    return sum(one.cpu_s for one in results)


def _show_failures(output: Output, failures: Sequence[Result]) -> None:
    if not failures:
        return
    table = Table("Failures", ["script", "ip", "line", "reason"], left=["ip", "reason"])
    for alike in _alike(failures):
        one = alike[0]
        line = "-" if one.line is None else str(one.line)
        table.add(one.case.script.name, _ips(alike), line, one.reason[:REASON_CHARACTERS])
    output.table(table)


def _show_known(output: Output, results: Sequence[Result]) -> None:
    for verdict, title in (
        (Verdict.KNOWN, "Failed as known"),
        (Verdict.PASSED_ALL_THE_SAME, "Passed, though known to fail"),
    ):
        known = [one for one in results if one.verdict is verdict]
        if known:
            table = Table(title, ["script", "ip", "known reason"], left=["ip", "known reason"])
            for alike in _alike(known):
                table.add(alike[0].case.script.name, _ips(alike), alike[0].known)
            output.table(table)


def _alike(results: Sequence[Result]) -> list[list[Result]]:
    """The IP versions of a script together that failed at the same line, for the same reason."""
    groups: dict[tuple[Any, ...], list[Result]] = {}
    for one in results:
        groups.setdefault((one.case.script, one.line, one.reason, one.known), []).append(one)
    return list(groups.values())


def _ips(alike: Sequence[Result]) -> str:
    return ", ".join(one.case.ip for one in alike)


def _show_folders(output: Output, results: Sequence[Result]) -> None:
    table = Table("Folders", ["folder", "cases", "passed", "known", "failed"])
    for folder in dict.fromkeys(one.case.script.folder for one in results):
        members = [one for one in results if one.case.script.folder == folder]
        counts = Counter(one.verdict for one in members)
        numbers = (len(members), passed(counts), counts[Verdict.KNOWN], counts[Verdict.FAILED])
        table.add(folder, *map(str, numbers))
    output.table(table)


def _show_changes(output: Output, changed: Sequence[Changed], cases: int, repetitions: int) -> None:
    if not changed:
        output.line(f"{repetitions} repetitions of {cases} cases: all the same, to the bit.")
        return
    table = Table("Differs in a repetition", ["script", "repetition", "in"], left=["in"])
    for one in changed:
        table.add(one.case.label, str(one.repetition), one.what)
    output.table(table)
