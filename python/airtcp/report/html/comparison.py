"""Tables that compare groups of runs."""

from airtcp.metrics.summary import summarise
from airtcp.quantities.doubt import marked
from airtcp.quantities.named_number import NamedNumber
from airtcp.report.html.groups import Group, Groups
from airtcp.report.table import Table, number

# Beyond this a table is wider than a page.
COLUMNS_MOST = 10


def comparison_tables(groups: Groups) -> list[Table]:
    """With repetitions one table of all measures; without, each measure by two factors."""
    if groups.repetitions > 1:
        return [_statistics(groups)]
    crossed = across(groups) if len(groups.names) > 1 else None
    return [_crossed(groups, crossed, measure) for measure in groups.measures] if crossed else []


def _statistics(groups: Groups) -> Table:
    """Mean and interval of every measure, a row for each group."""
    title = "Results: mean over runs that differ only in the seed, ± half its 95 % confidence interval"
    columns = (*groups.names, "runs", *(measure.label_with_unit for measure in groups.measures), "in control")
    table = Table(title, columns, left=(*groups.names, "in control"))
    for group in groups.groups:
        cells = (_mean(group, measure) for measure in groups.measures)
        table.add(*group.key, str(len(group.records)), *cells, _control(group))
    return table


def _mean(group: Group, measure: NamedNumber) -> str:
    """`9.54 ± 0.02`; without the interval where one run has the number."""
    values = group.values(measure)
    if not values:
        return "-"
    found = summarise(values)
    half = found.error_bars
    mean = number(found.mean, measure.digits)
    return mean if half is None else f"{mean} ± {number(max(half), measure.digits)}"


def _control(group: Group) -> str:
    return f"no: in {group.doubted} of {len(group.records)} runs" if group.doubted else "yes"


def across(groups: Groups) -> tuple[int, list[tuple[str, ...]]] | None:
    """The factor that goes down (of the most levels), and the combinations of the others that go across.

    `None` if there are no factors, or too many combinations.
    """
    if not groups.names:
        return None
    down = most_levels(groups)
    others = list(dict.fromkeys(rest(group.key, down) for group in groups.groups))
    return (down, others) if len(others) <= COLUMNS_MOST else None


def most_levels(groups: Groups) -> int:
    """The place of the factor with the most levels."""
    return max(range(len(groups.names)), key=lambda place: len(groups.levels(place)))


def rest(key: tuple[str, ...], place: int) -> tuple[str, ...]:
    """The key without one of its factors."""
    return key[:place] + key[place + 1 :]


def combination(groups: Groups, down: int, values: tuple[str, ...]) -> str:
    """How a combination of the factors that go across is called: `queue 20, clients 1`."""
    return ", ".join(f"{name} {value}" for name, value in zip(rest(groups.names, down), values, strict=True))


def _crossed(groups: Groups, crossed: tuple[int, list[tuple[str, ...]]], measure: NamedNumber) -> Table:
    down, others = crossed
    by_key = {group.key: group for group in groups.groups}
    columns = [groups.names[down], *(combination(groups, down, other) for other in others)]
    table = Table(measure.label_with_unit, columns)
    for level in groups.levels(down):
        keys = ((*other[:down], level, *other[down:]) for other in others)
        table.add(level, *(_value(by_key.get(key), measure) for key in keys))
    return table


def _value(group: Group | None, measure: NamedNumber) -> str:
    values = group.values(measure) if group else []
    if group is None or not values:
        return "-"
    return marked(number(values[0], measure.digits), bool(group.doubted))
