"""The combinations of levels that a campaign runs: a grid, a list of cases, or paired factors."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from airtcp.campaign.campaign_file import CampaignFile
from airtcp.errors import AirtcpError, remedy_for
from airtcp.studies.study_file import Assignments, FactorFile, Grid, Level, Where


def study_factor(name: str, file: CampaignFile, place: str) -> FactorFile:
    """The factor in the form of a study; booleans become named levels."""
    own = file.factor[name]
    place = f"{place}: factor.{name}"
    given = [what for what, there in (("values", own.values), ("levels", own.levels)) if there]
    if len(given) != 1:
        what = "has both values and levels" if given else "has neither values nor levels"
        raise AirtcpError(what, place, "Write key and values, or levels with names")
    if own.levels:
        if own.key or own.keys:
            raise AirtcpError(
                "has both levels and a key", f"{place}.key", "Remove the key: each level assigns its own keys"
            )
        levels = own.levels
    else:
        keys = [own.key] if own.key else own.keys
        if not keys or (own.key and own.keys):
            raise AirtcpError("needs one of key and keys", place, 'For example key = "flow[*].cca"')
        levels = _named_levels(own.values, keys, place)
    return FactorFile(
        name=own.name or name, key=own.key, keys=own.keys, labels=own.labels, unit=own.unit, levels=levels
    )


def _named_levels(values: Sequence[Any], keys: Sequence[str], place: str) -> dict[str, Assignments]:
    """Named levels for booleans; tables and lists must be named by the author of the file."""
    for value in values:
        # Equality alone takes 1 for true.
        if sum(type(other) is type(value) and other == value for other in values) > 1:
            raise AirtcpError(
                f"{value!r} is listed twice", f"{place}.values", "Remove one; use reps to repeat runs"
            )
        if not isinstance(value, str | int | float):
            remedy = 'Give each a name: levels.NAME = { "KEY" = VALUE }'
            raise AirtcpError(f"{value!r} can't be the label of a level", f"{place}.values", remedy)
    if not any(isinstance(value, bool) for value in values):
        return {}
    return {str(_level(value)): dict.fromkeys(keys, value) for value in values}


def _level(value: Any) -> Level:
    if isinstance(value, bool):
        return "true" if value else "false"
    level: Level = value
    return level


def grids(file: CampaignFile, place: str) -> list[Grid]:
    """The combinations as grids of levels; every level is checked to be one of its factor's."""
    known: dict[str, list[Level]] = {
        name: list(own.levels) if own.levels else [_level(value) for value in own.values]
        for name, own in file.factor.items()
    }
    if file.case and file.paired:
        raise AirtcpError("has both case and paired", place, "Remove one: case lists every combination")
    if file.case:
        return list(_listed(file.case, known, place))
    return list(_in_step(file.paired, known, place))


def _listed(cases: Sequence[Where], known: Mapping[str, list[Level]], place: str) -> Iterator[Grid]:
    """The listed cases; a factor that a case omits takes all its levels."""
    for number, case in enumerate(cases):
        where = f"{place}: case[{number}]"
        chosen = {name: levels if isinstance(levels, list) else [levels] for name, levels in case.items()}
        for factor, levels in chosen.items():
            if factor not in known:
                raise AirtcpError(f'there is no factor "{factor}"', where, remedy_for(factor, known))
            for level in levels:
                if level not in known[factor]:
                    levels_text = ", ".join(map(str, known[factor]))
                    raise AirtcpError(f"{level!r} is no value of {factor}", where, f"Known: {levels_text}")
        yield {factor: chosen.get(factor, levels) for factor, levels in known.items()}


def _in_step(paired: Sequence[Sequence[str]], known: Mapping[str, list[Level]], place: str) -> Iterator[Grid]:
    """Every combination of the paired groups and of the remaining factors."""
    where = f"{place}: paired"
    named = [name for group in paired for name in group]
    for name in named:
        if name not in known:
            raise AirtcpError(f'there is no factor "{name}"', where, remedy_for(name, known))
        if named.count(name) > 1:
            raise AirtcpError(f"{name} is in two groups", where, "Name each factor in one group only")
    for group in paired:
        counts = {name: len(known[name]) for name in group}
        if len(set(counts.values())) > 1:
            counts_text = ", ".join(f"{name} {count}" for name, count in counts.items())
            raise AirtcpError(
                f"paired factors have different numbers of values: {counts_text}",
                where,
                "Give each the same number of values",
            )
    steps = [list(zip(*(known[name] for name in group), strict=True)) for group in paired]
    for chosen in itertools.product(*steps):
        pairs = zip(paired, chosen, strict=True)
        fixed = {name: [level] for group, levels in pairs for name, level in zip(group, levels, strict=True)}
        yield {name: fixed.get(name, levels) for name, levels in known.items()}
