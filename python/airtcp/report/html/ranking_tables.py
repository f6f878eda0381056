"""Which level of a factor is better, as far as the runs show."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from airtcp.errors import AirtcpError
from airtcp.metrics.paired import common_seeds
from airtcp.metrics.ranking import SIGNIFICANCE, Ranking, rank
from airtcp.quantities.doubt import marked
from airtcp.quantities.named_number import NamedNumber
from airtcp.report.html.comparison import combination, most_levels, rest
from airtcp.report.html.groups import Groups
from airtcp.report.table import Table, number

# What is ranked if the runs differ in it and nothing else is asked for.
USUAL = "cca"
SEEDS_LEAST = 2
# From so many seeds on ranks and letters say something. `TOO_FEW` has what a paired t test at 5 % finds in
# 80 % of cases, from 100,000 normal samples each; de Winter comes to the same.
TESTED_SEEDS_LEAST = 3
TOO_FEW = (
    "Rankings of two seeds have no ranks and letters: a test of two differences mostly finds only what is "
    "larger than 11.5 of their standard deviations, of three 3.3, of five 1.7 (de Winter, Practical "
    "Assessment, Research & Evaluation 18, 2013)."
)
METHOD = (
    "Rankings: on common seeds; those that share a letter do not differ at "
    f"{SIGNIFICANCE * 100:g} % over all pairs of a case (paired t tests, Wilcoxon's signed rank where "
    "differences are not normal, Holm's correction)."
)
# Of a ranking; pairs grow with the square of it.
LEVELS_MOST = 20
# Of all rankings together: beyond this a page takes longer for tests than for all the rest.
PAIRS_MOST = 2000

# Level of the factor to its values by seed.
Values = dict[str, dict[int, float]]


@dataclass
class Rankings:
    """A table for each measure with a better side, and what was left out of them."""

    tables: list[Table] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def rankings(groups: Groups, factor: str = "") -> Rankings:
    """Rankings of a factor in each combination of the others, on common seeds.

    Without `factor` it is `cca`, or else the factor with the most levels. Without repetitions nothing is
    ranked; a factor that the runs do not differ in is an `AirtcpError`.
    """
    if factor and factor not in groups.names:
        known = ", ".join(groups.names) or "nothing"
        raise AirtcpError(f'the runs do not differ in "{factor}"', "--rank", f"They differ in {known}")
    if groups.repetitions < SEEDS_LEAST or not groups.names:
        asked = [f"{factor} is not ranked: no case was run with two seeds."] if factor else []
        return Rankings(notes=asked)
    down = _place(groups, factor)
    others = list(dict.fromkeys(rest(group.key, down) for group in groups.groups))
    levels = len(groups.levels(down))
    measures = [measure for measure in groups.measures if measure.higher_is_better is not None]
    pairs = len(others) * len(measures) * levels * (levels - 1) // 2
    if levels > LEVELS_MOST or pairs > PAIRS_MOST:
        return Rankings(notes=[f"{groups.names[down]} is not ranked: {pairs} pairs are too many."])
    made = Rankings()
    for measure in measures:
        table = _table(groups, down, others, measure, made.notes)
        if table.rows:
            made.tables.append(table)
    made.notes = list(dict.fromkeys(made.notes))
    return made


def _place(groups: Groups, factor: str) -> int:
    wanted = factor or USUAL
    return groups.names.index(wanted) if wanted in groups.names else most_levels(groups)


def _table(
    groups: Groups, down: int, others: list[tuple[str, ...]], measure: NamedNumber, notes: list[str]
) -> Table:
    best = "highest" if measure.higher_is_better else "lowest"
    title = f"{groups.names[down]} ranked by {measure.label_with_unit}, {best} first"
    columns = (*(["case"] if others != [()] else []), groups.names[down], "rank", "mean", "letters", "seeds")
    table = Table(title, columns, left=("case", groups.names[down], "letters"))
    for other in others:
        measured, doubted = _values(groups, down, other, measure, notes)
        case = combination(groups, down, other)
        at = f"Ranking{f' of {case}' if case else ''} by {measure.label}"
        common = _on_common_seeds(measured, at, notes)
        if common:
            ranking = rank(common, bool(measure.higher_is_better))
            notes += [f"{at}: {note}." for note in ranking.notes]
            seeds = len(next(iter(common.values())))
            tested = seeds >= TESTED_SEEDS_LEAST
            notes.append(METHOD if tested else TOO_FEW)
            for cells in _rows(ranking, doubted, measure.digits, tested):
                table.add(*([case] if case else []), *cells, str(seeds))
    return table


def _on_common_seeds(measured: Values, at: str, notes: list[str]) -> Values:
    """Of each level the seeds that all have; nothing if there is nothing to rank."""
    if len(measured) < 2:
        return {}
    common = common_seeds(measured)
    if len(common.seeds) < SEEDS_LEAST:
        notes.append(f"{at}: none, for fewer than two seeds were run everywhere.")
        return {}
    if common.left_out:
        notes.append(f"{at}: without seed {', '.join(map(str, common.left_out))}, not run everywhere.")
    return {level: {seed: values[seed] for seed in common.seeds} for level, values in measured.items()}


def _values(
    groups: Groups, down: int, other: tuple[str, ...], measure: NamedNumber, notes: list[str]
) -> tuple[Values, Mapping[str, bool]]:
    """The values of each level in one case, and which levels hold runs to doubt."""
    own = [group for group in groups.groups if rest(group.key, down) == other]
    notes += [
        f"Not ranked: {group.key[down]}{f' of {combination(groups, down, other)}' if other else ''}, "
        "of which a seed stands twice."
        for group in own
        if group.same_seed_twice
    ]
    own = [group for group in own if not group.same_seed_twice]
    measured = {
        group.key[down]: {
            record.seed: value for record in group.records if (value := record.numbers[measure.name]) == value
        }
        for group in own
    }
    # What has no such number at all (no ping) takes nothing from the others.
    known = {level: values for level, values in measured.items() if values}
    return known, {group.key[down]: group.doubted > 0 for group in own}


def _rows(ranking: Ranking, doubted: Mapping[str, bool], digits: int, tested: bool) -> list[list[str]]:
    """The cells of each place; without ranks and letters if nothing could be `tested`."""
    return [
        [
            marked(row.name, doubted[row.name]),
            str(row.rank) if tested else "-",
            number(row.summary.mean, digits),
            row.letters if tested else "-",
        ]
        for row in ranking.rows
    ]
