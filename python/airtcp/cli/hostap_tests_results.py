"""What `airtcp hostap-tests` prints: failures, known ones and totals; or one object of JSON."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from airtcp.cli.output import Output
from airtcp.cli.suite_command import REASON_CHARACTERS
from airtcp.hostap.needs import Need
from airtcp.hostap.result import Result
from airtcp.hostap.selection import Selection
from airtcp.hostap.sources import SuiteTest
from airtcp.hostap.suite_run import Changed, Ended
from airtcp.report.table import Table
from airtcp.suites.verdict import Verdict, passed


def show(ended: Sequence[Ended], changed: Sequence[Changed], repetitions: int) -> None:
    """Prints what failed, what is known, sums, and what repetitions changed."""
    output = Output()
    results = [one for batch in ended for one in batch.results]
    _show_some(output, "Failures without a known reason", results, Verdict.FAILED)
    _show_some(output, "Failed as known", results, Verdict.KNOWN)
    _show_some(output, "Passed, though known to fail", results, Verdict.PASSED_ALL_THE_SAME)
    _show_skipped(output, results)
    _show_modules(output, results)
    if repetitions > 1:
        _show_changes(output, changed, len(results), repetitions)
    counts = Counter(one.verdict for one in results)
    output.heading(
        f"{len(results)} tests: {passed(counts)} passed, {counts[Verdict.SKIPPED]} skipped, "
        f"{counts[Verdict.KNOWN]} failed as known, {counts[Verdict.FAILED]} failed; "
        f"{sum(one.virtual_s for one in ended):.0f} s of virtual time, "
        f"{sum(one.cpu_s for one in ended):.0f} s of computing"
    )


def show_list(selection: Selection) -> None:
    """Prints the tests that would run, and how many are left out for which need."""
    output = Output()
    for test in selection.tests:
        output.line(test.path)
    if selection.left_out:
        table = Table("Left out", ["need", "tests", "only this need", "what it is"], left=["what it is"])
        for need, count, alone in _left_out(selection.left_out):
            missing = " (guests do not have it)" if need.is_missing else ""
            table.add(need.name, str(count), str(alone), f"{need.reason}{missing}")
        output.table(table)
    output.heading(f"{len(selection.tests)} tests, {len(selection.left_out)} left out")


def facts(ended: Sequence[Ended], changed: Sequence[Changed], selection: Selection) -> dict[str, Any]:
    """The results as one object."""
    results = [one for batch in ended for one in batch.results]
    counts = Counter(one.verdict for one in results)
    return {
        "totals": {verdict.value: counts[verdict] for verdict in Verdict},
        "cpu_s": round(sum(one.cpu_s for one in ended), 3),
        "virtual_s": sum(one.virtual_s for one in ended),
        "tests": [_test(batch, one) for batch in ended for one in batch.results],
        "left_out": {test.path: [need.name for need in needs] for test, needs in selection.left_out.items()},
        "changed": [
            {
                "test": one.test.path,
                "repetition": one.repetition,
                "first": vars(one.first),
                "again": vars(one.again),
            }
            for one in changed
        ],
    }


def _test(batch: Ended, one: Result) -> dict[str, Any]:
    return {
        "test": one.test.name,
        "module": one.test.module,
        "batch": batch.batch.label,
        "verdict": one.verdict.value,
        "reason": one.ending.reason,
        "known": one.known,
        "duration_s": one.ending.duration_s,
    }


def _left_out(left_out: Mapping[SuiteTest, Sequence[Need]]) -> list[tuple[Need, int, int]]:
    """The needs for which tests are left out: of how many, and of how many as their only one."""
    every = Counter(need.name for needs in left_out.values() for need in needs)
    alone = Counter(needs[0].name for needs in left_out.values() if len(needs) == 1)
    known = {need.name: need for needs in left_out.values() for need in needs}
    return [(known[name], count, alone[name]) for name, count in every.most_common()]


def _show_some(output: Output, title: str, results: Iterable[Result], verdict: Verdict) -> None:
    some = [one for one in results if one.verdict is verdict]
    if some:
        table = Table(title, ["test", "reason"], left=["reason"])
        for one in some:
            table.add(one.test.path, (one.known or one.ending.reason)[:REASON_CHARACTERS])
        output.table(table)


def _show_skipped(output: Output, results: Iterable[Result]) -> None:
    reasons = Counter(one.ending.reason for one in results if one.verdict is Verdict.SKIPPED)
    if reasons:
        table = Table("Skipped by the suite", ["tests", "reason"], left=["reason"])
        for reason, count in reasons.most_common():
            table.add(str(count), reason[:REASON_CHARACTERS])
        output.table(table)


def _show_modules(output: Output, results: Sequence[Result]) -> None:
    table = Table("Modules", ["module", "tests", "passed", "skipped", "known", "failed"])
    for module in dict.fromkeys(one.test.module for one in results):
        counts = Counter(one.verdict for one in results if one.test.module == module)
        rest = (counts[Verdict.SKIPPED], counts[Verdict.KNOWN], counts[Verdict.FAILED])
        table.add(module, *map(str, (counts.total(), passed(counts), *rest)))
    output.table(table)


def _show_changes(output: Output, changed: Sequence[Changed], tests: int, repetitions: int) -> None:
    if not changed:
        output.line(f"{repetitions} repetitions of {tests} tests: all the same, to the bit.")
        return
    table = Table("Differs in a repetition", ["test", "repetition", "first", "then"], left=["first", "then"])
    for one in changed:
        endings = [f"{end.verdict} {end.duration_s} s {end.reason}"[:60] for end in (one.first, one.again)]
        table.add(one.test.path, str(one.repetition), *endings)
    output.table(table)
