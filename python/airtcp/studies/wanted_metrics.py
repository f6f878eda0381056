"""The metrics that a study's figures, tables and claims name."""

from airtcp.quantities.registry import quantity_of
from airtcp.studies.study import Study


def wanted(study: Study, place: str = "") -> dict[str, tuple[str, ...]]:
    """The metrics that figures, tables and claims of each part name; an unknown quantity is an error."""
    names: dict[str, list[str]] = {part: [] for part in study.parts}
    for figure in study.figures:
        names[figure.part] += [*figure.metrics, figure.least, figure.most, figure.deviation]
    for table in study.tables:
        names[table.part] += [*table.metrics, table.rtt, table.base_rtt, table.used, table.capacity]
    for claim in study.claims:
        names[claim.part] += [claim.metric, claim.expected]
    chosen = {part: tuple(dict.fromkeys(name for name in each if name)) for part, each in names.items()}
    for name in dict.fromkeys(name for each in chosen.values() for name in each):
        quantity_of(study.metric(name), f"{place or study.folder}: metric {name}")
    return chosen
