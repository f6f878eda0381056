"""A comparison as tables, and what must be known beside them."""

from collections.abc import Mapping, Sequence

import numpy as np

from airtcp.metrics.ratios import summarise_ratios
from airtcp.quantities.doubt import marked
from airtcp.report.comparison.comparison import Comparison, Difference
from airtcp.report.comparison.matching import Case, Key, case_text
from airtcp.report.comparison.side import Side
from airtcp.report.comparison.values import digits_of, label_of, name_of
from airtcp.report.table import Table, number

RATIO_DIGITS = 3
NEAR = 0.1
# Of a level in the name of a column.
LETTERS_MOST = 24
# Of a list of cases in a note.
CASES_MOST = 12
LEVEL = 0.05


def comparison_tables(found: Comparison) -> list[Table]:
    """All ratios in numbers; the ratios of each value; the differences on common seeds, if there are any.

    Of one case all values stand side by side in one table, the first.
    """
    values = found.names.values
    paired = [table for value in values if (table := differences_table(found, value)).rows]
    if not found.names.keys:
        return [side_by_side(found), *paired]
    return [summary_table(found), *(ratios_table(found, value) for value in values), *paired]


def side_by_side(found: Comparison) -> Table:
    """Every value of the only case."""
    columns = (_column("ours", found.names.ours), _column("theirs", found.names.theirs))
    table = Table("Ours and theirs, means over seeds", ("value", *columns, "ratio"))
    (key,) = found.matched
    (row,) = found.ratios.table.iter_rows(named=True)
    sides = found.our_cases[key], found.their_cases[key]
    for value in found.names.values:
        means = (row[f"{value}_ours"], row[f"{value}_theirs"])
        table.add(
            label_of(value),
            *(_mean(value, mean, side) for mean, side in zip(means, sides, strict=True)),
            number(row[f"{value}_ratio"], RATIO_DIGITS),
        )
    return table


def ratios_table(found: Comparison, value: str) -> Table:
    """Ours, theirs and the ratio of each case that both have."""
    columns = (*found.columns, "ours", "theirs", "ratio", "results ours", "theirs")
    table = Table(f"{label_of(value)}: ours over theirs, means over seeds", columns, left=found.columns)
    for row in found.ratios.table.iter_rows(named=True):
        key = tuple(row[name] for name in found.columns)
        sides = found.our_cases[key], found.their_cases[key]
        means = (row[f"{value}_ours"], row[f"{value}_theirs"])
        ratio = number(row[f"{value}_ratio"], RATIO_DIGITS)
        table.add(
            *key,
            *(_mean(value, mean, side) for mean, side in zip(means, sides, strict=True)),
            marked(ratio, found.doubtful(key)),
            *(str(sum(value in row.values for row in side.rows)) for side in sides),
        )
    return table


def ratio_matrix(found: Comparison) -> Table:
    """The ratios of all values side by side, as table 4 of aoyagi2023 has them.

    A row for each level of the key with the most levels; the other keys and the values are columns.
    """
    table = found.ratios.table
    row_key = max(found.columns, key=lambda key: int(table[key].n_unique()))
    others = [key for key in found.columns if key != row_key]
    groups = list(dict.fromkeys(tuple(row[key] for key in others) for row in table.iter_rows(named=True)))
    cells = {
        (row[row_key], tuple(row[key] for key in others), value): row[f"{value}_ratio"]
        for row in table.iter_rows(named=True)
        for value in found.names.values
    }
    columns = [
        (group, value, ", ".join([f"{name_of(value)}", *_named(others, group)]))
        for group in groups
        for value in found.names.values
    ]
    made = Table("Ratios (ours over theirs)", (row_key, *(title for *_, title in columns)))
    for level in dict.fromkeys(table[row_key].to_list()):
        ratios = (cells.get((level, group, value)) for group, value, _ in columns)
        made.add(level, *(number(ratio, RATIO_DIGITS) for ratio in ratios))
    return made


def _named(keys: Sequence[str], levels: Sequence[str]) -> list[str]:
    return [f"{key} {level}" for key, level in zip(keys, levels, strict=True)]


def _column(name: str, lone: Mapping[str, str]) -> str:
    """With what names the side, if that is one thing only: `ours (linux)`."""
    value = next(iter(lone.values()), "")
    return f"{name} ({value})" if len(lone) == 1 and len(value) <= LETTERS_MOST else name


def _mean(value: str, mean: float | None, case: Case) -> str:
    return marked(number(mean, digits_of(value)), case.doubtful)


def summary_table(found: Comparison) -> Table:
    """The ratios of each value in numbers."""
    columns = ("value", "cases", "geometric mean", "least", "most", f"within {NEAR * 100:g} %")
    table = Table("Summary of ratios (ours over theirs)", columns)
    for value in found.names.values:
        ratios = found.ratios.of(value)
        one = summarise_ratios(ratios[ratios > 0], NEAR)
        numbers = (number(each, RATIO_DIGITS) for each in (one.geometric_mean, one.min, one.max))
        share = "-" if np.isnan(one.near_one_share) else f"{one.near_one_share * 100:.0f} %"
        table.add(label_of(value), str(one.count), *numbers, share)
    return table


def differences_table(found: Comparison, value: str) -> Table:
    """Ours less theirs on common seeds, with the interval and the test of each case."""
    title = (
        f"{label_of(value)}: ours less theirs on common seeds (95 %: confidence interval of the mean "
        f"difference; p: two-sided, by Holm's correction over all cases; differ: at {LEVEL * 100:g} %)"
    )
    columns = (
        *found.columns,
        "seeds",
        "ours",
        "theirs",
        "difference",
        "95 % from",
        "to",
        "p",
        "test",
        "differ",
    )
    table = Table(title, columns, left=(*found.columns, "test", "differ"))
    for one in found.differences:
        if one.value == value:
            table.add(*one.key, *_difference(one))
    return table


def _difference(one: Difference) -> tuple[str, ...]:
    digits = digits_of(one.value)
    paired, interval = one.paired, one.paired.difference
    p = "-" if one.p_adjusted is None else _p_text(one.p_adjusted)
    return (
        str(len(one.seeds.seeds)),
        number(paired.first_mean, digits),
        number(paired.second_mean, digits),
        marked(number(interval.mean, digits + 1), one.doubtful),
        number(interval.low, digits + 1),
        number(interval.high, digits + 1),
        p,
        paired.test,
        "yes" if paired.differs(one.p_adjusted, LEVEL) else "no significant difference",
    )


def _p_text(p: float) -> str:
    return "< 0.0001" if 0 < p < 0.0001 else f"{p:.4f}"


def sides_text(found: Comparison) -> list[str]:
    """What is ours and what is theirs."""
    pairs = (("Ours", found.ours, found.names.ours), ("Theirs", found.theirs, found.names.theirs))
    return [_side(name, side, lone) for name, side, lone in pairs]


def lone_text(lone: Mapping[str, str]) -> str:
    """What names a side: keys that differ between the sides only."""
    return "; ".join(f"{key} {level}" for key, level in lone.items())


def _side(name: str, side: Side, lone: Mapping[str, str]) -> str:
    values = lone_text(lone)
    count = len(side.rows)
    return (
        f"{name}: {side.label}{f' ({values})' if values else ''}, {count} result{'' if count == 1 else 's'}"
    )


def notes(found: Comparison) -> list[str]:
    """What has no partner, what could not be computed, what must be doubted."""
    lines = [*dict.fromkeys((*found.ours.notes, *found.theirs.notes)), *_same_runs(found)]
    lines += _without_partner(
        "ours", "theirs", found, [k for k in found.our_cases if k not in found.their_cases]
    )
    lines += _without_partner(
        "theirs", "ours", found, [k for k in found.their_cases if k not in found.our_cases]
    )
    if found.ratios.undefined:
        # A lone case has no levels by which it could be named.
        lone = len(found.our_cases) == 1
        without = [
            label_of(value) if lone else f"{label_of(value)}, {case}"
            for value, case in found.ratios.undefined
        ]
        lines.append(f"No ratio of {_listed(without)}: a side has no number, or theirs is 0.")
    zero = [value for value in found.names.values if (found.ratios.of(value) <= 0).any()]
    if zero:
        lines.append(f"Ratios of 0 or less are not in the numbers and curves of {', '.join(zero)}.")
    return [*lines, *_seeds(found)]


def _without_partner(side: str, other: str, found: Comparison, keys: Sequence[Key]) -> list[str]:
    if not keys:
        return []
    shown = _listed([" / ".join(key) for key in keys])
    by = f" ({' / '.join(found.columns)})"
    return [
        f"Only {side} has {len(keys)} case{'' if len(keys) == 1 else 's'}, {other} does not{by}: {shown}."
    ]


def _same_runs(found: Comparison) -> list[str]:
    """Runs that are on both sides, whose ratios say nothing."""
    ours, theirs = ({row.run for row in side.rows if row.run} for side in (found.ours, found.theirs))
    return [f"{len(ours & theirs)} runs are on both sides."] if ours & theirs else []


def _listed(texts: Sequence[str]) -> str:
    more = f"; and {len(texts) - CASES_MOST} more" if len(texts) > CASES_MOST else ""
    return "; ".join(texts[:CASES_MOST]) + more


def _seeds(found: Comparison) -> list[str]:
    """Which seeds were not compared."""
    has_seeds = all(any(row.seed is not None for row in side.rows) for side in (found.ours, found.theirs))
    repeated = any(
        len(case.rows) > 1 for cases in (found.our_cases, found.their_cases) for case in cases.values()
    )
    if not found.differences:
        return (
            ["No case has two seeds in common: differences are not tested."] if has_seeds and repeated else []
        )
    lines: dict[str, None] = {}
    for one in found.differences:
        if one.seeds.left_out:
            seeds = ", ".join(map(str, one.seeds.left_out))
            lines[
                f"{case_text(found.names.keys, one.key)}: seed {seeds} is on one side only, and not paired"
            ] = None
    tested = {one.key for one in found.differences}
    lines.update(
        (f"{case_text(found.names.keys, key)}: fewer than two seeds in common, and not paired", None)
        for key in found.matched
        if key not in tested
    )
    return [f"{_listed(list(lines))}."] if lines else []
