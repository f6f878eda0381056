"""Running batches: each in a guest of its own, several at once, and again for a comparison to the bit."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from airtcp.cache_folder import cache_folder
from airtcp.execution.events import Done, RunFailed
from airtcp.execution.executors.executor import Job
from airtcp.execution.host import GUESTS_OWN_FOLDERS
from airtcp.hostap.batches import Batch
from airtcp.hostap.kept_needs import FOLDER
from airtcp.hostap.known import judged
from airtcp.hostap.plan import PROGRAM, Setting, batch_plan
from airtcp.hostap.result import Ending, Result, endings_of
from airtcp.hostap.sources import SuiteTest
from airtcp.hostap.suite import PYTHON, Suite
from airtcp.input_file import read_input
from airtcp.plans.types.plan import Plan
from airtcp.suites.runs import Place, runs_of

STALL_S = 300
"""Seconds of computing for which virtual time may stand still: Python reads all modules at once."""
# What a batch writes; a broken test may write without end.
_OUTPUT_BYTES_MOST = 64 << 20
# Folders in which run-tests.py looks for modules, below hostap's.
_MODULES = ("tests/hwsim", "wpaspy")


@dataclass(frozen=True)
class Ended:
    """A batch that has ended: its results, and its computing and virtual time in seconds."""

    batch: Batch
    results: Sequence[Result]
    cpu_s: float
    virtual_s: float


@dataclass(frozen=True)
class Changed:
    """A test whose ending in a repetition differs from its first."""

    test: SuiteTest
    repetition: int
    first: Ending
    again: Ending


class SuiteRun:
    """Batches that are run with one setting, once and again; `dbus`: names of tests that need D-Bus."""

    def __init__(
        self, batches: Sequence[Batch], setting: Setting, place: Place, dbus: frozenset[str]
    ) -> None:
        self._batches, self._setting, self._place, self._dbus = batches, setting, place, dbus

    def first(self, ended: Callable[[Ended], None]) -> list[Ended]:
        """Runs every batch and writes its output; `ended` is told each. In the order of the batches.

        Raises:
            AirtcpError: runs can't be made, whatever the tests.
        """
        found: dict[int, Ended] = {}
        for number, endings, end in self._run():
            results = [judged(test, ending) for test, ending in endings.items()]
            cpu_s, virtual_s = (end.cpu_s, end.virtual_s) if isinstance(end, Done) else (0.0, 0.0)
            found[number] = Ended(self._batches[number], results, cpu_s, virtual_s)
            ended(found[number])
        return [found[number] for number in range(len(self._batches))]

    def again(
        self, first: Sequence[Ended], repetitions: int, ended: Callable[[int, int, int], None]
    ) -> list[Changed]:
        """Runs all until each was run so often; returns what came out otherwise.

        `ended` is told the repetition, their number and that of changes.
        """
        before = {one.test: one.ending for batch in first for one in batch.results}
        changed: list[Changed] = []
        for repetition in range(2, repetitions + 1):
            for _, endings, _ in self._run(repetition):
                changed += [
                    Changed(test, repetition, before[test], again)
                    for test, again in endings.items()
                    if again != before[test]
                ]
            ended(repetition, repetitions, len(changed))
        return changed

    def _run(self, repetition: int = 1) -> Iterator[tuple[int, Mapping[SuiteTest, Ending], Done | RunFailed]]:
        """The number of each batch with its endings and the end of its run, as they end."""
        jobs = (Job(batch.label, self._plan(batch)) for batch in self._batches)
        place = replace(self._place, at_once=min(self._place.at_once, len(self._batches)))
        # The suite's folder is no part of a plan, so a run in the store may be of another version of it.
        with closing(runs_of(jobs, place, STALL_S, fresh=True)) as runs:
            for number, end in runs:
                batch = self._batches[number]
                suffix = f".repetition-{repetition}" if repetition > 1 else ""
                folder = self._place.outputs / f"{batch.label}{suffix}"
                yield number, _endings(batch, end, folder), end

    def _plan(self, batch: Batch) -> Plan:
        dbus = any(test.name in self._dbus for test in batch.tests)
        return batch_plan(batch, self._setting, dbus=dbus)


def _endings(batch: Batch, end: Done | RunFailed, folder: Path) -> Mapping[SuiteTest, Ending]:
    """The endings of a batch; its output, and the logs of tests that failed, are in the folder afterwards."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if isinstance(end, RunFailed):
        (folder / "console.txt").write_text("\n".join(end.console), encoding="utf-8")
        return {test: Ending("FAIL", f"the guest failed: {end.what}") for test in batch.tests}
    programs = end.folder / "programs"
    output = read_input(programs / f"{PROGRAM}.out", _OUTPUT_BYTES_MOST, follow=False)
    (folder / "output.txt").write_bytes(output)
    if (programs / "logs").is_dir():
        shutil.copytree(programs / "logs", folder / "logs", symlinks=True)
    return endings_of(batch.tests, output.decode(errors="replace"))


def compiled_modules(suite: Suite) -> Path | None:
    """A folder with the suite's modules as Python compiles them: else each guest compiles 150,000 lines."""
    folder = cache_folder() / FOLDER / "compiled"
    if any(folder.is_relative_to(own) for own in GUESTS_OWN_FOLDERS):
        return None
    modules = [str(suite.root / one) for one in _MODULES]
    command = [PYTHON, "-m", "compileall", "-q", *modules]
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(folder)}
    subprocess.run(command, env=environment, capture_output=True, check=False)
    return folder
