"""The test of a commit: its kernel is built, the scenario runs on it, and its values are judged."""

import math
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from airtcp.bisection.condition import Condition, values_text
from airtcp.bisection.kernel_tree import KernelTree
from airtcp.bisection.search import Judged
from airtcp.data.read_once import open_once
from airtcp.errors import AirtcpError
from airtcp.execution.events import Done, RunFailed
from airtcp.execution.executors.executor import Job, Unwatched
from airtcp.execution.executors.local import LocalExecutor
from airtcp.execution.kernel_build import BuildFailed
from airtcp.execution.runner import Tools
from airtcp.kernels.name import KernelName, parsed
from airtcp.kernels.table import DEFAULT_KERNEL, PLAIN, USUAL_HZ
from airtcp.quantities.run_view import RunView
from airtcp.scenario.compile.compiler import compile_file
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.reading.toml_file import parse_toml, read_text


def kernel_of(scenario: Path, base: str) -> KernelName:
    """The kernel `base` with the timer frequency and the flavour that a scenario has.

    What is wrong with the scenario is an error now, not after the first build.
    """
    tables = parse_toml(read_text(scenario), scenario)
    try:
        own = parsed(compile_file(scenario, {"kernel": DEFAULT_KERNEL})["kernel"])
        assert own is not None, "a plan names a kernel"
        return KernelName(base, own.flavour, own.hz)
    except ScenarioError as error:
        # A congestion control that the default kernel lacks may be in the source.
        if not error.key.endswith("cca"):
            raise
    guest = tables.get("guest", {})
    return KernelName(base, guest.get("flavour", PLAIN), tables.get("hz", USUAL_HZ))


class _NoValue(Exception):
    """A run that has no value of a quantity; the text says why."""


@dataclass(frozen=True)
class KernelTest:
    """What judges the commit that is checked out: `words` are the builder's for it."""

    scenario: Path
    condition: Condition
    seeds: Sequence[int]
    tree: KernelTree
    words: Callable[[], Sequence[str]]
    runner: Path
    store: Path
    at_once: int

    def __call__(self) -> Judged:
        """Builds, runs and judges. What is not built, or does not run, can't be tested."""
        begin = time.monotonic()
        try:
            kernel = self.tree.build(self.words())
        except BuildFailed as error:
            return Judged("skip", f"is not built: {error.what}", build_s=time.monotonic() - begin)
        built = time.monotonic()
        try:
            folders = self._runs(kernel)
            by_seed = self._values(folders)
        except (ScenarioError, RunFailed, _NoValue) as error:
            if isinstance(error, RunFailed) and error.exit_status != RunFailed.exit_status:
                raise
            why = error.what if isinstance(error, AirtcpError) else str(error)
            return Judged("skip", why, {}, built - begin, time.monotonic() - built)
        met = self.condition.met({name: fmean(values) for name, values in by_seed.items()})
        text = values_text(self.condition.numbers, by_seed)
        run_s = time.monotonic() - built
        return Judged("good" if met else "bad", text, by_seed, built - begin, run_s)

    def _runs(self, kernel: Path) -> list[Path]:
        """The folders of the runs, by seed."""
        base = self.tree.name.base
        plans = [compile_file(self.scenario, {"kernel": base, "seed": seed}) for seed in self.seeds]
        jobs = [
            Job(f"seed {seed}", plan, file=str(self.scenario))
            for seed, plan in zip(self.seeds, plans, strict=True)
        ]
        tools = Tools(self.runner, {str(self.tree.name): kernel}, self.store)
        folders: dict[int, Path] = {}
        with closing(LocalExecutor(tools, self.at_once).outcomes(jobs, Unwatched())) as outcomes:
            for outcome in outcomes:
                if not isinstance(outcome.end, Done):
                    raise outcome.end
                folders[outcome.number] = outcome.end.folder
        return [folders[number] for number in range(len(jobs))]

    def _values(self, folders: Sequence[Path]) -> dict[str, list[float]]:
        found: dict[str, list[float]] = {number.name: [] for number in self.condition.numbers}
        for seed, folder in zip(self.seeds, folders, strict=True):
            view = RunView.while_flows_ran(open_once(folder))
            for number in self.condition.numbers:
                reading = number.of(view)
                if math.isnan(reading.value):
                    raise _NoValue(f"{number.name} has no value with seed {seed}: {reading.why}")
                found[number.name].append(reading.value)
        return found
