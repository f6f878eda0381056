"""The runs of a study: levels of factors, each combination a scenario, each seed a run."""

import itertools
import json
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from airtcp.errors import AirtcpError, remedy_for
from airtcp.execution.plan_cache import cached_plan
from airtcp.plans.groups import GROUPS, Groups, groups_in
from airtcp.plans.types.plan import Plan
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.reading.assignment import assign
from airtcp.scenario.reading.toml_file import parse_toml, read_text
from airtcp.studies.study import Study, part_levels
from airtcp.studies.study_file import Assignments, Grid, Level, PartFile

# A level that chooses another scenario file does so by this key.
SCENARIO = "scenario"


@dataclass(frozen=True)
class Case:
    """A combination of levels of a part, and a seed."""

    part: str
    levels: Mapping[str, Level]
    seed: int

    def key(self) -> tuple[Level, ...]:
        """The levels in the order of the part's factors."""
        return tuple(self.levels.values())


def choose_parts(study: Study, sections: Sequence[str]) -> Study:
    """The parts of these names or sections of the paper; by default all but those with `on_request`."""
    if not sections:
        return study.only_parts(tuple(name for name, part in study.parts.items() if not part.on_request))
    chosen: list[str] = []
    for section in sections:
        found = [name for name, part in study.parts.items() if section in (name, part.section)]
        if not found:
            sections_known = dict.fromkeys(part.section for part in study.parts.values() if part.section)
            known = [*sections_known, *(name for name in study.parts if name not in sections_known)]
            remedy = remedy_for(section, known)
            raise AirtcpError(f'there is no section or part "{section}" of {study.name}', "--section", remedy)
        chosen += found
    return study.only_parts(tuple(chosen))


def choose_levels(study: Study, factor: str, chosen: Sequence[str]) -> Study:
    """The study with some levels of a factor, in every part that varies it; one in no part is an error."""
    having = [name for name in study.parts if factor in study.part_factors(name)]
    known = list(dict.fromkeys(level for name in having for level in part_levels(study, name, factor)))
    texts = {str(level): level for level in known}
    for level in chosen:
        if level not in texts:
            remedy = remedy_for(level, texts)
            raise AirtcpError(f'"{level}" is not a {factor} of this study', f"--only {factor}", remedy)
    kept = [texts[level] for level in chosen]
    parts = {
        name: part.model_copy(update={"vary": _kept(part, factor, kept)}) if name in having else part
        for name, part in study.parts.items()
    }
    empty = [name for name, part in parts.items() if not part.vary]
    left = tuple(name for name in parts if name not in empty)
    return replace(study, parts=parts).only_parts(left)


def _kept(part: PartFile, factor: str, kept: Sequence[Level]) -> list[Grid]:
    cut = [{**grid, factor: [level for level in grid[factor] if level in kept]} for grid in part.grids]
    return [grid for grid in cut if grid[factor]]


def quickened(study: Study, kept: Sequence[str] = ()) -> Study:
    """The study in short form; of the factors in `kept` every level stays."""

    def quick(part: PartFile) -> PartFile:
        short = {factor: levels for factor, levels in part.quick.vary.items() if factor not in kept}
        vary = [{**grid, **short} for grid in part.grids]
        return part.model_copy(update={"vary": vary, "set": {**part.set, **part.quick.set}})

    return replace(study, parts={name: quick(part) for name, part in study.parts.items()})


def cases(study: Study, seeds: Sequence[int]) -> list[Case]:
    """Every run of the study, in the order of its parts, factors and seeds."""
    found: dict[tuple[str, tuple[Level, ...], int], Case] = {}
    for name, part in study.parts.items():
        factors = study.part_factors(name)
        for grid in part.grids:
            for levels in itertools.product(*(grid[factor] for factor in factors)):
                for seed in seeds:
                    case = Case(name, dict(zip(factors, levels, strict=True)), seed)
                    found.setdefault((name, levels, seed), case)
    return list(found.values())


@dataclass
class Plans:
    """Makes the plans of cases; scenario files are read once, and plans kept in the store if there is one."""

    study: Study
    kernel: str | None = None
    store: Path | None = None

    def __post_init__(self) -> None:
        self._parsed: dict[Path, bytes] = {}
        self._last: tuple[str, tuple[Level, ...], Plan] | None = None
        self._groups: dict[tuple[str, tuple[Level, ...]], Groups] = {}

    def plan(self, case: Case) -> Plan:
        """The plan of a case; what can't be compiled is an error that names the case.

        Plans of one combination of levels differ in nothing but the seed, so that cases in the order of
        `cases` are compiled once for all seeds.
        """
        if self._last is None or self._last[:2] != (case.part, case.key()):
            self._last = (case.part, case.key(), self._compiled(case))
        return {**self._last[2], "seed": case.seed}

    def groups(self, case: Case) -> Groups:
        """The groups of the scenario of a case, for those who look at its run."""
        key = (case.part, case.key())
        if key not in self._groups:
            assignments = self._assignments(case)
            tables = self._tables(self._scenario(case, assignments))
            for name, value in assignments.items():
                if name.split(".")[0] == GROUPS:
                    assign(tables, name, value)
            self._groups[key] = groups_in(tables)
        return self._groups[key]

    def _scenario(self, case: Case, assignments: Assignments) -> Path:
        return self.study.folder / str(assignments.pop(SCENARIO, self.study.parts[case.part].scenario))

    def _compiled(self, case: Case) -> Plan:
        assignments = self._assignments(case)
        file = self._scenario(case, assignments)
        tables = self._tables(file)
        try:
            for key, value in assignments.items():
                assign(tables, key, value)
            tables["seed"] = case.seed
            if self.kernel is not None:
                tables["kernel"] = self.kernel
            return cached_plan(self.store, repr(tables).encode(), lambda: _compiled(tables, file.parent))
        except ScenarioError as error:
            levels = ", ".join(f"{factor} = {level}" for factor, level in case.levels.items())
            raise error.in_file(f"{file} with {levels}") from None

    def distinct(self, every: Sequence[Case]) -> tuple[list[tuple[Case, Plan]], list[int]]:
        """The different plans of these cases, each with its first case; and which one each case has."""
        known: dict[str, int] = {}
        distinct: list[tuple[Case, Plan]] = []
        places: list[int] = []
        for case in every:
            plan = self.plan(case)
            place = known.setdefault(json.dumps(plan), len(distinct))
            if place == len(distinct):
                distinct.append((case, plan))
            places.append(place)
        return distinct, places

    def label(self, case: Case) -> str:
        """What people call the run."""
        levels = [self.study.label(factor, level) for factor, level in case.levels.items()]
        return ", ".join([case.part, *levels, f"seed {case.seed}"])

    def _assignments(self, case: Case) -> Assignments:
        made = dict(self.study.parts[case.part].set)
        for factor, level in case.levels.items():
            made.update(self._of_level(case, factor, level))
        return made

    def _of_level(self, case: Case, factor: str, level: Level) -> Assignments:
        own = self.study.factors[factor]
        if own.levels:
            if str(level) not in own.levels:
                raise AirtcpError(
                    f'factor {factor} has no level "{level}"',
                    f"part {case.part}",
                    f"Known: {', '.join(own.levels)}",
                )
            return own.levels[str(level)]
        return dict.fromkeys([own.key] if own.key else own.keys, level)

    def _tables(self, file: Path) -> dict[str, Any]:
        if file not in self._parsed:
            self._parsed[file] = pickle.dumps(parse_toml(read_text(file), file))
        # A copy for each case, for assignments change it: the quickest way to one.
        tables: dict[str, Any] = pickle.loads(self._parsed[file])
        return tables


def _compiled(tables: Mapping[str, Any], folder: Path) -> Plan:
    from airtcp.scenario.compile.compiler import compile_scenario
    from airtcp.scenario.reading.scenario_file import scenario_from_tables

    return compile_scenario(scenario_from_tables(tables), folder)
