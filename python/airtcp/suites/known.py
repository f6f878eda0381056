"""Known differences: cases of suites that fail on a kernel for a known reason (files `known.toml`)."""

import fnmatch
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Self

from airtcp.kernels.name import base_of, built_own, parsed
from airtcp.kernels.table import USUAL_HZ


@dataclass(frozen=True)
class Difference:
    """Cases of a suite, by patterns of the names of their scripts, that fail, and why.

    Empty: every IP version, series of kernels or timer frequency. `tolerance`: only with this one. `when`:
    what is in the reason of the failure.
    """

    suite: str
    scripts: Sequence[str]
    reason: str
    ip: Sequence[str] = ()
    kernels: Sequence[str] = ()
    hz: Sequence[int] = ()
    tolerance: str = ""
    when: str = ""


@dataclass(frozen=True)
class Conditions:
    """What a run of a suite was made with."""

    series: str
    hz: int
    tolerance: str

    @classmethod
    def of_kernel(cls, name: str, tolerance: str) -> Self:
        """Those of a kernel by its name; one of one's own source is of the nearest series."""
        own, kernel = built_own(name), parsed(name)
        return cls(own.base if own else base_of(name), kernel.hz if kernel else USUAL_HZ, tolerance)


@dataclass(frozen=True)
class Named:
    """A case, as differences name it: suite, script, and IP version if it has one."""

    suite: str
    script: str
    ip: str = ""


@cache
def known_differences(file: Path) -> Sequence[Difference]:
    """The differences of the file."""
    return [Difference(**entry) for entry in tomllib.loads(file.read_text(encoding="utf-8"))["difference"]]


def differences_of(case: Named, conditions: Conditions, file: Path) -> list[Difference]:
    """The known differences of a case under these conditions."""
    return [one for one in known_differences(file) if _applies(one, case, conditions)]


def _applies(one: Difference, case: Named, conditions: Conditions) -> bool:
    return (
        one.suite == case.suite
        and any(fnmatch.fnmatchcase(case.script, pattern) for pattern in one.scripts)
        and case.ip in (one.ip or (case.ip,))
        and conditions.series in (one.kernels or (conditions.series,))
        and conditions.hz in (one.hz or (conditions.hz,))
        and one.tolerance in ("", conditions.tolerance)
    )
