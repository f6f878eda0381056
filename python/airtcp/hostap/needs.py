"""What tests need beside radios, decided from their sources (`needs.toml`)."""

import fnmatch
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from airtcp.errors import AirtcpError, remedy_for
from airtcp.hostap.sources import Place, Sources, SuiteTest, Unit

FILE = Path(__file__).with_name("needs.toml")


@dataclass(frozen=True)
class Need:
    """A need of tests: `modules` are patterns of modules whose tests all have it.

    `words`: what sources name that have it. `reason` says what it is. `is_missing`: guests do not have it.
    `is_own`: it counts in the test itself alone, because functions for many tests have it for some.
    """

    name: str
    reason: str
    modules: Sequence[str] = ()
    words: Sequence[str] = ()
    is_missing: bool = False
    is_own: bool = False

    @cached_property
    def _words(self) -> re.Pattern[str]:
        return re.compile("|".join(f"(?:{word})" for word in self.words) or r"(?!)", re.MULTILINE)

    def is_of(self, unit: Unit) -> bool:
        """Whether this function or class has it itself."""
        return self._words.search(unit.words) is not None

    def is_of_module(self, module: str) -> bool:
        """Whether all tests of a module have it."""
        return any(fnmatch.fnmatchcase(module, pattern) for pattern in self.modules)


@cache
def known_needs(file: Path = FILE) -> Sequence[Need]:
    """The needs of the file, in its order."""
    return [Need(**entry) for entry in tomllib.loads(file.read_text(encoding="utf-8"))["need"]]


def checked_needs(names: Sequence[str]) -> Sequence[Need]:
    """The needs of these names."""
    known = {need.name: need for need in known_needs()}
    for name in names:
        if name not in known:
            raise AirtcpError(f'"{name}" is no need of tests', "--with", remedy_for(name, list(known)))
    return [known[name] for name in names]


def needs_of(sources: Sources) -> Mapping[str, Sequence[Need]]:
    """The needs of each test by its name."""
    own = {
        place: [need for need in known_needs() if need.is_of(unit)] for place, unit in sources.units.items()
    }
    return {test.name: _needs(test, sources, own) for test in sources.tests}


def _needs(test: SuiteTest, sources: Sources, own: Mapping[Place, Sequence[Need]]) -> Sequence[Need]:
    found = {
        need.name
        for place in sources.reached(test)
        for need in own[place]
        if place == test.place or not need.is_own
    }
    return [need for need in known_needs() if need.name in found or need.is_of_module(test.module)]
