"""Which level of a factor is better, as far as the runs can tell."""

from collections.abc import Mapping

from airtcp.metrics.paired import common_seeds
from airtcp.metrics.ranking import Ranking, rank
from airtcp.report.html.comparison import across, combination, rest
from airtcp.report.html.groups import MEASURES, Groups, Measure
from airtcp.report.html.run_list import DOUBT_MARK
from airtcp.report.run_report import number
from airtcp.report.table import Table

# Of a ranking; pairs grow with the square of it.
LEVELS_MOST = 20
# Of all rankings together: beyond this a page takes longer for tests than for all the rest.
PAIRS_MOST = 2000

# Level of the factor to its values by seed.
Values = dict[str, dict[int, float]]


def ranking_tables(groups: Groups) -> list[Table]:
    """For each measure with a better side, a ranking of the factor with the most levels in each other case.

    Without repetitions, and where levels have no seeds in common, nothing is ranked.
    """
    crossed = across(groups)
    if groups.repetitions < 2 or crossed is None:
        return []
    down, others = crossed
    levels = len(groups.levels(down))
    ranked = [measure for measure in MEASURES if measure.higher_is_better is not None]
    pairs = len(others) * len(ranked) * levels * (levels - 1) // 2
    if not 2 <= levels <= LEVELS_MOST or pairs > PAIRS_MOST:
        return []
    tables = [_table(groups, down, others, measure) for measure in ranked]
    return [table for table in tables if table.rows]


def _table(groups: Groups, down: int, others: list[tuple[str, ...]], measure: Measure) -> Table:
    title = (
        f"{groups.names[down]} ranked by {measure.label} on common seeds (those that share a letter can't be "
        "told apart at 5 % over all pairs of a case: paired tests, Holm's correction)"
    )
    columns = (*(["case"] if others != [()] else []), groups.names[down], "rank", "mean", "letters", "seeds")
    table = Table(title, columns, left=("case", groups.names[down], "letters"))
    for other in others:
        measured, doubted = _values(groups, down, other, measure)
        seeds = common_seeds(measured).seeds
        if len(measured) > 1 and len(seeds) > 1:
            common = {level: {seed: values[seed] for seed in seeds} for level, values in measured.items()}
            case = [combination(groups, down, other)] if other else []
            for cells in _rows(rank(common, bool(measure.higher_is_better)), doubted, measure.digits):
                table.add(*case, *cells, str(len(seeds)))
    return table


def _values(
    groups: Groups, down: int, other: tuple[str, ...], measure: Measure
) -> tuple[Values, Mapping[str, bool]]:
    """The values of each level in one case, and which levels hold runs to doubt."""
    own = [group for group in groups.groups if rest(group.key, down) == other and not group.same_seed_twice]
    measured = {
        group.key[down]: {
            record.seed: value for record in group.records if (value := measure.value(record)) == value
        }
        for group in own
    }
    return measured, {group.key[down]: group.doubted > 0 for group in own}


def _rows(ranking: Ranking, doubted: Mapping[str, bool], digits: int) -> list[list[str]]:
    return [
        [
            row.name + (DOUBT_MARK if doubted[row.name] else ""),
            str(row.rank),
            number(row.summary.mean, digits),
            row.letters,
        ]
        for row in ranking.rows
    ]
