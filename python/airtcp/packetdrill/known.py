"""Known differences: scripts that fail on a kernel for a known reason (`known.toml`)."""

import fnmatch
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Self

from airtcp.kernels.name import base_of, built_own, parsed
from airtcp.kernels.table import USUAL_HZ
from airtcp.packetdrill.variants import Case

FILE = Path(__file__).with_name("known.toml")


@dataclass(frozen=True)
class Difference:
    """Scripts of a suite, by patterns of their names, that fail, and why.

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


@cache
def known_differences(file: Path = FILE) -> Sequence[Difference]:
    """The differences of the file."""
    return [Difference(**entry) for entry in tomllib.loads(file.read_text(encoding="utf-8"))["difference"]]


def differences_of(case: Case, conditions: Conditions) -> list[Difference]:
    """The known differences of a case under these conditions."""
    return [one for one in known_differences() if _applies(one, case, conditions)]


def _applies(one: Difference, case: Case, conditions: Conditions) -> bool:
    return (
        one.suite == case.script.suite
        and any(fnmatch.fnmatchcase(case.script.name, pattern) for pattern in one.scripts)
        and case.ip in (one.ip or (case.ip,))
        and conditions.series in (one.kernels or (conditions.series,))
        and conditions.hz in (one.hz or (conditions.hz,))
        and one.tolerance in ("", conditions.tolerance)
    )
