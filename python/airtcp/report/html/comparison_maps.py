"""Heat maps of a sweep, where bars would be too many."""

import math

from airtcp.metrics.summary import summarise
from airtcp.plots.heat_map import Factor, HeatCell, HeatMap, draw_heat_map, prepare_heat_map
from airtcp.quantities.doubt import DOUBT_MARK
from airtcp.quantities.named_number import NamedNumber
from airtcp.report.html.comparison import combination, most_levels, rest
from airtcp.report.html.comparison_figures import bars_fit, of_several
from airtcp.report.html.figure import PageFigure, page_figure
from airtcp.report.html.groups import Groups
from airtcp.report.html.run_factors import natural

# Beyond these a cell is no larger than a letter.
ROWS_MOST, COLUMNS_MOST = 80, 80


def comparison_maps(groups: Groups) -> list[PageFigure]:
    """Each measure over the factor of the most levels (down) and the combinations of the others (across)."""
    if len(groups.names) < 2 or bars_fit(groups):
        return []
    down = most_levels(groups)
    across = list(dict.fromkeys(rest(group.key, down) for group in groups.groups))
    if len(groups.levels(down)) > ROWS_MOST or len(across) > COLUMNS_MOST:
        return []
    names = {values: _column(groups, down, values) for values in across}
    columns = Factor(_across_name(groups, down), tuple(sorted(names.values(), key=natural)))
    rows = Factor(groups.names[down], tuple(groups.levels(down)))
    figures = []
    for measure in groups.measures:
        cells = _cells(groups, measure, down, names)
        if cells:
            title = f"{measure.label} by {rows.name} and {columns.name}"
            figures.append(page_figure(title, draw_heat_map(_map((rows, columns), cells, groups, measure))))
    return figures


def _across_name(groups: Groups, down: int) -> str:
    return ", ".join(rest(groups.names, down))


def _column(groups: Groups, down: int, values: tuple[str, ...]) -> str:
    return values[0] if len(values) == 1 else combination(groups, down, values)


def _cells(
    groups: Groups, measure: NamedNumber, down: int, names: dict[tuple[str, ...], str]
) -> dict[tuple[str, str], HeatCell]:
    cells: dict[tuple[str, str], HeatCell] = {}
    for group in groups.groups:
        values = group.values(measure)
        if values and math.isfinite(mean := summarise(values).mean):
            place = (group.key[down], names[rest(group.key, down)])
            cells[place] = HeatCell(mean, DOUBT_MARK if group.doubted else "")
    return cells


def _map(
    factors: tuple[Factor, Factor],
    cells: dict[tuple[str, str], HeatCell],
    groups: Groups,
    measure: NamedNumber,
) -> HeatMap:
    runs = "one run each" if groups.repetitions == 1 else "mean over seeds"
    return of_several(prepare_heat_map(factors, cells, f"{measure.label}, {runs}.", measure.label_with_unit))
