"""The groups that metrics name, looked up in the scenarios of a study."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from airtcp.errors import AirtcpError
from airtcp.plans.groups import groups_in
from airtcp.scenario.reading.toml_file import parse_toml, read_text
from airtcp.studies.cases import SCENARIO
from airtcp.studies.study import Study


def with_members(study: Study, place: str) -> Study:
    """The study, whose metrics have the patterns of the groups that they name.

    A group that no scenario has, or that two scenarios have with other members, is an `AirtcpError`.
    """
    if not any(isinstance(metric.group, str) for metric in study.metrics.values()):
        return study
    known: dict[str, tuple[str, ...]] = {}
    for file in dict.fromkeys(_scenarios(study)):
        for name, patterns in groups_in(parse_toml(read_text(file), file)).items():
            if known.setdefault(name, patterns) != patterns:
                what = f'the group "{name}" has other members than in another scenario of the study'
                raise AirtcpError(what, f"{file}: groups.{name}", "Give one of them another name")
    metrics = {
        name: metric.in_groups(known, f"{place}: metric.{name}.group")
        for name, metric in study.metrics.items()
    }
    return replace(study, metrics=metrics)


def _scenarios(study: Study) -> Iterator[Path]:
    """Every scenario file that a part or a level chooses."""
    for part in study.parts.values():
        yield study.folder / str(part.set.get(SCENARIO, part.scenario))
    for factor in study.factors.values():
        for assignments in factor.levels.values():
            if SCENARIO in assignments:
                yield study.folder / str(assignments[SCENARIO])
