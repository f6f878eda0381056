"""What of a campaign is there already, and what has to be run."""

import hashlib
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

from airtcp.campaign.dependence import kernel_digest, plans_key
from airtcp.campaign.naming import run_names
from airtcp.campaign.reading import Campaign
from airtcp.campaign.run_index import RunIndex
from airtcp.errors import AirtcpError, remedy_for
from airtcp.execution.executors.executor import Job
from airtcp.execution.locate import find_kernel
from airtcp.scenario.plan_types.plan import Plan
from airtcp.studies.cases import Case, Plans, cases, choose_levels
from airtcp.studies.study import Study


@dataclass(frozen=True)
class Request:
    """What of a campaign is wanted: repetitions (default: the campaign's), some levels, another kernel."""

    store: Path
    reps: int | None = None
    only: Mapping[str, Sequence[str]] = field(default_factory=dict)
    kernel: str | None = None


@dataclass
class Work:
    """A run to compute: the cases that it is, by their numbers, and its plan, packed."""

    label: str
    cases: list[int]
    packed: bytes
    series: str
    virtual_s: float
    fresh: bool = False

    @property
    def plan(self) -> Plan:
        """The plan: a dictionary takes ten times what is packed, and thousands may wait."""
        return cast(Plan, json.loads(zlib.decompress(self.packed)))

    def job(self) -> Job:
        """What an executor takes."""
        return Job(self.label, self.plan, self.fresh)


@dataclass
class Schedule:
    """Every case of what is wanted: with the folder of its run (`there`), or in a work (`missing`)."""

    study: Study
    seeds: tuple[int, ...]
    cases: list[Case]
    there: dict[int, Path]
    missing: list[Work]
    index: RunIndex
    plans: Plans

    @property
    def runs(self) -> int:
        """How many different runs it is."""
        return len(set(self.there.values())) + len(self.missing)

    @property
    def series(self) -> list[str]:
        """The kernels of all runs: one that is there may be damaged."""
        return sorted({*self.index.series, *(work.series for work in self.missing)})

    def jobs(self, works: Sequence[Work]) -> Iterator[Job]:
        """Jobs, made when they are taken."""
        return (work.job() for work in works)

    def again(self, numbers: Sequence[int]) -> list[Work]:
        """Work that computes the runs of these cases afresh, whatever the store has."""
        return [replace(work, fresh=True) for work in _works(self, numbers)]


def make_schedule(campaign: Campaign, request: Request) -> Schedule:
    """Compiles what is not known to be there; what can't be compiled is an error before anything runs."""
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
    made.missing = _not_there(made, _works(made, unknown))
    return made


def _not_there(schedule: Schedule, works: list[Work]) -> list[Work]:
    """Works whose runs the store lacks; those of the others are noted as there."""
    index = schedule.index
    asked = [work for work in works if index.run(schedule.cases[work.cases[0]]) is None]
    names = run_names([work.plan for work in asked], sorted({work.series for work in asked}))
    found = set()
    for work, run in zip(asked, names, strict=True):
        if run is None:
            continue
        for case in work.cases:
            index.add(schedule.cases[case], run, work.series)
        if (folder := index.folder(run)) is not None:
            found.add(id(work))
            schedule.there.update(dict.fromkeys(work.cases, folder))
    return [work for work in works if id(work) not in found]


def _works(schedule: Schedule, numbers: Sequence[int]) -> list[Work]:
    """A work for each different plan of these cases."""
    works: dict[bytes, Work] = {}
    for number in numbers:
        case = schedule.cases[number]
        plan = schedule.plans.plan(case)
        text = json.dumps(plan).encode()
        name = hashlib.sha256(text).digest()
        if name not in works:
            label, packed = _label(schedule.study, case), zlib.compress(text, 1)
            works[name] = Work(label, [], packed, plan["kernel"], plan["duration_ns"] / 1e9)
        works[name].cases.append(number)
    return list(works.values())


def _label(study: Study, case: Case) -> str:
    told = [study.label(factor, level) for factor, level in case.levels.items()]
    return ", ".join([*told, f"seed {case.seed}"])


def _seeds(study: Study, reps: int | None) -> tuple[int, ...]:
    count = study.reps if reps is None else reps
    if count < 1:
        raise AirtcpError(f"{count} repetitions make no campaign", "--reps", "Ask for at least 1")
    return tuple(range(1, count + 1))


def _chosen(study: Study, only: Mapping[str, Sequence[str]]) -> Study:
    for factor, levels in only.items():
        if factor not in study.factors:
            raise AirtcpError(
                f'the campaign varies no "{factor}"', "--only", remedy_for(factor, study.factors)
            )
        study = choose_levels(study, factor, levels)
    if not study.parts:
        raise AirtcpError("no combination has all of these levels", "--only", "Choose others")
    return study


def _kernel_digest(series: str) -> str:
    return kernel_digest(find_kernel(series))
