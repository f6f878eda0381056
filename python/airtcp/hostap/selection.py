"""Which tests are run: by names, modules and patterns, and by what they need."""

import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from airtcp.errors import AirtcpError, suggestion
from airtcp.hostap.needs import Need
from airtcp.hostap.sources import SuiteTest


@dataclass(frozen=True)
class Selection:
    """The tests to run, and those that were named with them and left out for their needs."""

    tests: Sequence[SuiteTest]
    left_out: Mapping[SuiteTest, Sequence[Need]]


@dataclass(frozen=True)
class Chosen:
    """What the user has chosen: words, needs beside radios that tests may have, or all tests."""

    words: Sequence[str] = ()
    with_needs: Sequence[Need] = ()
    all_tests: bool = False


def selection_of(
    tests: Sequence[SuiteTest], needs: Mapping[str, Sequence[Need]], chosen: Chosen
) -> Selection:
    """The selected tests. A word is a module, a test, `module.test`, or a pattern of these.

    Where a module and one of its tests have one name, it means the module. A test by its name is run always.

    Raises:
        AirtcpError: a word is none of them.
    """
    named = _named(tests, chosen.words)
    allowed = {need.name for need in chosen.with_needs}
    run: list[SuiteTest] = []
    left_out: dict[SuiteTest, Sequence[Need]] = {}
    for test in named:
        refused = [need for need in needs[test.name] if need.name not in allowed]
        if not refused or chosen.all_tests or {test.name, test.path} & set(chosen.words):
            run.append(test)
        else:
            left_out[test] = refused
    return Selection(run, left_out)


def _named(tests: Sequence[SuiteTest], words: Sequence[str]) -> Sequence[SuiteTest]:
    if not words:
        return tests
    found: dict[SuiteTest, None] = {}
    for word in words:
        members = [test for test in tests if _matches(test, word)]
        if not members:
            known = sorted({one for test in tests for one in (test.name, test.module)})
            raise AirtcpError(
                f'"{word}" is no test, no module and no pattern of them', "", _hint(word, known)
            )
        found.update(dict.fromkeys(members))
    return [test for test in tests if test in found]


def _matches(test: SuiteTest, pattern: str) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for name in (test.name, test.module, test.path))


def _hint(word: str, known: Sequence[str]) -> str:
    hint = suggestion(word, known)
    return f"D{hint[1:]}" if hint else "airtcp hostap-tests FOLDER --list has all"
