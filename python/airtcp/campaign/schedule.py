"""Which runs of a campaign the store already has, and which must be computed."""

import hashlib
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

from airtcp.campaign.cache_keys import kernel_digest, plans_key
from airtcp.campaign.campaign import Campaign
from airtcp.campaign.run_index import RunIndex, run_names
from airtcp.errors import AirtcpError, remedy_for
from airtcp.execution.executors.executor import Job
from airtcp.execution.locate import find_kernel
from airtcp.plans.types.plan import Plan
from airtcp.studies.cases import Case, Plans, cases, choose_levels
from airtcp.studies.study import Study


@dataclass(frozen=True)
class Request:
    """Options of a campaign: the store, repetitions (default: the campaign's), selected levels, a kernel."""

    store: Path
    reps: int | None = None
    only: Mapping[str, Sequence[str]] = field(default_factory=dict)
    kernel: str | None = None


@dataclass
class PendingRun:
    """A run to compute: its compressed plan, and the numbers of the cases that have this plan."""

    label: str
    cases: list[int]
    packed: bytes
    series: str
    virtual_s: float
    fresh: bool = False

    @property
    def plan(self) -> Plan:
        """The plan, unpacked when needed: a dictionary takes ten times the memory, and thousands may wait."""
        return cast(Plan, json.loads(zlib.decompress(self.packed)))

    def job(self) -> Job:
        """The run as a job of an executor."""
        return Job(self.label, self.plan, self.fresh)


@dataclass
class Schedule:
    """Every requested case, either with the folder of its run (`there`) or in a pending run (`missing`)."""

    study: Study
    seeds: tuple[int, ...]
    cases: list[Case]
    there: dict[int, Path]
    missing: list[PendingRun]
    index: RunIndex
    plans: Plans

    @property
    def runs(self) -> int:
        """Number of different runs; cases with equal plans share one."""
        return len(set(self.there.values())) + len(self.missing)

    @property
    def series(self) -> list[str]:
        """Kernel series of all runs, including those in the store: a damaged run is computed again."""
        return sorted({*self.index.series, *(run.series for run in self.missing)})

    def jobs(self, pending: Sequence[PendingRun]) -> Iterator[Job]:
        """The jobs, created as the executor takes them."""
        return (run.job() for run in pending)

    def again(self, numbers: Sequence[int]) -> list[PendingRun]:
        """Pending runs that recompute these cases even if the store has them."""
        return [replace(run, fresh=True) for run in _pending_runs(self, numbers)]


def make_schedule(campaign: Campaign, request: Request) -> Schedule:
    """Compiles the cases without a known run; a compile error is raised before anything runs."""
    seeds = _seeds(campaign.study, request.reps)
    chosen = _chosen(campaign.study, request.only)
    store = request.store.resolve()
    index = RunIndex(store, plans_key(campaign.study, request.kernel), _kernel_digest)
    every = cases(chosen, seeds)
    made = Schedule(chosen, seeds, every, {}, [], index, Plans(chosen, request.kernel, request.store))
    unknown = []
    for number, case in enumerate(every):
        folder = index.folder(run) if (run := index.run(case)) is not None else None
        if folder is None:
            unknown.append(number)
        else:
            made.there[number] = folder
    made.missing = _not_there(made, _pending_runs(made, unknown))
    return made


def _not_there(schedule: Schedule, pending: list[PendingRun]) -> list[PendingRun]:
    """The runs that the store lacks; the cases of the others are added to `there`."""
    index = schedule.index
    asked = [run for run in pending if index.run(schedule.cases[run.cases[0]]) is None]
    names = run_names([run.plan for run in asked], sorted({run.series for run in asked}))
    found = set()
    for run, name in zip(asked, names, strict=True):
        if name is None:
            continue
        for case in run.cases:
            index.add(schedule.cases[case], name, run.series)
        if (folder := index.folder(name)) is not None:
            found.add(id(run))
            schedule.there.update(dict.fromkeys(run.cases, folder))
    return [run for run in pending if id(run) not in found]


def _pending_runs(schedule: Schedule, numbers: Sequence[int]) -> list[PendingRun]:
    """One pending run for each different plan of these cases."""
    pending: dict[bytes, PendingRun] = {}
    for number in numbers:
        case = schedule.cases[number]
        plan = schedule.plans.plan(case)
        text = json.dumps(plan).encode()
        name = hashlib.sha256(text).digest()
        if name not in pending:
            label, packed = _label(schedule.study, case), zlib.compress(text, 1)
            pending[name] = PendingRun(label, [], packed, plan["kernel"], plan["duration_ns"] / 1e9)
        pending[name].cases.append(number)
    return list(pending.values())


def _label(study: Study, case: Case) -> str:
    labels = [study.label(factor, level) for factor, level in case.levels.items()]
    return ", ".join([*labels, f"seed {case.seed}"])


def _seeds(study: Study, reps: int | None) -> tuple[int, ...]:
    count = study.reps if reps is None else reps
    if count < 1:
        raise AirtcpError(f"--reps must be at least 1, not {count}")
    return tuple(range(1, count + 1))


def _chosen(study: Study, only: Mapping[str, Sequence[str]]) -> Study:
    for factor, levels in only.items():
        if factor not in study.factors:
            raise AirtcpError(
                f'the campaign has no factor "{factor}"', "--only", remedy_for(factor, study.factors)
            )
        study = choose_levels(study, factor, levels)
    if not study.parts:
        raise AirtcpError("no combination has all of these levels", "--only", "Select other levels")
    return study


def _kernel_digest(series: str) -> str:
    return kernel_digest(find_kernel(series))
