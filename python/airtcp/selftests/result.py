"""How a test ended: its exit status, and what it wrote, as KTAP where it writes that.

KTAP: Documentation/dev-tools/ktap.rst. The verdict of a test is its exit status, as kselftest has it.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from airtcp.selftests.installed import Selftest
from airtcp.suites.ending import Ending
from airtcp.suites.known import Conditions, Named, differences_of
from airtcp.suites.verdict import Verdict, verdict_of

KNOWN = Path(__file__).with_name("known.toml")
# KSFT_SKIP of kselftest.h, and its names of verdicts in lines of KTAP.
SKIP_STATUS = 4
_LINE = re.compile(
    r"^(?:#[ \t])?[ \t]*(?P<not>not )?ok (?P<number>\d+)\b[ -]*(?P<name>[^#\n]*?)[ \t]*"
    r"(?:#[ \t]*(?P<said>.*))?$",
    re.MULTILINE,
)
_DIRECTIVES = ("SKIP", "XFAIL", "TODO")
# Words by which tests without KTAP say that a step failed.
_FAILED = re.compile(r"\[\s*(?:FAIL|fail)\w*\s*\]|^\s*(?:FAIL|ERROR|Error|error)\b", re.MULTILINE)
_SKIPPED = re.compile(r"^.*\bskip.*$", re.MULTILINE | re.IGNORECASE)
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Point:
    """A line of KTAP: a step with its verdict: `pass`, `fail`, or a directive such as `skip`."""

    name: str
    verdict: str


@dataclass(frozen=True)
class Result:
    """A test with its ending, its verdict, and why."""

    test: Selftest
    ending: Ending
    verdict: Verdict
    reason: str = ""
    known: str = ""
    cpu_s: float = 0.0

    @property
    def is_unexpected(self) -> bool:
        """Whether it failed without a known reason."""
        return self.verdict is Verdict.FAILED

    @property
    def counts(self) -> Counter[str]:
        """How many steps have which verdict."""
        return Counter(point.verdict for point in points(_text(self.ending)))


def points(text: str) -> list[Point]:
    """The lines of KTAP in what a test has written, of the innermost level."""
    found = []
    for line in _LINE.finditer(text):
        said = (line["said"] or "").split(maxsplit=1)
        directive = said[0].rstrip(":").upper() if said else ""
        verdict = "fail" if line["not"] else "pass"
        is_directive = directive in _DIRECTIVES
        # Some write why a step failed in place of its name: `not ok 26 # error 30: ...`.
        name = line["name"] or ("" if is_directive else line["said"] or "")
        found.append(Point(name, directive.lower() if is_directive else verdict))
    return found


def judged(test: Selftest, ending: Ending, cpu_s: float, conditions: Conditions) -> Result:
    """The result of a test."""
    if ending.status == SKIP_STATUS:
        return Result(test, ending, Verdict.SKIPPED, _why_skipped(_text(ending)), cpu_s=cpu_s)
    reason = "" if ending.status == 0 else ending.failure or _why_failed(ending)
    known = differences_of(Named(test.folder, test.name), conditions, KNOWN)
    verdict, why = verdict_of(ending, f"{reason}\n{_text(ending)}", known)
    return Result(test, ending, verdict, reason, why, cpu_s)


def not_built(test: Selftest) -> Result:
    """The result of a test that the build has not made."""
    return Result(test, Ending(SKIP_STATUS, 0, b""), Verdict.SKIPPED, "was not built: see build.log")


def _text(ending: Ending) -> str:
    return _COLOURS.sub("", ending.output.decode(errors="replace")).replace("\r", "")


def _why_failed(ending: Ending) -> str:
    text = _text(ending)
    failed = [point.name for point in points(text) if point.verdict == "fail"]
    if failed:
        return _first_and_number(failed)
    lines = [line.strip() for line in text.splitlines() if _FAILED.search(line)]
    if lines:
        return _first_and_number(lines)
    return _last_line(text) or f"exit status {ending.status}"


def _why_skipped(text: str) -> str:
    said = _SKIPPED.findall(text)
    return said[-1].strip() if said else _last_line(text) or "says nothing"


def _first_and_number(lines: Sequence[str]) -> str:
    return lines[0] + (f" (and {len(lines) - 1} more)" if len(lines) > 1 else "")


def _last_line(text: str) -> str:
    return next(_spoken(reversed(text.splitlines())), "")


def _spoken(lines: Iterator[str]) -> Iterator[str]:
    return (line.strip() for line in lines if line.strip())
