"""Batches of tests: each is run in a guest of its own, one test after another."""

from collections.abc import Sequence
from dataclasses import dataclass

from airtcp.hostap.sources import SuiteTest

TESTS_MOST = 25
"""Tests of a batch. Starting a guest and the suite costs as much computing as some ten tests."""


@dataclass(frozen=True)
class Batch:
    """Tests of one module. What a test finds depends on those before it, and on nothing outside its batch."""

    module: str
    number: int
    tests: Sequence[SuiteTest]

    @property
    def label(self) -> str:
        """How it is named in lists and files: `ap_open-1`."""
        return f"{self.module}-{self.number}"


def batches_of(tests: Sequence[SuiteTest]) -> list[Batch]:
    """The tests by module, in their order. How many guests run at once does not change them."""
    modules: dict[str, list[SuiteTest]] = {}
    for test in tests:
        modules.setdefault(test.module, []).append(test)
    return [
        Batch(module, 1 + first // TESTS_MOST, members[first : first + TESTS_MOST])
        for module, members in modules.items()
        for first in range(0, len(members), TESTS_MOST)
    ]
