"""How tests ended, from what run-tests.py writes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from airtcp.hostap.sources import SuiteTest
from airtcp.suites.verdict import Verdict

NO_VERDICT = "run-tests.py ended without a verdict"
NOT_BEGUN = "run-tests.py ended before this test"
_BEGIN = re.compile(r"^START (\S+) \d+/\d+$")
# "PASS ap_open 0.086512 2026-08-01 12:00:00.184444": verdict, test, its seconds, the end.
_END = re.compile(r"^(PASS|FAIL|SKIP) (\S+)(?: (\d[\d.e-]*) \S+ \S+| - (.*))$")
_SKIPPED = "REASON "
_TRACE = "Traceback (most recent call last):"
# The last line of a trace of Python, which has the exception. What belongs to it follows indented, or not.
_EXCEPTION = re.compile(
    r"^(?:[\w.]+\.)?(?:Exception|(\w*(?:Error|Exception|Expired|Exit|Interrupt)))(?:: (.*))?$"
)


@dataclass(frozen=True)
class Ending:
    """What is compared of a test to the bit: the suite's verdict, its reason, and the test's virtual time."""

    verdict: str
    reason: str = ""
    duration_s: float = 0.0


@dataclass(frozen=True)
class Result:
    """A test with its ending, what that means, and the reason of a known difference."""

    test: SuiteTest
    ending: Ending
    verdict: Verdict
    known: str = ""

    @property
    def is_unexplained(self) -> bool:
        """Whether it failed without a known reason."""
        return self.verdict is Verdict.FAILED


def endings_of(tests: Sequence[SuiteTest], output: str) -> Mapping[SuiteTest, Ending]:
    """The ending of each test of a batch, from the batch's output."""
    lines = output.splitlines()
    found = dict(_endings(lines))
    last = "" if found else next((line for line in reversed(lines) if line.strip()), "")
    missing = Ending("FAIL", f"{NOT_BEGUN}: {last}" if last else NOT_BEGUN)
    return {test: found.get(test.name, missing) for test in tests}


def _endings(lines: Sequence[str]) -> Iterator[tuple[str, Ending]]:
    begun, said = "", list[str]()
    for number, line in enumerate(lines):
        if begin := _BEGIN.match(line):
            if begun:
                yield begun, Ending("FAIL", _reason(said) or NO_VERDICT)
            begun, said = begin[1], []
        elif (end := _END.match(line)) and end[2] == begun:
            after = lines[number + 1] if number + 1 < len(lines) else ""
            reason = {"FAIL": end[4] or _reason(said), "SKIP": after.removeprefix(_SKIPPED)}.get(end[1], "")
            yield begun, Ending(end[1], reason, float(end[3] or 0))
            begun = ""
        else:
            said.append(line)
    if begun:
        yield begun, Ending("FAIL", _hang(said) or NO_VERDICT)


def _hang(said: Sequence[str]) -> str:
    return said[-1] if said and said[-1].startswith("airtcp: ") else ""


def _reason(said: Sequence[str]) -> str:
    """The first exception that was reported, in the words of Python; else the last line."""
    if _TRACE in said:
        trace = said[said.index(_TRACE) :]
        for line in _last_of_chain(trace):
            if found := _EXCEPTION.match(line):
                kind = f"{found[1]}: " if found[1] else ""
                return f"{kind}{found[2] or ''}".strip().removesuffix(":") or line
    lines = [line for line in said if line.strip()]
    return lines[-1].strip() if lines else ""


def _last_of_chain(trace: Sequence[str]) -> Iterator[str]:
    """Lines of a trace from where the exception is that nobody has caught."""
    starts = [number for number, line in enumerate(trace) if line == _TRACE]
    chain = [starts[0]]
    for number in starts[1:]:
        # "During handling of the above exception, another exception occurred:", and an empty line.
        if number >= 2 and "exception" in trace[number - 2] and trace[number - 2].endswith(":"):
            chain.append(number)
        else:
            break
    yield from trace[chain[-1] :]
