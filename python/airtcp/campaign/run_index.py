"""The run of each case: from the campaign's index of earlier runs, or named by the runner."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from airtcp.campaign.shared_file import FOLDER, SharedFile
from airtcp.errors import AirtcpError
from airtcp.execution.locate import find_kernel, find_runner
from airtcp.execution.run_names import names_or_errors
from airtcp.plans.types.plan import Plan
from airtcp.studies.cases import Case

# A run folder is complete if and only if this file exists.
COMPLETE = "manifest.json"


class RunIndex:
    """Names of runs by case, for campaigns with the same key (`cache_keys.plans_key`)."""

    def __init__(self, store: Path, key: str, kernel_digest: Callable[[str], str]) -> None:
        self._store = store
        self._file = SharedFile(store / FOLDER / f"{key}.json")
        self._kernel_digest = kernel_digest
        self._digests: dict[str, str] = {}

    def run(self, case: Case) -> str | None:
        """The name of the run of a case; `None` if it is unknown."""
        found = self._file.values.get(_key(case))
        if not isinstance(found, list) or len(found) != 3:
            return None
        run, series, digest = found
        return str(run) if self._digest(str(series)) == digest else None

    def add(self, case: Case, run: str, series: str) -> None:
        """Stores the run of a case, which a kernel of this series executes."""
        if self.run(case) != run:
            self._file.add(_key(case), [run, series, self._digest(series)])

    @property
    def series(self) -> set[str]:
        """The series of the kernels of the cases looked up so far."""
        return set(self._digests)

    def folder(self, run: str) -> Path | None:
        """The folder of a run, if it is in the store and complete."""
        folder = self._store / run
        return folder if (folder / COMPLETE).exists() else None

    def save(self) -> None:
        """Writes what was added."""
        self._file.save()

    def _digest(self, series: str) -> str:
        if series not in self._digests:
            self._digests[series] = self._kernel_digest(series)
        return self._digests[series]


def _key(case: Case) -> str:
    return json.dumps([case.seed, *case.key()])


def run_names(plans: Sequence[Plan], series: Sequence[str]) -> list[str | None]:
    """The name of each plan's run; `None` where it is unknown.

    All names come from one call of the runner. Errors are left to the runs themselves: without a name, a
    runner is started for the plan, and finds a run that the store already has.
    """
    if not plans:
        return []
    try:
        found = names_or_errors(find_runner(), {name: find_kernel(name) for name in series}, plans)
    except AirtcpError:
        return [None] * len(plans)
    return [name if isinstance(name, str) else None for name in found]
