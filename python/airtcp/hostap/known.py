"""Known failures: tests that fail for a known reason (`known.toml`)."""

import fnmatch
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from airtcp.hostap.result import Ending, Result
from airtcp.hostap.sources import SuiteTest
from airtcp.suites.verdict import Verdict

FILE = Path(__file__).with_name("known.toml")


@dataclass(frozen=True)
class Difference:
    """Tests, by patterns of their names, that fail, and why. `when`: what is in the reason of the failure.

    `cause`: whose matter it is, one of `causes`. `sometimes`: whether a test fails is a matter of what the
    others in its batch are, so that passing is no news.
    """

    tests: Sequence[str]
    reason: str
    cause: str
    when: str = ""
    sometimes: bool = False


@cache
def causes(file: Path = FILE) -> dict[str, str]:
    """The causes by their names, with what they are."""
    found: dict[str, str] = tomllib.loads(file.read_text(encoding="utf-8"))["causes"]
    return found


@cache
def known_differences(file: Path = FILE) -> Sequence[Difference]:
    """The differences of the file."""
    return [
        Difference(**entry) for entry in tomllib.loads(file.read_text(encoding="utf-8")).get("difference", [])
    ]


def differences_of(test: SuiteTest) -> list[Difference]:
    """The known differences of a test."""
    return [one for one in known_differences() if _applies(one, test)]


def _applies(one: Difference, test: SuiteTest) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in one.tests for name in (test.name, test.path))


def judged(test: SuiteTest, ending: Ending) -> Result:
    """The result of a test: what is known of it decides what its failure means."""
    known = differences_of(test)
    if ending.verdict == "SKIP":
        return Result(test, ending, Verdict.SKIPPED)
    if ending.verdict == "PASS":
        always = [one for one in known if not one.when and not one.sometimes]
        verdict = Verdict.PASSED_ALL_THE_SAME if always else Verdict.PASSED
        return Result(test, ending, verdict, always[0].reason if always else "")
    for one in known:
        if one.when in ending.reason:
            return Result(test, ending, Verdict.KNOWN, one.reason)
    return Result(test, ending, Verdict.FAILED)
