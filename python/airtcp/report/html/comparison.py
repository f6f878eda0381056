"""Tables that compare groups of runs."""

from airtcp.metrics.summary import summarise
from airtcp.report.html.groups import MEASURES, Group, Groups, Measure
from airtcp.report.html.run_list import DOUBT_MARK
from airtcp.report.numbers import number
from airtcp.report.table import Table

# Beyond this a table is wider than a page.
COLUMNS_MOST = 10


def comparison_tables(groups: Groups) -> list[Table]:
    """With repetitions a table of statistics for each measure; without, its values by two factors."""
    measured = [m for m in MEASURES if any(group.values(m) for group in groups.groups)]
    if groups.repetitions > 1:
        return [_statistics(groups, measure) for measure in measured]
    crossed = across(groups) if len(groups.names) > 1 else None
    return [_crossed(groups, crossed, measure) for measure in measured] if crossed else []


def _statistics(groups: Groups, measure: Measure) -> Table:
    title = f"{measure.label} over runs that differ only in the seed (95 %: confidence interval of the mean)"
    columns = (*groups.names, "runs", "mean", "min", "max", "sd", "95 % from", "to", "method", "in control")
    table = Table(title, columns, left=(*groups.names, "method", "in control"))
    for group in groups.groups:
        found = summarise(group.values(measure))
        numbers = (found.mean, found.min, found.max)
        spread = (found.sd, found.low, found.high)
        table.add(
            *group.key,
            str(len(group.records)),
            *(number(value, measure.digits) for value in numbers),
            *(number(value, measure.digits + 1) for value in spread),
            found.method,
            _control(group),
        )
    return table


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


def _crossed(groups: Groups, crossed: tuple[int, list[tuple[str, ...]]], measure: Measure) -> Table:
    down, others = crossed
    by_key = {group.key: group for group in groups.groups}
    columns = [groups.names[down], *(combination(groups, down, other) for other in others)]
    table = Table(measure.label, columns)
    for level in groups.levels(down):
        keys = ((*other[:down], level, *other[down:]) for other in others)
        table.add(level, *(_value(by_key.get(key), measure) for key in keys))
    return table


def _value(group: Group | None, measure: Measure) -> str:
    values = group.values(measure) if group else []
    if group is None or not values:
        return "-"
    return number(values[0], measure.digits) + (DOUBT_MARK if group.doubted else "")
