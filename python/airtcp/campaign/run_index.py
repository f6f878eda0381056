"""Which run a case ended in: what a campaign that was computed before needs to know."""

import json
from collections.abc import Callable
from pathlib import Path

from airtcp.campaign.shared_file import FOLDER, SharedFile
from airtcp.studies.cases import Case

# A run folder has it exactly if it is complete.
COMPLETE = "manifest.json"


class RunIndex:
    """Names of runs by cases, of everything that has this key (`dependence.plans_key`)."""

    def __init__(self, store: Path, key: str, kernel_digest: Callable[[str], str]) -> None:
        self._store = store
        self._file = SharedFile(store / FOLDER / f"{key}.json")
        self._kernel_digest = kernel_digest
        self._digests: dict[str, str] = {}

    def run(self, case: Case) -> str | None:
        """The name of the run of a case; `None` if it is not known."""
        found = self._file.values.get(_key(case))
        if not isinstance(found, list) or len(found) != 3:
            return None
        run, series, digest = found
        return str(run) if self._digest(str(series)) == digest else None

    def add(self, case: Case, run: str, series: str) -> None:
        """The run of a case, which a kernel of this series executes."""
        if self.run(case) != run:
            self._file.add(_key(case), [run, series, self._digest(series)])

    @property
    def series(self) -> set[str]:
        """The kernels of what was asked for."""
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
